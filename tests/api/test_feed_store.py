"""What the feed makes of its streams in the store: of what never happened, is gone or was lost."""

import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

import redis

from service.games.feed import PENDING_MS
from service.store import keys
from service.store.client import connect
from service.store.game_index import SHARDS, FeedEvent, GameIndex, Listing, shard_of
from tests.api.client import Table
from tests.api.feeds import Feed, feed_stream, play_a_game


@contextmanager
def store_of(feed: Feed) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(feed.url) as store:
        yield store


def table_in(feed: Feed, shard: int) -> Table:
    """A new game in this part of the tenant's games."""
    while True:
        table = feed.client.create(api_key=feed.key)
        if shard_of(table.id) == shard:
            return table
        table.delete().ok(204)


# What has not happened


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


def test_what_follows_many_events_of_games_that_are_gone_is_told_at_once(feed: Feed) -> None:
    gone = feed.client.create(api_key=feed.key)
    key = keys.feed_key(feed.tenant, shard_of(gone.id))
    with store_of(feed) as store:
        ((id_, told),) = store.xrange(key)
        store.delete(key, *store.keys(f"qw:{{{gone.id}}}:*"))
        # So long ago that nobody waits for their commits.
        then = int(id_.partition(b"-")[0]) - 2 * PENDING_MS
        for number in range(600):
            store.xadd(key, told, f"{then}-{number + 1}")
    table = table_in(feed, shard_of(gone.id))
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


# What is no longer kept


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
        table = feed.client.create(api_key=feed.key)
        assert next(stream).data["game_id"] == table.id
