"""Reads the feed of a tenant: what happened in all its games.

Events are added to the feed before they are committed. A reader checks each against the log of its
game: one that may still be committed is waited for, one that never was is left out.
"""

from dataclasses import dataclass, replace
from struct import Struct
from typing import Any, Final, NamedTuple, Self

import orjson

from service.games.listing import COMMIT_WITHIN_MS
from service.games.service import Games
from service.rules.yielding import paced
from service.store.base import StoreDamaged
from service.store.due_queue import DELETED
from service.store.game_index import FEED_TTL_MS, SHARDS
from service.store.tenant_feed import FeedEntry

PENDING_MS: Final = 2 * COMMIT_WITHIN_MS
"""For so long an event may wait for its commit; servers' clocks may differ by half of it."""

_CURSOR: Final = Struct(f">Q{SHARDS}Q")
FEED_CURSOR_BYTES: Final = _CURSOR.size


class FeedCursor(NamedTuple):
    """A place in the feed: the positions in all its shards, and when somebody was there."""

    at_ms: int
    positions: tuple[int, ...]

    def pack(self) -> bytes:
        """The cursor as bytes."""
        return _CURSOR.pack(self.at_ms, *self.positions)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The cursor in these bytes."""
        at_ms, *positions = _CURSOR.unpack(data)
        return cls(at_ms, tuple(positions))


class ToldEvent(NamedTuple):
    """An event of the feed, and the place after it."""

    event: dict[str, Any]
    cursor: FeedCursor


@dataclass(frozen=True, slots=True)
class FeedPage:
    """Events of the feed and the place after them.

    ``resync`` says that events before that place were lost, ``pending`` that the next event may be
    committed at any moment, and ``more`` that others follow at once.
    """

    events: list[ToldEvent]
    last: FeedCursor
    resync: bool = False
    pending: bool = False
    more: bool = False


def feed_end(games: Games, tenant: str) -> FeedCursor:
    """The place after the newest event."""
    parts = [games.store.feed.read(tenant, shard, None, 0) for shard in range(SHARDS)]
    return FeedCursor(games.clock(), tuple(part.newest for part in parts))


def read_feed(
    games: Games, tenant: str, after: FeedCursor | None, limit: int, scanned: int | None = None
) -> FeedPage:
    """The next events after a place, or from the oldest one on, at most ``limit``.

    ``scanned`` is how many entries of each shard to look at, ``limit`` unless given.
    """
    scanned = scanned or limit
    now = games.clock()
    if after is not None and now - after.at_ms > FEED_TTL_MS:
        # What came after it may have expired.
        return FeedPage([], feed_end(games, tenant), resync=True)
    positions = after.positions if after else (None,) * SHARDS
    parts = [
        games.store.feed.read(tenant, shard, position, scanned)
        for shard, position in enumerate(positions)
    ]
    if any(part.lost for part in parts):
        newest = FeedCursor(now, tuple(part.newest for part in parts))
        return FeedPage([], newest, resync=True)
    entries = sorted(entry for part in parts for entry in part.entries)
    store_now = [part.now_ms for part in parts]
    page = _checked(games, entries, [each or 0 for each in positions], store_now, limit)
    return replace(page, more=any(len(part.entries) == scanned for part in parts))


def _checked(
    games: Games, entries: list[FeedEntry], places: list[int], store_now: list[int], limit: int
) -> FeedPage:
    """The events of these entries that have happened, until one is undecided in each shard."""
    now = games.clock()
    told: list[ToldEvent] = []
    waiting: set[int] = set()
    bodies = [orjson.loads(entry.event.body) for entry in paced(entries, games.pause)]
    deleted = {body["game_id"] for body in bodies if body["type"] == DELETED}
    for entry, body in paced(zip(entries, bodies, strict=True), games.pause):
        if entry.shard in waiting:
            continue
        happened = _has_happened(games, entry, deleted=body["type"] == DELETED)
        if happened is None and body["game_id"] in deleted:
            # Nothing will happen any more in a game that is gone.
            happened = None if _exists(games, body["game_id"]) else False
        if happened is None and store_now[entry.shard] - entry.added_ms < PENDING_MS:
            waiting.add(entry.shard)
            continue
        places[entry.shard] = entry.position
        if happened:
            cursor = FeedCursor(now, tuple(places))
            told.append(ToldEvent(body, cursor))
            if len(told) == limit:
                break
    return FeedPage(told, FeedCursor(now, tuple(places)), pending=bool(waiting))


def _exists(games: Games, game_id: str) -> bool:
    try:
        return games.store.load(game_id) is not None
    except StoreDamaged:
        return False


def _has_happened(games: Games, entry: FeedEntry, *, deleted: bool) -> bool | None:
    """Whether the event was committed or the game deleted; None if that may still happen."""
    event = entry.event
    try:
        log = games.store.load_log(event.game_id, event.n - 1, 1)
    except StoreDamaged:
        return False  # one damaged game must not stop the feed
    there = bool(log) and log[0].nonce == event.nonce
    if deleted:
        return None if there else True
    return there if log else None
