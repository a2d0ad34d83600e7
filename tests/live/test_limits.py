"""How many streams there may be, and what happens to those that nobody reads."""

import http.client
import select
from collections.abc import Callable, Iterator
from secrets import token_bytes
from time import time_ns
from urllib.parse import urlsplit

import pytest

from service.games.advance import load_and_advance
from service.games.keyring import Keyring
from service.games.service import Games
from service.rules.actions import exchange
from service.store.client import connect
from service.store.redis_store import RedisGameStore
from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.live.streams import Stream, client_for, meanwhile, peers_of
from tests.proxy import until
from tests.servers import QwirkleServer

Start = Callable[..., QwirkleServer]


@pytest.fixture(scope="module")
def narrow() -> Iterator[Client]:
    """A server of one worker with room for four streams, two of them one client's.

    It stands behind a proxy.
    """
    settings = {"QWIRKLE_STREAMS": "4", "QWIRKLE_STREAMS_PER_CLIENT": "2"}
    settings["QWIRKLE_TRUSTED_PROXIES"] = "1"
    with QwirkleServer(workers=1, environment=settings) as server:
        yield client_for(server)


def opened(table: Table, *tokens: str | None) -> list[Stream]:
    """Streams, once there is room for all: that somebody hung up is noticed a moment later."""
    streams: list[Stream] = []

    def all_admitted() -> bool:
        hang_up(streams)
        streams[:] = [Stream(table, token) for token in tokens]
        return all(stream.status == 200 for stream in streams)

    until(all_admitted)
    for stream in streams:
        stream.take(1)
    return streams


def hang_up(streams: list[Stream]) -> None:
    """Leave without a word."""
    for stream in streams:
        stream.cut()


def admitted(table: Table, token: str | None = None, address: str | None = None) -> bool:
    with Stream(table, token, address=address) as stream:
        return stream.status == 200


def test_a_client_has_so_many_streams_and_no_more(narrow: Client) -> None:
    table = in_play(narrow)
    streams = opened(table, table.tokens[0], table.tokens[0])
    with Stream(table, table.tokens[0]) as third:
        assert (third.status, third.headers["retry-after"]) == (429, "5")
    refused = table.look(0, "/events?after=1&wait=30")
    refused.refused(429, "rate_limited")
    assert table.look(0, "/events").status == 200
    assert admitted(table, table.tokens[1])
    hang_up(streams)
    until(lambda: admitted(table, table.tokens[0]))


def test_a_worker_has_so_many_streams_and_no_more(narrow: Client) -> None:
    table = in_play(narrow)
    until(lambda: admitted(table))
    streams = opened(table, table.tokens[0], table.tokens[0], table.tokens[1], table.tokens[1])
    with Stream(table) as fifth:
        assert (fifth.status, fifth.headers["retry-after"]) == (503, "5")
        assert b"streams_full" in fifth.raw
    assert table.version == 1
    hang_up(streams)
    until(lambda: admitted(table))


def test_an_abandoned_wait_gives_its_place_back(narrow: Client) -> None:
    table = in_play(narrow)
    where = urlsplit(narrow.base_url)
    lines = [http.client.HTTPConnection(where.hostname or "", where.port) for _ in range(2)]

    def wait(line: http.client.HTTPConnection) -> None:
        headers = {"Authorization": f"Bearer {table.tokens[0]}"}
        line.request("GET", table.path("/events?after=1&wait=30"), headers=headers)

    def both_wait() -> bool:
        for line in lines:
            if select.select([line.sock], [], [], 0)[0]:
                # It was refused, since the look below was in its place just then.
                assert line.getresponse().read()
                wait(line)
        return not admitted(table, table.tokens[0])

    for line in lines:
        wait(line)
    until(both_wait, 20)
    for line in lines:
        line.close()
    until(lambda: admitted(table, table.tokens[0]))


def test_places_are_given_back_however_streams_end(narrow: Client) -> None:
    for _ in range(6):
        table = in_play(narrow)
        streams = opened(table, table.tokens[0], table.host)
        table.resign(0).ok(201)
        table.act(1, "rematch").ok(201)
        assert [len(stream.rest()) for stream in streams] == [2, 2]
        assert table.look(0, "/events?after=2&wait=1").status == 200
        narrow.send("HEAD", table.path("/events/stream"), token=table.host)


def test_all_addresses_of_one_network_share_their_streams(narrow: Client) -> None:
    table = in_play(narrow)
    network = [Stream(table, address=f"2001:db8:5:6::{number}") for number in range(3)]
    assert [stream.status for stream in network] == [200, 200, 429]
    neighbour = Stream(table, address="2001:db8:5:7::2")
    assert neighbour.status == 200
    # They end by themselves, so that no place is still taken when another test begins.
    table.resign(0).ok(201)
    assert [len(stream.rest()) for stream in (*network[:2], neighbour)] == [2, 2, 2]


@pytest.fixture
def shared(start_qwirkle: Start) -> Client:
    """A server of one worker behind a proxy, of whose four streams one address may have three."""
    settings = {
        "QWIRKLE_STREAMS": "4",
        "QWIRKLE_STREAMS_PER_CLIENT": "2",
        "QWIRKLE_STREAMS_PER_ADDRESS": "3",
        "QWIRKLE_TRUSTED_PROXIES": "1",
    }
    return client_for(start_qwirkle(workers=1, **settings))


def test_however_many_tokens_an_address_has_it_leaves_places_to_others(shared: Client) -> None:
    here, elsewhere = "192.0.2.1", "192.0.2.2"
    tables = [in_play(shared) for _ in range(2)]
    ours = [
        Stream(table, token, address=here)
        for table in tables
        for token in (table.host, *table.tokens)
    ]
    assert [stream.status for stream in ours] == [200, 200, 200, 429, 429, 429]
    assert b"Your address has 3 streams open" in ours[-1].raw
    waited = {"X-Forwarded-For": here}
    refused = tables[0].look(0, "/events?after=1&wait=30", headers=waited)
    refused.refused(429, "rate_limited")
    theirs = Stream(tables[0], tables[0].tokens[0], address=elsewhere)
    assert theirs.status == 200
    hang_up([*ours, theirs])
    until(lambda: admitted(tables[0], tables[0].tokens[0], here))


def committed(server: QwirkleServer, table: Table, count: int) -> None:
    """So many exchanges, straight into the store: far more than a player could make."""
    client = connect(server.redis_url, timeout=5, connections=1)
    games = Games(
        RedisGameStore(client),
        Keyring(["s" * 32]),
        lambda: time_ns() // 1_000_000,
        token_bytes,
        3_600_000,
        3_600_000,
    )
    seen = load_and_advance(games, table.id)
    for _ in range(count):
        seat = seen.session.game.mover
        assert seat is not None
        hand = seen.session.game.player(seat).hand
        done = games.commit_step(seen, exchange(seen.session.game, seat, hand[:1]))
        seen = seen._replace(session=done.session, nonce=done.nonce)
    client.close()


def test_a_slow_reader_holds_nobody_up_and_misses_nothing(kept_qwirkle: Start) -> None:
    server = kept_qwirkle()
    table = in_play(client_for(server))
    count = 600
    with Stream(table, buffer=2048) as slow, Stream(table) as quick:
        with meanwhile(lambda: quick.take(count + 1)) as (heard,):
            committed(server, table, count)
            assert [message.n for message in heard.result()] == list(range(1, count + 2))
        assert [message.n for message in slow.take(count + 1)] == list(range(1, count + 2))


@pytest.mark.soak
def test_a_stream_that_is_never_read_is_given_up_without_a_word(start_qwirkle: Start) -> None:
    server = start_qwirkle(workers=1)
    table = in_play(client_for(server))
    with Stream(table, buffer=2048) as never_read:
        committed(server, table, 15_000)
        ours = never_read.line.sock.getsockname()[1]
        until(lambda: ours not in peers_of(server), timeout=200)
    assert "Traceback" not in server.errors
