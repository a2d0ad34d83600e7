"""Everybody is told everything, once and in order, and nothing that is another's."""

import re
from random import Random
from time import monotonic

import pytest
import redis

from service.rules.tiles import NAMES
from tests.api.client import Client, client_of
from tests.api.playing import play_to_the_end
from tests.api.positions import BAG, HAND, OTHER, at_the_bids, finished, in_play
from tests.live.streams import Message, Stream, exchanges, is_watched, log_of, meanwhile, polled
from tests.proxy import until
from tests.servers import QwirkleServer

TILE = re.compile("|".join(NAMES).encode())


def told(messages: list[Message]) -> list[object]:
    """What the messages hold, if they are named as their events are."""
    for message in messages:
        assert message.id == message.data["id"]
        assert message.event == message.data["type"]
    return [message.data for message in messages]


def test_a_stream_that_is_cut_at_every_event_misses_nothing_and_repeats_nothing(
    client: Client,
) -> None:
    table = client.create(players=2)
    heard: list[Message] = []
    with meanwhile(lambda: play_to_the_end(table, Random(4), counting=False)):
        last_id = None
        while not heard or heard[-1].data["end"] is None:
            with Stream(table, table.tokens[0], last_id) as stream:
                heard += stream.take(1)
                last_id = stream.last_id
    assert told(heard) == log_of(table, table.tokens[0])
    assert Stream(table, table.tokens[0], last_id).status == 204


def test_streams_long_polls_and_pages_tell_each_viewer_the_same_log(client: Client) -> None:
    table = client.create(players=3)
    viewers = [*table.tokens, table.tokens[0], table.host, None]
    streams = [Stream(table, token) for token in viewers]
    with meanwhile(*(stream.to_the_end for stream in streams)) as heard:
        play_to_the_end(table, Random(7), counting=False)
        logs = [log_of(table, token) for token in viewers]
        until = len(logs[0])
    for token, messages, log in zip(viewers, heard, logs, strict=True):
        assert told(messages.result()) == log
        assert polled(table, token, until) == log
    assert logs[0] == logs[3] != logs[1]
    assert logs[4] == logs[5]


def test_a_drawn_tile_is_in_its_owners_stream_alone(client: Client) -> None:
    # Nothing is laid, so every tile that a stream names was drawn.
    table = in_play(client)
    viewers = [*table.tokens, table.host, None]
    streams = [Stream(table, token) for token in viewers]
    exchanges(table, 6)
    drawn: list[set[bytes]] = [set(), set()]
    for event in log_of(table, table.tokens[0]) + log_of(table, table.tokens[1]):
        drawn[event["seat"] or 0] |= {tile.encode() for tile in event.get("drew") or ()}
    assert drawn[0]
    assert drawn[1]
    for stream in streams:
        stream.take(7)
    assert [set(TILE.findall(stream.raw)) for stream in streams] == [*drawn, set(), set()]


def test_what_is_dealt_is_in_its_owners_stream_alone(client: Client) -> None:
    table = client.create(players=2)
    streams = [Stream(table, token) for token in (*table.tokens, None)]
    table.deal().ok(200)
    hands = [sorted(set(table.hand(seat))) for seat in (0, 1)]
    for stream, hand in zip(streams, [*hands, []], strict=True):
        stream.take(2)
        assert sorted({tile.decode() for tile in TILE.findall(stream.raw)}) == hand


def test_a_stream_begins_after_the_event_that_the_query_names(client: Client) -> None:
    table = in_play(client)
    exchanges(table, 3)
    with Stream(table, after=2) as stream:
        assert [message.n for message in stream.take(2)] == [3, 4]
        assert stream.retry == 2000
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.headers["cache-control"] == "no-store"


def test_an_id_comes_before_the_query_and_may_be_a_bare_number(client: Client) -> None:
    table = in_play(client)
    exchanges(table, 3)
    with Stream(table, last_id="3", after=1) as stream:
        assert stream.next().n == 4  # type: ignore[union-attr]  # there is one


def test_the_last_event_of_a_game_closes_the_stream_and_then_there_is_none(
    client: Client,
) -> None:
    table = in_play(client)
    with Stream(table, after=1) as stream:
        table.resign(1).ok(201)
        (last,) = stream.rest()
    assert (last.data["end"], last.data["winners"]) == ("last_player", [0])
    assert Stream(table, last_id=last.id).status == 204
    assert Stream(table, after=2).status == 204
    with Stream(table) as again:
        assert [message.n for message in again.rest()] == [1, 2]


def test_a_waiting_request_is_answered_when_something_happens(
    client: Client, live_server: QwirkleServer
) -> None:
    table = in_play(client)
    with (
        redis.Redis.from_url(live_server.redis_url) as store,
        meanwhile(lambda: (polled(table, None, 2), monotonic())) as (waiting,),
    ):
        until(lambda: is_watched(store, table))
        exchanges(table, 1)
        happened = monotonic()
        events, answered = waiting.result()
    assert [event["type"] for event in events] == ["created", "exchanged"]
    assert answered - happened < 15


def test_a_waiting_request_comes_back_empty_when_nothing_happens(client: Client) -> None:
    table = in_play(client)
    etag = table.look(rest="/events").etag
    began = monotonic()
    page = table.look(rest="/events?after=1&wait=1").ok(200)
    assert monotonic() - began >= 1
    assert page.json == {"events": [], "last": 1}
    assert table.look(rest="/events?after=1&wait=1", headers={"If-None-Match": etag}).status == 304
    assert table.look(rest="/events", headers={"If-None-Match": etag}).status == 304


def test_nobody_waits_for_news_of_a_finished_game_or_of_events_it_does_not_have(
    client: Client,
) -> None:
    over, going_on = finished(client), in_play(client)
    began = monotonic()
    assert over.look(rest="/events?after=2&wait=30").ok(200).json["events"] == []
    assert going_on.look(rest="/events?after=5&wait=30").ok(200).json == {"events": [], "last": 1}
    assert monotonic() - began < 10


def test_pages_are_cut_at_their_limit(client: Client) -> None:
    table = in_play(client)
    exchanges(table, 3)
    page = table.look(rest="/events?after=1&limit=2").ok(200).json
    assert ([event["n"] for event in page["events"]], page["last"]) == ([2, 3], 4)


def test_bids_are_told_as_they_are_made(client: Client) -> None:
    table = at_the_bids(client)
    with Stream(table, after=1) as stream:
        table.bid(1, 2).ok(201)
        table.bid(0, 3).ok(201)
        bids = [(bid.data["seat"], bid.data["length"]) for bid in stream.take(2)]
    assert bids == [(1, 2), (0, 3)]


def test_a_page_is_never_a_stream_and_a_stream_never_a_page(client: Client) -> None:
    table = finished(client)
    for accept in ("*/*", "application/json, text/event-stream, */*", "text/event-stream"):
        header = {"Accept": accept}
        page = table.look(rest="/events", headers=header).ok(200)
        assert page.headers["content-type"] == "application/json"
        stream = table.look(rest="/events/stream", headers=header).ok(200)
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"


@pytest.mark.parametrize("query", ["wait=1", "limit=1", "after=-1", "after=x"])
def test_a_stream_takes_nothing_but_where_to_start(client: Client, query: str) -> None:
    answer = in_play(client).look(rest=f"/events/stream?{query}")
    assert answer.refused(400, "malformed_request").json["errors"][0]["pointer"].startswith("query")


def test_a_head_request_opens_no_stream(client: Client) -> None:
    table = in_play(client)
    answer = client.send("HEAD", table.path("/events/stream"))
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_deleting_a_game_is_the_last_that_its_streams_tell(client: Client) -> None:
    table = in_play(client)
    with Stream(table, after=1) as stream:
        table.delete().ok(204)
        (last,) = stream.rest()
    assert (last.event, last.data, last.id) == ("deleted", {}, None)


def test_a_stream_ends_when_its_token_is_void(client: Client) -> None:
    table = client.create(players=2, seats=3)
    with Stream(table, table.tokens[1], after=1) as mine, Stream(table, after=1) as watched:
        table.resign(1).ok(201)
        assert mine.rest() == []
        assert watched.take(1)[0].event == "resigned"
    assert Stream(table, table.tokens[1], after=1).status == 401


def test_streams_are_woken_through_every_kind_of_store(qwirkle_server: QwirkleServer) -> None:
    table = client_of(qwirkle_server).position("ro rs", HAND, OTHER, bag=BAG)
    with Stream(table) as stream:
        exchanges(table, 2)
        assert [message.n for message in stream.take(3)] == [1, 2, 3]
