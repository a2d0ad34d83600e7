"""The event stream of a tenant's feed; like that of a game, it uses nothing of Flask."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Final

import orjson

from service.api.fields import cursor_text
from service.api.rules_json import Document
from service.api.sse import (
    HEARTBEAT,
    HEARTBEAT_SECONDS,
    PAUSE_SECONDS,
    RETRY,
    UntilDisconnect,
    come_back,
)
from service.games.feed import FeedCursor, ToldEvent, read_feed
from service.games.service import Games
from service.store.base import StoreUnavailable
from service.store.pubsub import PubSub, Watch
from service.store.tenant_feed import feed_channels

AT_ONCE: Final = 256
"""Events read at once for a stream that is far behind, so that memory stays bounded."""

PENDING_SECONDS: Final = 0.05


@dataclass(frozen=True, slots=True)
class FeedStream:
    """The stream of one tenant's feed."""

    games: Games
    pubsub: PubSub
    tenant: str
    until_disconnect: UntilDisconnect

    def messages(self, start: FeedCursor | None, *, resync: bool = False) -> Generator[bytes]:
        """The stream from this place on, or from the oldest event on.

        It begins with the id of the place, so that a client that loses the connection before the
        first event knows where to go on.
        """
        yield RETRY
        if start is not None:
            yield _resync(start) if resync else b"id: %b\n\n" % _id(start)
        channels = feed_channels(self.tenant)
        with self.pubsub.watch(*channels) as watch, self.until_disconnect(watch.end):
            yield from self._follow(watch, start)
        if self.pubsub.closed:
            yield come_back()

    def _follow(self, watch: Watch, place: FeedCursor | None) -> Iterator[bytes]:
        beat = monotonic() + HEARTBEAT_SECONDS
        while not watch.ended:
            try:
                page = read_feed(self.games, self.tenant, place, AT_ONCE)
            except StoreUnavailable:
                # Nothing is lost: the feed is read again until the store is back.
                timeout = PAUSE_SECONDS
            else:
                place = page.last
                if page.resync:
                    yield _resync(place)
                for told in page.events:
                    yield _message(told)
                if page.events:
                    beat = monotonic() + HEARTBEAT_SECONDS
                if page.events or page.more:
                    continue
                timeout = PENDING_SECONDS if page.pending else HEARTBEAT_SECONDS
            if not watch.wait(min(timeout, beat - monotonic())) and monotonic() >= beat:
                beat = monotonic() + HEARTBEAT_SECONDS
                yield HEARTBEAT


def serialize_told(told: ToldEvent) -> Document:
    """An event of the feed, with the place to go on from."""
    return {"cursor": cursor_text(told.cursor.pack()), **told.event}


def _message(told: ToldEvent) -> bytes:
    event = serialize_told(told)
    cursor, type_ = event["cursor"].encode(), event["type"].encode()
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (cursor, type_, orjson.dumps(event))


def _resync(place: FeedCursor) -> bytes:
    """Events were lost: the client lists its games again and goes on from here."""
    cursor = _id(place)
    return b'id: %b\nevent: resync\ndata: {"last":"%b"}\n\n' % (cursor, cursor)


def _id(place: FeedCursor) -> bytes:
    return cursor_text(place.pack()).encode()
