"""Ids and tokens cannot be guessed; the store, the logs and the refusals hold none of them."""

import ast
import inspect
import re
import socket
from base64 import b32decode, urlsafe_b64decode
from collections.abc import Callable, Iterator
from textwrap import dedent
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
import redis

from service.api import auth as caller
from service.games.keyring import JOIN_CODE_LETTERS, Keyring
from tests.api.client import Client, Table, client_of
from tests.leaks.conftest import API_KEY
from tests.leaks.twin_games import SECRET
from tests.servers import QwirkleServer

MANY = 80
"""So many random values that a bit which is the same in all of them by chance (2 ** -79 each)
will not be met: any such bit is a flaw."""

PART = 12
"""Characters that a secret and another text have in common by chance no more than never."""


@pytest.fixture
def client(server: QwirkleServer) -> Client:
    return client_of(server)


def bits(values: list[bytes]) -> Iterator[set[int]]:
    """For every place in the values the bits that stand there."""
    for place in range(8 * min(map(len, values))):
        yield {value[place // 8] >> (7 - place % 8) & 1 for value in values}


def test_ids_tokens_and_codes_cannot_be_guessed(client: Client) -> None:
    made = [
        client.post("/v1/games", body, token=API_KEY, key=key).ok(201).json
        for body in ({"players": [{"name": "Ada"}, {"name": "Ben"}], "private": True},)
        # Half of them under keys that are as near to each other as can be.
        for key in [None] * (MANY // 2) + [f"nearly-the-same-{n:04}-{uuid4()}" for n in range(40)]
    ]
    ids = [game["game"]["id"] for game in made]
    codes = [game["join_code"] for game in made]
    hosts = [game["host_token"].removeprefix("qwh_") for game in made]
    seats = [[game["players"][seat]["token"] for game in made] for seat in (0, 1)]
    assert all(re.fullmatch("[a-z2-7]{26}", id_) for id_ in ids)
    code_of_two = f"[{JOIN_CODE_LETTERS}]{{4}}-[{JOIN_CODE_LETTERS}]{{4}}"
    assert all(re.fullmatch(code_of_two, code) for code in codes)
    for seat, tokens in enumerate(seats):
        assert all(re.fullmatch(rf"qwp_{seat}_[\w-]{{43}}", token) for token in tokens)
    bare = [[token.removeprefix(f"qwp_{n}_") for token in each] for n, each in enumerate(seats)]
    for texts in (hosts, *bare):
        digests = [urlsafe_b64decode(text + "=") for text in texts]
        assert {len(digest) for digest in digests} == {32}
        assert all(found == {0, 1} for found in bits(digests))
    assert all(found == {0, 1} for found in bits([_base32(id_)[:16] for id_ in ids]))
    for letters in zip(*(code.replace("-", "") for code in codes), strict=True):
        assert len(set(letters)) > len(JOIN_CODE_LETTERS) // 2
    everything = [*ids, *hosts, *bare[0], *bare[1]]
    assert len(set(everything)) == len(everything)


def _base32(text: str) -> bytes:
    return b32decode(text.upper() + "=" * (-len(text) % 8))


def dumped(server: QwirkleServer) -> bytes:
    """Every key and every value in the store, of whatever type."""
    with redis.Redis.from_url(server.redis_url) as store:
        read: dict[bytes, Callable[[bytes], Any]] = {
            b"string": store.get,
            b"list": lambda name: store.lrange(name, 0, -1),
            b"hash": store.hgetall,
            b"zset": lambda name: store.zrange(name, 0, -1, withscores=True),
            b"set": store.smembers,
            b"stream": store.xrange,
        }
        found = [(name, read[store.type(name)](name)) for name in store.scan_iter()]
    return b"\n".join(_flat(found))


def _flat(value: Any) -> Iterator[bytes]:
    if isinstance(value, bytes):
        yield value
    elif isinstance(value, dict):
        yield from _flat(list(value.items()))
    elif isinstance(value, list | tuple | set):
        for each in value:
            yield from _flat(each)


def parts(secret: str) -> Iterator[bytes]:
    """Every part of a secret that is long enough to be no chance."""
    for start in range(max(1, len(secret) - PART + 1)):
        yield secret[start : start + PART].encode()


def busy_table(client: Client) -> tuple[Table, list[str]]:
    """A table at which everything happened that leaves something behind; and all its secrets."""
    key = f"creation-{uuid4()}"
    body = {
        "players": [{"name": "Ada"}, {"name": "Ben"}],
        "seats": 3,
        "private": True,
        "webhook_url": "http://127.0.0.1:9/hook",
        "turn_seconds": 600,
    }
    table = Table.of(client, client.post("/v1/games", body, token=API_KEY, key=key).ok(201))
    joined = table.join("Cleo", body={"join_code": table.join_code}, key=f"joining-{uuid4()}")
    joined.ok(201)
    keys = [f"action-{uuid4()}" for _ in range(2)]
    table.deal(key=keys[0]).ok(200)
    table.resign(2, key=keys[1]).ok(201)
    table.look(0, "/events").ok(200)
    secrets = [table.host, *table.tokens, table.created["webhook_secret"]]
    secrets = [re.sub(r"^(qwp_\d_|qwh_|whsec_)", "", secret) for secret in secrets]
    return table, [*secrets, key, *keys, API_KEY, SECRET]


def test_the_store_holds_no_token_no_key_no_code_and_no_secret(
    client: Client, server: QwirkleServer
) -> None:
    table, secrets = busy_table(client)
    kept = dumped(server)
    assert table.id.encode() in kept
    assert b"http://127.0.0.1:9/hook" in kept
    for secret in secrets:
        assert not [part for part in parts(secret) if part in kept], "a secret is in the store"
    # A signature is no secret's text, but whoever has its bytes can write the text.
    for text in secrets[:4]:
        digest = urlsafe_b64decode(text + "=")
        assert not any(digest[at : at + PART] in kept for at in range(len(digest) - PART + 1))
    code = str(table.join_code)
    waiting = client.create(api_key=API_KEY, seats=3).created["join_code"]
    kept += dumped(server)
    for each in (code, waiting):
        assert each.encode() not in kept
        assert each.replace("-", "").encode() not in kept


def test_a_refusal_repeats_no_token(client: Client) -> None:
    table, _ = busy_table(client)
    other = client.create(api_key=API_KEY)
    for token in (other.tokens[0], other.host, f"qwp_0_{'x' * 43}", "not-a-token-at-all"):
        for answer in (
            table.look(token=token),
            table.act(None, "plays", {"placements": []}, token=token),
            table.delete(token=token),
            client.post("/v1/games", {"seats": 2}, token=token),
        ):
            answer.refused(401, "token_invalid")
            shown = answer.body + repr(answer.headers).encode()
            assert not [part for part in parts(token) if part in shown]


# A token where no token belongs, each in a request that the service cannot even read.
MISPLACED = (
    "GET / HTTP/1.1\r\nHost: x\r\nAuthorization Bearer {token}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\x00\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nAuthori zation: Bearer {token}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n Bearer {token}\r\n\r\n",
    "Bearer {token}\r\n\r\n",
    "GET / {token}\r\nHost: x\r\n\r\n",
    "GET / HTTP/1.1\r\n{token}: x\r\n\r\n",
    "POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Length: {token}\r\n\r\n",
    "POST /v1/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {token}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\nExpect: {token}\r\n\r\n",
)


def test_not_even_an_unreadable_request_brings_a_token_into_the_log(
    client: Client, server: QwirkleServer
) -> None:
    """The log level is debug; all that it ever wrote is looked at once more when it closes."""
    token = client.create(api_key=API_KEY).tokens[0]
    where = urlsplit(server.base_url)
    for words in MISPLACED:
        with socket.create_connection((where.hostname, where.port), timeout=30) as line:
            line.sendall(words.format(token=token).encode())
            line.shutdown(socket.SHUT_WR)
            said = b"".join(iter(lambda line=line: line.recv(65_536), b""))
            assert token.encode() not in said
    client.get("/livez").ok(200)
    assert token not in server.errors + server.output


@pytest.mark.parametrize(
    "decides",
    [Keyring.verify, Keyring.is_join_code, caller.tenant_of],
    ids=lambda f: f.__name__,
)
def test_secrets_are_compared_in_constant_time(decides: Callable[..., object]) -> None:
    """Who decides by a secret asks `compare_digest`, and compares it in no other way."""
    tree = ast.parse(dedent(inspect.getsource(decides)))
    asked = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert "compare_digest" in asked
    secret = {"token", "given", "true", "code", "key"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            equal = any(isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for op in node.ops)
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            assert not (equal and names & secret)
