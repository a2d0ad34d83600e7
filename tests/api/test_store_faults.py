"""When the store is away the service says so in time, and is well again when it is back."""

import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis

from service.store import keys
from service.store.base import STAMP_BYTES
from service.store.checksums import seal, unseal
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table, client_of
from tests.api.positions import in_play
from tests.proxy import Fault, TcpProxy
from tests.servers import NewDir, QwirkleServer

PATIENCE = 1.5


@pytest.fixture(scope="module")
def store(new_dir: NewDir) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(new_dir()) as store:
        yield store


@pytest.fixture(scope="module")
def proxy(store: EmbeddedStore) -> Iterator[TcpProxy]:
    with TcpProxy(store.url.removeprefix("unix://").partition("?")[0]) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def server(proxy: TcpProxy) -> Iterator[QwirkleServer]:
    environment = {"QWIRKLE_STORE_TIMEOUT": str(PATIENCE)}
    with QwirkleServer(redis_url=proxy.url, workers=2, environment=environment) as server:
        yield server


@pytest.fixture(scope="module")
def far(server: QwirkleServer) -> Client:
    return client_of(server)


def everything_is_refused_in_time(table: Table) -> None:
    client = table.client
    began = time.monotonic()
    asked = [
        client.get("/readyz"),
        table.look(0),
        table.look(rest="/score"),
        table.look(0, "/legal-plays"),
        table.play(0, "rd@2,0", key="k"),
        table.preview(0, "rd@2,0"),
        client.post("/v1/games", {"seats": 2}),
        client.post("/v1/games", {"seats": 2}, key="k" * 16),
        table.delete(),
    ]
    # A little is for the way there and back on a busy machine.
    assert time.monotonic() - began < len(asked) * (PATIENCE + 3)
    for answer in asked:
        answer.refused(503, "store_unavailable")
        assert answer.headers["retry-after"] == "1"
        assert "127.0.0.1" not in answer.json["detail"]
    client.get("/livez").ok(200)
    client.get("/v1/editions").ok(200)


def test_a_store_that_is_stopped_and_comes_back(
    store: EmbeddedStore, far: Client, server: QwirkleServer
) -> None:
    table = in_play(far)
    pid = server.pid
    store.stop()
    try:
        everything_is_refused_in_time(table)
    finally:
        store.start()
    far.get("/readyz").ok(200)
    assert table.version == 1
    table.play(0, "rd@2,0", key="k").ok(201)
    assert server.pid == pid


def test_a_store_that_hangs_costs_no_more_than_the_time_set(proxy: TcpProxy, far: Client) -> None:
    table = in_play(far)
    # All that may be sent: each refusal uses one, and one that is repeated two.
    swallowed = [proxy.trouble(name, Fault.SWALLOW, 100) for name in ("EVALSHA", "PING")]
    try:
        everything_is_refused_in_time(table)
    finally:
        for trouble in swallowed:
            trouble.times = 0
    table.play(0, "rd@2,0", key="k").ok(201)


def test_a_play_whose_commit_is_lost_on_the_way_is_settled_by_its_key(
    proxy: TcpProxy, far: Client
) -> None:
    for fault in (Fault.CUT_BEFORE, Fault.CUT_AFTER):
        table = in_play(far)
        table.look(0, headers={"X-Request-ID": "warm"})
        proxy.trouble("EVALSHA", fault, 1)
        first = table.play(0, "rd@2,0", key="k")
        again = table.play(0, "rd@2,0", key="k").ok(201)
        assert first.status in {201, 503}
        if first.status == 201:
            assert again.replayed
            assert again.body == first.body
        assert table.version == 2


def test_connections_that_drop_go_unnoticed(proxy: TcpProxy, far: Client) -> None:
    table = in_play(far)
    for seat, text in ((0, "rd@2,0"), (1, "rc@3,0"), (0, "oo@0,1")):
        proxy.cut_all()
        table.play(seat, text).ok(201)
        proxy.cut_all()
        table.look(0).ok(200)


def test_a_game_of_a_format_that_is_not_known_is_refused_alone(
    store: EmbeddedStore, far: Client
) -> None:
    table, other = in_play(far), in_play(far)
    with redis.from_url(store.url) as direct:
        state = direct.get(keys.state_key(table.id))
        stamp, packed = unseal(table.id, state, STAMP_BYTES)
        changed = seal(stamp, bytes([99]) + packed[1:])
        direct.set(keys.state_key(table.id), changed)
        for answer in (
            table.look(0),
            table.look(rest="/score"),
            table.play(0, "rd@2,0", key="k"),
            table.play(0, "rd@2,0"),
        ):
            answer.refused(503, "store_unavailable")
            assert "format 99" in answer.json["detail"]
            assert answer.headers["retry-after"]
        assert direct.get(keys.state_key(table.id)) == changed
        other.play(0, "rd@2,0").ok(201)
        far.get("/readyz").ok(200)
        direct.set(keys.state_key(table.id), state)
    table.play(0, "rd@2,0").ok(201)


def test_nothing_about_the_store_is_told_to_strangers(
    store: EmbeddedStore, far: Client, server: QwirkleServer
) -> None:
    with suppress(redis.RedisError), redis.from_url(store.url) as direct:
        direct.config_set("maxmemory", 1)
    try:
        answer = far.post("/v1/games", {"seats": 2}).refused(503, "store_unavailable")
        assert "memory" not in answer.json["detail"]
        assert "out of memory" in server.errors
    finally:
        with redis.from_url(store.url) as direct:
            direct.config_set("maxmemory", 0)
    far.post("/v1/games", {"seats": 2}).ok(201)
