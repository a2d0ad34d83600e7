"""Servers that do not let everybody in: TLS, and a user with no more rights than needed."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
import trustme

from service.store.base import StoreUnavailable
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.redis_store import RedisGameStore
from tests.api.client import Client, tiles_of
from tests.cluster.access import QUOTED, USER, rights
from tests.cluster.deployments import free_ports, on_port, until
from tests.live.streams import Stream
from tests.servers import QwirkleServer

SCRIPTS = Path(__file__).parents[2] / "service" / "store" / "scripts"
HANDS = [tiles_of("ro rs rd b*"), tiles_of("bo go")]


def test_the_manual_names_every_command_of_every_script() -> None:
    used = {
        f"{command}|{rest}" if command in {"XGROUP", "XINFO"} else command
        for script in SCRIPTS.glob("*.lua")
        for command, rest in re.findall(
            r"redis\.call\(\s*'(\w+)'(?:, '(\w+)')?", script.read_text()
        )
    }
    assert {f"+{command.lower()}" for command in used} - {*rights()} == set()


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[EmbeddedStore, int, Path]]:
    """Debian's Redis with TLS and our user, its port for TLS, and who vouches for it."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("redis-server is not installed, and the embedded Valkey has no TLS")
    authority = trustme.CA()
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(trusted)
    own = authority.issue_cert("127.0.0.1")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    for blob in own.cert_chain_pems:
        blob.write_to_path(chain, append=True)
    own.private_key_pem.write_to_path(key)
    port, tls_port = free_ports(2)
    tls = ("--tls-port", str(tls_port), "--tls-auth-clients", "no")
    files = ("--tls-cert-file", str(chain), "--tls-key-file", str(key))
    options = (*on_port(port), *tls, *files)
    store = EmbeddedStore(tmp_path / "store", binary=Path(binary), extra=options)
    with store, redis.Redis(port=port) as admin:
        admin.execute_command("ACL", "SETUSER", *rights())
        yield store, tls_port, trusted


@pytest.mark.timeout(300)
def test_a_game_with_bots_and_streams_needs_nothing_but_tls_and_the_rights_in_the_manual(
    guarded: tuple[EmbeddedStore, int, Path],
) -> None:
    _, port, trusted = guarded
    url = f"rediss://{USER}:{QUOTED}@127.0.0.1:{port}?ssl_ca_certs={trusted}"
    rates = {"QWIRKLE_RATE_CREATE": "1000/hour"}
    with QwirkleServer(redis_url=url, workers=1, environment=rates) as server:
        client = Client(server.base_url)
        assert client.get("/readyz").ok(200).json["warnings"] == []
        players = [{"name": "Ada"}, {"name": "Robo", "bot": "greedy"}]
        table = client.create(players=players, setup={"hands": HANDS, "bag": []})
        with Stream(table, after=1) as stream:
            table.bid(0, 3).ok(201)
            table.play(0, "ro@0,0 rs@1,0 rd@2,0", key="opens").ok(201)
            until(lambda: table.view()["status"] == "finished", "the bot has ended the game")
            heard = [message.data["type"] for message in stream.take(4)]
        assert sorted(heard) == ["bid", "bid", "played", "played"]
        table.delete().ok(204)


def test_a_server_that_nobody_vouches_for_and_a_wrong_password_are_refused(
    guarded: tuple[EmbeddedStore, int, Path],
) -> None:
    _, port, trusted = guarded
    for url, why in (
        (f"rediss://{USER}:{QUOTED}@127.0.0.1:{port}", "cannot be reached"),
        (f"redis://{USER}:{QUOTED}@127.0.0.1:{port}", "cannot be reached|in time"),
        (f"rediss://{USER}:x@127.0.0.1:{port}?ssl_ca_certs={trusted}", "name and password"),
    ):
        client = connect(url, timeout=5, connections=1)
        with pytest.raises(StoreUnavailable, match=why):
            RedisGameStore(client).ping()
        client.close()
