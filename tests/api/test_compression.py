"""Answers in gzip: who gets them, what is never compressed, and how their ETags are used."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.api.compression import gzipped
from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import in_play, waiting
from tests.servers import QwirkleServer

GZIP = {"Accept-Encoding": "gzip"}
SMALLEST = 1025
READS = ("", "/legal-plays?limit=5000", "/unseen", "/events", "/record", "/board.svg")


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


def packed(answer: Answer) -> bool:
    """Whether it came in gzip; then it also became shorter."""
    if "content-encoding" not in answer.headers:
        return False
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) < len(answer.body)
    return True


@contextmanager
def sent(client: Client, path: str, headers: dict[str, str]) -> Iterator[HTTPResponse]:
    """The answer to a GET as it comes: a stream, or a file that the contract does not mention."""
    where = urlsplit(client.base_url)
    with closing(HTTPConnection(where.hostname or "", where.port, timeout=20)) as line:
        line.request("GET", path, headers=headers)
        yield line.getresponse()


@pytest.mark.parametrize("rest", READS)
def test_large_answers_are_compressed_and_say_the_same(table: Table, rest: str) -> None:
    plain = table.look(0, rest).ok(200)
    answer = table.look(0, rest, headers=GZIP).ok(200)
    assert answer.body == plain.body
    assert not packed(plain)
    assert packed(answer) == (len(plain.body) >= SMALLEST)
    for each in (plain, answer):
        assert "Accept-Encoding" in each.headers["vary"]


def test_some_reads_are_large_enough_to_show_it(table: Table) -> None:
    sizes = {rest: len(table.look(0, rest).ok(200).body) for rest in READS}
    assert sum(size >= SMALLEST for size in sizes.values()) >= 2
    assert min(sizes.values()) < SMALLEST


@pytest.mark.parametrize(
    "accepted",
    ["gzip", "GZIP", "br, gzip;q=0.5", "*", "identity;q=0, *;q=0.1", "gzip, deflate, br, zstd"],
)
def test_clients_that_accept_gzip_get_it(table: Table, accepted: str) -> None:
    assert packed(table.look(0, "/board.svg", headers={"Accept-Encoding": accepted}).ok(200))


@pytest.mark.parametrize(
    "accepted",
    [
        "",
        "identity",
        "br",
        "gzip;q=0",
        "gzip;q=0.000, *",
        "*;q=0",
        "gzip;q=0.1, identity;q=0.5",
        "xgzip",
        "gzip;q=0.5," * 600,
        ",;=",
    ],
)
def test_clients_that_do_not_accept_gzip_get_plain_answers(table: Table, accepted: str) -> None:
    assert not packed(table.look(0, "/board.svg", headers={"Accept-Encoding": accepted}).ok(200))


def test_a_head_has_the_headers_of_the_compressed_answer(table: Table) -> None:
    whole = table.look(0, "/board.svg", headers=GZIP).ok(200)
    path, token = table.path("/board.svg"), table.tokens[0]
    head = table.client.send("HEAD", path, token=token, headers=GZIP).ok(200)
    assert head.body == b""
    for name in ("content-encoding", "content-length", "etag"):
        assert head.headers[name] == whole.headers[name]


def test_refusals_are_compressed_as_well(client: Client) -> None:
    body = {f"unknown_{n}": n for n in range(30)}
    assert packed(client.post("/v1/games", body, headers=GZIP).refused(400, "malformed_request"))


def test_a_large_body_is_compressed_with_pauses_between_its_pieces() -> None:
    body = b"".join(b"%d " % n for n in range(200_000))
    pauses: list[None] = []
    assert gzip.decompress(gzipped(body, lambda: pauses.append(None))) == body
    assert len(pauses) == len(body) // (1 << 16)


# ETags


@pytest.mark.parametrize("rest", ["/board.svg", "/legal-plays"])
def test_each_form_has_an_etag_of_its_own_and_either_gets_304(table: Table, rest: str) -> None:
    plain, short = table.look(0, rest).ok(200), table.look(0, rest, headers=GZIP).ok(200)
    assert packed(short)
    assert plain.etag != short.etag
    for known in (plain.etag, short.etag):
        for header in (known, f"W/{known}", f'"other", {known}'):
            for coding in ({}, GZIP):
                kept = {"If-None-Match": header} | coding
                assert table.look(0, rest, headers=kept).ok(304).etag == known
    table.play(0, "rd@2,0").ok(201)
    for known in (plain.etag, short.etag):
        table.look(0, rest, headers={"If-None-Match": known} | GZIP).ok(200)


def test_a_write_may_name_the_etag_of_a_compressed_answer(table: Table) -> None:
    seen = table.look(0, "/board.svg", headers=GZIP).ok(200)
    assert packed(seen)
    for wrong in (
        f"W/{seen.etag}",
        seen.etag.strip('"'),
        table.look(1, "/board.svg", headers=GZIP).etag,
    ):
        table.play(0, "rd@2,0", match=wrong).refused(412, "stale_version")
    played = table.play(0, "rd@2,0", match=seen.etag, headers=GZIP).ok(201)
    table.exchange(1, "rc").ok(201)
    table.play(0, "oo@0,1", match=played.etag).refused(412, "stale_version")


def test_a_retry_in_another_form_is_the_same_answer(table: Table) -> None:
    first = table.play(0, "rd@2,0", key="form", headers=GZIP).ok(201)
    again = table.play(0, "rd@2,0", key="form").ok(201)
    assert again.replayed
    assert again.body == first.body


# What is never compressed


def large(**choices: Any) -> dict[str, Any]:
    """Choices for a game whose every answer to its host is large."""
    return {"metadata": {"note": "x" * 2_000}, **choices}


def test_answers_with_a_token_are_never_compressed(client: Client) -> None:
    body = large(players=[{"name": "Ada"}], seats=2)
    created = client.post("/v1/games", body, headers=GZIP).ok(201)
    assert len(created.body) >= SMALLEST
    assert not packed(created)
    joined = waiting(client, players=[{"name": "x" * 40}] * 3, seats=4).join(headers=GZIP).ok(201)
    assert len(joined.body) >= SMALLEST
    assert not packed(joined)


def test_join_codes_and_webhook_secrets_are_never_compressed(
    kept_qwirkle: Callable[..., QwirkleServer],
) -> None:
    settings = {"QWIRKLE_WEBHOOK_ALLOW": "127.0.0.1:9", "QWIRKLE_WEBHOOK_PRIVATE": "yes"}
    client = client_of(kept_qwirkle(**settings))
    webhook = client.create(**large(webhook_url="http://127.0.0.1:9/"))
    webhook.deal().ok(200)
    plain = client.create(**large())
    for table in (webhook, plain):  # which has its join code until the deal
        assert not packed(table.look(token=table.host, headers=GZIP).ok(200))
        assert packed(table.look(0, "/board.svg", headers=GZIP).ok(200))
    plain.deal().ok(200)
    assert packed(plain.look(token=plain.host, headers=GZIP).ok(200))


def test_streams_are_never_compressed(table: Table) -> None:
    with sent(table.client, table.path("/events/stream?after=0"), GZIP) as answer:
        assert answer.status == 200
        assert answer.getheader("Content-Encoding") is None
        assert any(answer.readline().startswith(b"event: created") for _ in range(20))


# Files


FILES = (
    "/",
    "/words/de.json",
    "/table/now/main.js",
    "/openapi.yaml",
    "/openapi.json",
    "/docs/assets/swagger-ui-bundle.js",
)


@pytest.mark.parametrize("path", FILES)
def test_files_are_compressed_with_an_etag_of_their_own(client: Client, path: str) -> None:
    etags = []
    with sent(client, path, {}) as answer:
        plain = answer.read()
        etags.append(answer.headers["ETag"])
        assert "Content-Encoding" not in answer.headers
        assert answer.headers["Vary"] == "Accept-Encoding"
    for _ in range(2):
        with sent(client, path, GZIP) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(answer.read()) == plain
            etags.append(answer.headers["ETag"])
    assert etags[0] != etags[1] == etags[2]
    for known in etags:
        with sent(client, path, {"If-None-Match": known} | GZIP) as answer:
            assert (answer.status, answer.headers["ETag"]) == (304, known)


def test_pages_and_metrics_are_compressed(client: Client) -> None:
    for path in ("/docs/problems", "/metrics"):
        assert packed(client.get(path, headers=GZIP).ok(200)), path
