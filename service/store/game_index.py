"""Lists of a tenant's games, newest action first.

Lists cannot share a game's hash slot, so they are hints: written just before the commit, and
checked against the game when they are read. A tenant's games are spread over several slots, so
that no server of a Cluster has to serve all of them.
"""

import threading
from base64 import b32decode, b32encode
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import merge
from typing import Final, NamedTuple

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import script

INDEX_GAME = script("index_game")
READ_LISTS = script("read_lists")
CORRECT_LISTS = script("correct_lists")
RESTORE_LISTS = script("restore_lists")

SHARDS: Final = 8
FEED_LENGTH: Final = 100_000
"""How many events the feed of a tenant keeps, about."""

FEED_TTL_MS: Final = 7 * 24 * 60 * 60 * 1000
"""How long the feed of a tenant is kept after its newest event."""

MOST_OBSOLETE: Final = 64
"""Obsolete entries removed with one write."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A game's place in the lists: which ones, and the time of its newest event."""

    tenant: str
    game_id: str
    updated_ms: int
    lists: frozenset[str]


class ListEntry(NamedTuple):
    """An entry as it was read; entries sort by their position in the merged lists."""

    updated_ms: int
    raw_id: bytes
    list: str

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return encoded_id(self.raw_id)


@dataclass(frozen=True, slots=True)
class Correction:
    """An entry that does not fit its game; ``right_ms`` is None if it has to be removed."""

    entry: ListEntry
    right_ms: int | None


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """What the feed tells of a game's event number ``n``, which has this nonce.

    ``news`` is what it is about if not about that event: the deletion of the game, or something
    that happened after the event.
    """

    game_id: str
    n: int
    nonce: bytes
    body: bytes
    news: str = ""


class GameIndex:
    """The lists of a store, as seen by one process."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)
        self._obsolete: defaultdict[tuple[str, int], list[Listing]] = defaultdict(list)
        self._lock = threading.Lock()

    def announce(self, listing: Listing, ttl_ms: int, event: FeedEvent) -> int:
        """Add a game to the lists where the next commit makes it belong, its event to the feed.

        ``ttl_ms`` is how long a game in these lists exists without another event. Returns when
        this was, in Unix milliseconds by the store's clock.
        """
        shard = shard_of(listing.game_id)
        names = sorted(listing.lists)
        obsolete = self._take_obsolete(listing.tenant, shard)
        removed = [(each, name) for each in obsolete for name in sorted(each.lists)]
        all_names = (*names, *(name for _, name in removed))
        id_ = self._executor.run_confirmed(
            INDEX_GAME,
            1 + len(all_names),
            keys.feed_key(listing.tenant, shard),
            *(keys.list_key(listing.tenant, shard, name) for name in all_names),
            len(names),
            raw_id(listing.game_id),
            listing.updated_ms,
            ttl_ms,
            event.n,
            event.nonce,
            event.body,
            FEED_LENGTH // SHARDS,
            FEED_TTL_MS,
            keys.feed_channel(listing.tenant, shard),
            *(value for each, _ in removed for value in (raw_id(each.game_id), each.updated_ms)),
        )
        return int(id_.partition(b"-")[0])

    def remove_later(self, listing: Listing) -> None:
        """Remove the game from lists that it has left, with the next write to their slot.

        So that costs no round trip. If this process ends before, readers find the entries obsolete.
        """
        if listing.lists:
            with self._lock:
                self._obsolete[listing.tenant, shard_of(listing.game_id)].append(listing)

    def remove(self, listing: Listing) -> None:
        """Remove a deleted game from its lists."""
        entries = [
            ListEntry(listing.updated_ms, raw_id(listing.game_id), name) for name in listing.lists
        ]
        self.correct(listing.tenant, [Correction(entry, None) for entry in entries])

    def read(
        self, tenant: str, lists: Sequence[str], after: tuple[int, bytes] | None, limit: int
    ) -> list[ListEntry]:
        """The next entries of these lists together, newest first; at most ``limit``."""
        time, id_ = after or ("", b"")
        found: list[list[ListEntry]] = []
        for shard in range(SHARDS):
            names = [keys.list_key(tenant, shard, name) for name in lists]
            answer = self._executor.run(READ_LISTS, len(names), *names, limit, time, id_)
            for name, entries in zip(lists, answer, strict=True):
                pairs = zip(entries[::2], entries[1::2], strict=True)
                found.append([ListEntry(int(score), raw, name) for raw, score in pairs])
        return list(merge(*found, reverse=True))[:limit]

    def correct(self, tenant: str, corrections: Iterable[Correction]) -> None:
        """Correct these entries, except those that have changed since they were read."""
        by_shard: defaultdict[int, list[Correction]] = defaultdict(list)
        for each in corrections:
            by_shard[shard_of(each.entry.game_id)].append(each)
        for shard, some in by_shard.items():
            self._executor.run(
                CORRECT_LISTS,
                len(some),
                *(keys.list_key(tenant, shard, each.entry.list) for each in some),
                *(value for each in some for value in _arguments(each)),
            )

    def restore(self, listing: Listing, left_ms: int) -> int:
        """Add the game, which exists for ``left_ms`` more, to lists that lack it; how many did."""
        shard = shard_of(listing.game_id)
        names = [keys.list_key(listing.tenant, shard, name) for name in listing.lists]
        id_, time = raw_id(listing.game_id), listing.updated_ms
        added: int = self._executor.run(RESTORE_LISTS, len(names), *names, id_, time, left_ms)
        return added

    def _take_obsolete(self, tenant: str, shard: int) -> list[Listing]:
        with self._lock:
            waiting = self._obsolete.pop((tenant, shard), [])
            if len(waiting) > MOST_OBSOLETE:
                self._obsolete[tenant, shard] = waiting[MOST_OBSOLETE:]
        return waiting[:MOST_OBSOLETE]


def raw_id(game_id: str) -> bytes:
    """The 16 bytes that a game's id is made of."""
    return b32decode(game_id.upper() + "======")


def encoded_id(raw: bytes) -> str:
    """The id that is made of these bytes."""
    return b32encode(raw).decode().rstrip("=").lower()


def shard_of(game_id: str) -> int:
    """Which of a tenant's slots has the game; ids need not be random, so they are hashed."""
    return sha256(game_id.encode()).digest()[0] % SHARDS


def _arguments(correction: Correction) -> tuple[bytes | int | str, ...]:
    entry, right = correction.entry, correction.right_ms
    return entry.raw_id, entry.updated_ms, "" if right is None else right
