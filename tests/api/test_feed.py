"""One feed of all a tenant's games: nothing is missing, nothing is shown too soon or too much."""

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, takewhile
from typing import Any

import pytest
import redis

from service.games.feed import PENDING_MS
from service.store import keys
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.game_index import SHARDS, FeedEvent, GameIndex, Listing, shard_of
from tests.api.client import Client, Table, client_of, tiles_of
from tests.api.feeds import Feed, feed_stream
from tests.live.streams import meanwhile
from tests.servers import SHARED, QwirkleServer

_numbers = count(1)


@pytest.fixture(scope="module")
def house(
    store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> tuple[Client, str]:
    named = ",".join(f"f{number}:key-of-feed-{number}" for number in range(1, 60))
    settings = SHARED | {"QWIRKLE_API_KEYS": named}
    server = kept_qwirkle(redis_url=store_server.url, workers=2, **settings)
    return client_of(server), store_server.url


@pytest.fixture
def feed(house: tuple[Client, str]) -> Feed:
    number = next(_numbers)
    client, url = house
    return Feed(client, f"key-of-feed-{number}", f"f{number}", url)


HANDS = [tiles_of("ro rs rd b*"), tiles_of("bo go")]
LAST_PLAY = {
    "board": [{"tile": "red-circle", "x": 0, "y": 0}],
    "hands": [tiles_of("rs"), tiles_of("b*")],
    "bag": [],
    "turn": 0,
}


def play_a_game(feed: Feed) -> Table:
    """Two players with refs, from the creation to the end."""
    players = [{"name": "Ada", "ref": "ada"}]
    setup = {"hands": HANDS, "bag": []}
    table = feed.client.create(api_key=feed.key, players=players, seats=2, setup=setup)
    table.join("Ben", body={"ref": "ben"}).ok(201)
    table.bid(0, 3).ok(201)
    table.bid(1, 2).ok(201)
    table.play(0, "ro@0,0 rs@1,0 rd@2,0").ok(201)
    table.resign(1).ok(201)
    return table


def test_the_feed_tells_a_whole_game(feed: Feed) -> None:
    table = play_a_game(feed)
    events = feed.all()
    told = [(each["version"], each["type"], each["seat"], each["status"]) for each in events]
    assert told == [
        (1, "created", None, "waiting"),
        (2, "joined", 1, "bidding"),
        (3, "bid", 0, "bidding"),
        (4, "bid", 1, "playing"),
        (5, "played", 0, "playing"),
        (6, "resigned", 1, "finished"),
    ]
    to_act = [[each["ref"] for each in event["players"] if each["to_act"]] for event in events]
    assert to_act == [[], ["ada", "ben"], ["ben"], ["ada"], ["ben"], []]
    assert {each["game_id"] for each in events} == {table.id}
    last = events[-1]
    assert (last["end"], last["winners"]) == ("last_player", [0])
    assert [each["score"] for each in last["players"]] == [3, 0]
    log = table.look(rest="/events").ok(200).json["events"]
    assert [each["at"] for each in events] == [each["at"] for each in log]
    assert [each["id"] for each in events] == [f"{table.id}-{each['id']}" for each in log]


def test_the_feed_tells_who_has_come_to_a_rematch(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}, {"name": "Ben", "ref": "ben"}]
    table = feed.client.create(api_key=feed.key, players=players, setup=LAST_PLAY)
    table.play(0, "rs@1,0").ok(201)
    start = feed.page(after="now")["last"]
    asked = [table.act(seat, "rematch").ok(201).json["game"]["id"] for seat in (0, 1, 1)]
    events = feed.all(after=start)
    told = [each for each in events if each["type"] == "rematch"]
    assert [(each["game_id"], each["status"]) for each in told] == [(table.id, "finished")] * 2
    assert [each["rematch"] for each in told] == [
        {"game_id": asked[0], "seats": [0]},
        {"game_id": asked[0], "seats": [0, 1]},
    ]
    assert [each["ref"] for each in told[0]["players"]] == ["ada", "ben"]
    assert len({each["id"] for each in events}) == len(events)
    begun = [each for each in events if each["game_id"] == asked[0]]
    assert [each["type"] for each in begun] == ["created", "joined", "dealt"]
    assert {each["rematch"] for each in begun} == {None}


def test_what_follows_many_events_of_games_that_are_gone_is_told_at_once(feed: Feed) -> None:
    gone = feed.client.create(api_key=feed.key)
    key = keys.feed_key(feed.tenant, shard_of(gone.id))
    with redis.Redis.from_url(feed.url) as store:
        ((id_, told),) = store.xrange(key)
        store.delete(key, *store.keys(f"qw:{{{gone.id}}}:*"))
        # So long ago that nobody waits for their commits.
        then = int(id_.partition(b"-")[0]) - 2 * PENDING_MS
        for number in range(600):
            store.xadd(key, told, f"{then}-{number + 1}")
    while True:
        table = feed.client.create(api_key=feed.key)
        if shard_of(table.id) == shard_of(gone.id):
            break
        table.delete().ok(204)
    lines = stream_lines(feed)
    before = list(takewhile(lambda line: table.id.encode() not in line, lines))
    assert b": waiting\n" not in before
    assert table.id in {each["game_id"] for each in feed.all(limit=1)}


def stream_lines(feed: Feed) -> Iterator[bytes]:
    """The lines of the stream as they come."""
    headers = {"Authorization": f"Bearer {feed.key}"}
    request = urllib.request.Request(f"{feed.client.base_url}/v1/events/stream", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        yield from answer


def test_the_feed_tells_who_left_and_who_was_removed(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}]
    table = feed.client.create(api_key=feed.key, players=players, seats=3)
    table.join("Ben", body={"ref": "ben"}).ok(201)
    table.join("Cat").ok(201)
    table.resign(1).ok(201)
    table.remove(0).ok(204)
    table.remove(2).ok(204)
    table.join("Dan", body={"ref": "dan"}).ok(201)
    events = feed.all()
    told = [(each["type"], each["seat"], each["ref"], each["removed"]) for each in events]
    assert told == [
        ("created", None, None, False),
        ("joined", 1, "ben", False),
        ("joined", 2, None, False),
        ("resigned", 1, "ben", False),
        ("resigned", 0, "ada", True),
        ("resigned", 2, None, True),
        ("joined", 0, "dan", False),
    ]
    assert [each["ref"] for each in events[-1]["players"]] == ["dan"]


def test_no_event_shows_a_tile(feed: Feed) -> None:
    play_a_game(feed)
    page = feed.page()
    assert not [name for name in tiles_of("ro rs rd b* bo go") if name in str(page)]


def test_pages_go_on_from_any_cursor(feed: Feed) -> None:
    for _ in range(3):
        play_a_game(feed)
    events = feed.all()
    assert len(events) == 18
    for number in (0, 7, 17):
        rest = feed.all(after=events[number]["cursor"], limit=4)
        assert [each["id"] for each in rest] == [each["id"] for each in events[number + 1 :]]


def test_from_now_on_skips_the_past(feed: Feed) -> None:
    play_a_game(feed)
    now = feed.page(after="now")
    assert (now["events"], now["resync"]) == ([], False)
    table = feed.client.create(api_key=feed.key)
    assert [each["game_id"] for each in feed.all(after=now["last"])] == [table.id]


def test_a_long_poll_is_answered_by_the_next_event(feed: Feed) -> None:
    start = feed.page(after="now")["last"]
    with meanwhile(lambda: feed.page(after=start, wait=20)) as (waiting,):
        table = feed.client.create(api_key=feed.key)
        (event,) = waiting.result(20)["events"]
    assert (event["type"], event["game_id"]) == ("created", table.id)
    quiet = feed.page(after=event["cursor"], wait=1)
    assert quiet["events"] == []


def test_a_stream_tells_what_happens_and_goes_on_where_it_broke_off(feed: Feed) -> None:
    with feed_stream(feed, after="now") as stream:
        table = play_a_game(feed)
        first = [next(stream) for _ in range(3)]
    assert [each.data["type"] for each in first] == ["created", "joined", "bid"]
    assert all(each.id == each.data["cursor"] for each in first)
    with feed_stream(feed, last=first[-1].id) as stream:
        rest = [next(stream) for _ in range(3)]
    assert [each.data["version"] for each in rest] == [4, 5, 6]
    assert rest[-1].data["game_id"] == table.id


def test_a_stream_that_breaks_off_before_its_first_event_is_resumed(feed: Feed) -> None:
    play_a_game(feed)
    with feed_stream(feed, after="now") as stream:
        assert stream.block() == {"id": stream.last_id}
    table = feed.client.create(api_key=feed.key)
    with feed_stream(feed, last=stream.last_id) as resumed:
        assert resumed.block() == {"id": stream.last_id}
        assert next(resumed).data["game_id"] == table.id


def test_a_tenant_hears_of_its_own_games_alone(feed: Feed, house: tuple[Client, str]) -> None:
    number = next(_numbers)
    other = Feed(house[0], f"key-of-feed-{number}", f"f{number}", house[1])
    mine, theirs = play_a_game(feed), play_a_game(other)
    assert {each["game_id"] for each in feed.all()} == {mine.id}
    assert {each["game_id"] for each in other.all()} == {theirs.id}
    # A place in another's feed is a place, not a key to it.
    assert feed.page(after=other.all()[0]["cursor"])["events"] == []


def test_nobody_but_a_tenant_may_ask(feed: Feed) -> None:
    table = play_a_game(feed)
    for path in ("/v1/events", "/v1/events/stream"):
        feed.client.get(path).refused(403, "api_key_required")
        for token in ("wrong", table.host, table.tokens[0]):
            feed.client.get(path, token=token).refused(401, "token_invalid")


@pytest.mark.parametrize("query", ["after=1", "limit=0", "limit=1001", "wait=31", "cursor=x"])
def test_a_malformed_query_is_refused(feed: Feed, query: str) -> None:
    answer = feed.client.get(f"/v1/events?{query}", token=feed.key)
    answer.refused(400, "malformed_request")


# Games that are gone


def test_a_deleted_game_is_told_as_deleted_alone(feed: Feed) -> None:
    table, kept = play_a_game(feed), play_a_game(feed)
    before = feed.all()[-1]["cursor"]
    table.delete().ok(204)
    (event,) = feed.all(after=before)
    assert (event["type"], event["game_id"], event["version"]) == ("deleted", table.id, 6)
    assert event["id"].endswith("-deleted")
    assert {each["game_id"] for each in feed.all() if each["type"] != "deleted"} == {kept.id}


def test_nobody_has_to_act_in_a_deleted_game(feed: Feed) -> None:
    players = [{"name": "Ada", "ref": "ada"}, {"name": "Ben", "ref": "ben"}]
    bidding = feed.client.create(api_key=feed.key, players=players)
    bidding.deal().ok(200)
    playing = feed.client.create(api_key=feed.key, players=players, setup=LAST_PLAY)
    start = feed.all()[-1]["cursor"]
    bidding.delete().ok(204)
    playing.delete().ok(204)
    told = {each["status"]: each for each in feed.all(after=start)}
    assert told.keys() == {"bidding", "playing"}
    for event in told.values():
        assert [each["to_act"] for each in event["players"]] == [False, False]
        assert event["turn"] is None


def test_a_refused_deletion_is_not_told(feed: Feed) -> None:
    table = play_a_game(feed)
    table.delete(match='"another"').refused(412, "stale_version")
    assert all(each["type"] != "deleted" for each in feed.all())


# What is in the stream of the store, and has not happened


def add(feed: Feed, game_id: str, n: int, nonce: bytes = b"nonce of") -> None:
    index = GameIndex(connect(feed.url, timeout=10, connections=2))
    body = b'{"type":"played","game_id":"%b","version":%d}' % (game_id.encode(), n)
    listing = Listing(feed.tenant, game_id, 0, frozenset())
    index.announce(listing, 0, FeedEvent(game_id, n, nonce, body))


def test_an_event_of_another_than_the_committed_one_is_left_out(feed: Feed) -> None:
    table = play_a_game(feed)
    add(feed, table.id, 6)
    assert [each["version"] for each in feed.all()] == [1, 2, 3, 4, 5, 6]


def test_an_event_that_may_still_be_committed_holds_back_what_comes_after_it(feed: Feed) -> None:
    """And nothing in other slots; without a commit it is left out after ten seconds."""
    table = play_a_game(feed)
    add(feed, table.id, 7)
    later = table_in(feed, shard_of(table.id))
    elsewhere = table_in(feed, (shard_of(table.id) + 1) % SHARDS)
    told = {each["game_id"] for each in feed.all()}
    assert elsewhere.id in told
    assert later.id not in told
    start = feed.all()[-1]["cursor"]
    told_later = feed.page(after=start, wait=20)["events"]
    assert told_later[0]["game_id"] == later.id


def table_in(feed: Feed, shard: int) -> Table:
    """A new game in this part of the tenant's games."""
    while True:
        table = feed.client.create(api_key=feed.key)
        if shard_of(table.id) == shard:
            return table
        table.delete().ok(204)


# What is no longer kept


@contextmanager
def store_of(feed: Feed) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(feed.url) as store:
        yield store


def test_a_place_whose_next_events_are_no_longer_kept_gets_a_resync(feed: Feed) -> None:
    table = play_a_game(feed)
    start = feed.all()[1]["cursor"]
    with store_of(feed) as store:
        store.xtrim(keys.feed_key(feed.tenant, shard_of(table.id)), maxlen=2, approximate=False)
    page = feed.page(after=start)
    assert (page["resync"], page["events"]) == (True, [])
    with feed_stream(feed, last=start) as stream:
        assert next(stream).event == "resync"
    after = feed.client.create(api_key=feed.key)
    assert [each["game_id"] for each in feed.all(after=page["last"])] == [after.id]
    # From the oldest event on there is no gap to speak of.
    assert [each["version"] for each in feed.all() if each["game_id"] == table.id] == [5, 6]


def test_a_place_that_the_store_has_lost_gets_a_resync(feed: Feed) -> None:
    table = play_a_game(feed)
    last = feed.all()[-1]["cursor"]
    with store_of(feed) as store:
        store.delete(keys.feed_key(feed.tenant, shard_of(table.id)))
    assert feed.page(after=last)["resync"]


def test_an_id_of_no_feed_gets_a_resync(feed: Feed) -> None:
    play_a_game(feed)
    with feed_stream(feed, last="17") as stream:
        assert next(stream).event == "resync"
        table: Any = feed.client.create(api_key=feed.key)
        assert next(stream).data["game_id"] == table.id
