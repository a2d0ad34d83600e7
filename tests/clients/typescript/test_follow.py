"""A game is followed to its end, each event once, whatever happens to network and service."""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import pytest
import redis

from tests.api.client import Table
from tests.api.positions import in_play
from tests.clients.http_proxy import Answer, Fault, HttpProxy
from tests.clients.typescript.node_client import Call, ClientError, NodeClient
from tests.live.rollbacks import copies, roll_back
from tests.live.streams import client_for, exchanges, log_of
from tests.proxy import until
from tests.servers import QwirkleServer

OpenClient = Callable[..., NodeClient]

STREAMS = "GET .*/events/stream"
POLLS = "GET .*/events"
AN_EVENT_STREAM = {"Content-Type": "text/event-stream"}


@pytest.fixture
def store(valkey_server: QwirkleServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(valkey_server.redis_url) as client:
        yield client


def ben_of(client: NodeClient, table: Table, **options: Any) -> Call:
    return client.game(table.id, table.tokens[1]).follow(**options)


def test_every_event_comes_once_until_the_end(client: NodeClient, table: Table) -> None:
    exchanges(table, 3)
    following = ben_of(client, table)
    assert following.numbers(4) == [1, 2, 3, 4]
    table.resign(0).ok(201)
    (last,) = following.rest()
    assert (last["type"], last["end"], last["winners"]) == ("resigned", "last_player", [1])
    assert ben_of(client, table).rest() == log_of(table, table.tokens[1])
    assert [event["n"] for event in ben_of(client, table, after=3).rest()] == [4, 5]
    assert following.connections == ["live"]


@pytest.mark.parametrize("streams", [True, False])
def test_a_finished_game_has_nothing_more_to_tell(
    open_client: OpenClient, proxy: HttpProxy, table: Table, streams: bool
) -> None:
    table.resign(0).ok(201)
    client = open_client(proxy.base_url, options={"streams": streams})
    assert ben_of(client, table, after=2).rest() == []
    assert len(proxy.seen) == 1


def test_a_player_who_waits_for_it_hears_of_a_rematch(client: NodeClient, table: Table) -> None:
    following = ben_of(client, table, rematch=True)
    watched = client.game(table.id, None).follow(rematch=True)
    assert following.numbers(1) == watched.numbers(1) == [1]
    table.resign(0).ok(201)
    assert following.numbers(1) == [2]
    asked = table.act(0, "rematch").ok(201).json
    offer = {"game_id": asked["game"]["id"], "seats": [0]}
    assert following.next() == {"type": "rematch", **offer}
    table.act(1, "rematch").ok(201)
    assert [event["seats"] for event in following.rest()] == [[0, 1]]
    assert [event["type"] for event in watched.rest()] == ["resigned"]


def test_a_player_sees_their_own_draws_and_nobody_elses(client: NodeClient, table: Table) -> None:
    exchanges(table, 1)
    for token, count in ((table.tokens[0], 1), (table.tokens[1], None), (None, None)):
        event = client.game(table.id, token).follow(after=1).next()
        assert event is not None
        assert (len(event["drew"]) if event["drew"] else None) == count


def test_a_stream_that_is_cut_is_resumed(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    following = ben_of(client, table)
    assert following.numbers(1) == [1]
    for n in range(2, 5):
        proxy.cut_all()
        exchanges(table, 1)
        assert following.numbers(1) == [n]
    resumed_after = [each.headers.get("last-event-id", "") for each in proxy.asked(STREAMS)]
    assert [id_.partition("-")[0] for id_ in resumed_after] == ["", "1", "2", "3"]
    assert proxy.asked(POLLS) == []
    assert following.connections == ["live"]


def test_a_game_is_polled_where_streams_do_not_get_through_and_streamed_again_later(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    exchanges(table, 2)
    trouble = proxy.trouble(STREAMS, Answer(502), times=2)
    following = ben_of(client, table)
    assert following.numbers(3) == [1, 2, 3]
    assert (trouble.over, following.connections) == (True, ["polling"])
    exchanges(table, 1)
    assert following.numbers(1) == [4]
    assert len(proxy.asked(STREAMS)) == 2
    until(lambda: proxy.seen[-1].line.endswith("wait=25"))
    client.skip(61)
    exchanges(table, 2)
    # The poll under way may still bring the first of them.
    assert following.numbers(2) == [5, 6]
    until(lambda: following.connections == ["polling", "live"])
    exchanges(table, 1)
    assert following.numbers(1) == [7]
    assert len(proxy.asked(STREAMS)) == 3


@pytest.mark.parametrize(
    "fault",
    [Fault.HOLD, Fault.CUT, Answer(200, b"", AN_EVENT_STREAM)],
    ids=["held back", "cut", "ended at once"],
)
def test_a_proxy_that_holds_streams_back_is_noticed(
    client: NodeClient, proxy: HttpProxy, table: Table, fault: Fault | Answer
) -> None:
    proxy.trouble(STREAMS, fault, times=1000)
    exchanges(table, 1)
    assert ben_of(client, table).numbers(2) == [1, 2]
    assert len(proxy.asked(STREAMS)) <= 2


def test_polls_fail_and_go_on_too(client: NodeClient, proxy: HttpProxy, table: Table) -> None:
    proxy.trouble(STREAMS, Answer(503, headers={"Retry-After": "1"}), times=1000)
    proxy.trouble(POLLS, Fault.TRUNCATE)
    proxy.trouble(POLLS, Fault.CUT)
    exchanges(table, 4)
    following = ben_of(client, table)
    assert following.numbers(5) == [1, 2, 3, 4, 5]
    table.resign(0).ok(201)
    assert [event["type"] for event in following.rest()] == ["resigned"]


def test_lost_events_are_told_on_the_stream(
    client: NodeClient, store: redis.Redis, table: Table
) -> None:
    before = copies(store, table.id)
    exchanges(table, 3)
    following = ben_of(client, table, after=1)
    assert following.numbers(3) == [2, 3, 4]
    roll_back(store, before)
    exchanges(table, 1)
    resync = following.next()
    assert resync is not None
    assert (resync["type"], resync["last"] in {1, 2}) == ("resync", True)
    exchanges(table, 1)
    assert following.numbers(3 - resync["last"]) == list(range(resync["last"] + 1, 4))


@pytest.mark.parametrize("again", [1, 5])
def test_lost_events_are_told_by_polls(
    open_client: OpenClient, proxy: HttpProxy, store: redis.Redis, table: Table, again: int
) -> None:
    """Also if others have taken their numbers by then."""
    before = copies(store, table.id)
    exchanges(table, 3)
    following = ben_of(open_client(proxy.base_url, options={"streams": False}), table, after=1)
    assert following.numbers(3) == [2, 3, 4]
    until(lambda: proxy.seen[-1].line.endswith("wait=25"))
    roll_back(store, before)
    exchanges(table, again)
    proxy.cut_all()
    resync = following.next()
    assert resync is not None
    assert (resync["type"], 1 <= resync["last"] <= 1 + again) == ("resync", True)
    exchanges(table, 1)
    expected = list(range(resync["last"] + 1, 3 + again))
    assert following.numbers(len(expected)) == expected


@pytest.mark.parametrize("streams", [True, False])
def test_a_number_that_the_log_does_not_have_is_a_resync(
    open_client: OpenClient, proxy: HttpProxy, table: Table, streams: bool
) -> None:
    client = open_client(proxy.base_url, options={"streams": streams})
    assert ben_of(client, table, after=9).next() == {"type": "resync", "last": 1}


def test_a_deleted_game_is_told(client: NodeClient, proxy: HttpProxy, table: Table) -> None:
    streamed = ben_of(client, table)
    assert streamed.numbers(1) == [1]
    proxy.trouble(STREAMS, Fault.CUT, times=1000)
    polled = ben_of(client, table)
    assert polled.numbers(1) == [1]
    client.game(table.id, table.host).call("delete")
    for following in (streamed, polled):
        with pytest.raises(ClientError) as deleted:
            following.next()
        assert deleted.value.name == "GameDeleted"
    with pytest.raises(ClientError) as unknown:
        ben_of(client, table).next()
    assert (unknown.value.name, unknown.value.code) == ("NotFound", "game_not_found")


def test_a_void_token_ends_it_and_a_renewed_one_does_not(
    open_client: OpenClient, proxy: HttpProxy, table: Table
) -> None:
    client, other = open_client(proxy.base_url), open_client(proxy.base_url)
    ours, theirs = ben_of(client, table), ben_of(other, table)
    assert ours.numbers(1) == theirs.numbers(1) == [1]
    table.tokens[1] = client.game(table.id, table.tokens[1]).call("renewToken", None)["token"]
    exchanges(table, 1)
    assert ours.numbers(1) == [2]
    with pytest.raises(ClientError) as void:
        theirs.rest()
    assert void.value.name == "TokenRefused"


def test_patience_ends(client: NodeClient, proxy: HttpProxy, table: Table) -> None:
    following = ben_of(client, table, patience=3000)
    assert following.numbers(1) == [1]
    proxy.trouble("GET .*", Fault.CUT, times=10_000)
    proxy.cut_all()
    began = monotonic()
    with pytest.raises(ClientError) as away:
        following.next()
    assert away.value.name == "NoAnswer"
    assert monotonic() - began < 20


def test_something_else_than_the_service_is_an_error(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    page = Answer(200)
    broken = [Answer(200, data, AN_EVENT_STREAM) for data in (b"data: {\n\n", b"data: 7\n\n")]
    for answer in (page, *broken):
        proxy.trouble(STREAMS, answer)
        with pytest.raises(ClientError) as unexpected:
            ben_of(client, table).next()
        assert unexpected.value.name == "UnexpectedAnswer"


def test_a_message_of_a_later_release_is_passed_on(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    body = b'event: rematch\ndata: {"game_id": "x"}\n\n'
    proxy.trouble(STREAMS, Answer(200, body, AN_EVENT_STREAM))
    following = ben_of(client, table)
    assert following.next() == {"type": "rematch", "game_id": "x"}
    assert following.numbers(1) == [1]


def test_who_stops_following_hangs_up(
    open_client: OpenClient, kept_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = kept_qwirkle(QWIRKLE_STREAMS_PER_CLIENT="1")
    table = in_play(client_for(server))
    client = open_client(server.base_url)
    for _ in range(3):
        following = ben_of(client, table)
        assert following.numbers(1) == [1]
        following.abort()
        with pytest.raises(ClientError) as aborted:
            following.next()
        assert aborted.value.name == "AbortError"
        until(lambda: "qwirkle_streams_open 0.0" in client.call("metrics"))
