"""What happened in all games of a tenant: one stream for each of the tenant's slots.

An event is added just before its commit, so whoever reads it has to check that it happened.
"""

from typing import Final, NamedTuple

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.game_index import SHARDS, FeedEvent, encoded_id
from service.store.scripts import script

READ_FEED = script("read_feed")

START: Final = 0
SEQUENCE_BITS: Final = 16
"""A position is the time of an event in milliseconds, then its number within that millisecond."""


class FeedEntry(NamedTuple):
    """An event and its position in the stream of a shard; entries sort by their age."""

    position: int
    shard: int
    event: FeedEvent

    @property
    def added_ms(self) -> int:
        """When it was added, by the store's clock."""
        return self.position >> SEQUENCE_BITS


class FeedPart(NamedTuple):
    """The next entries of a shard; ``lost`` if some before them are no longer there."""

    lost: bool
    newest: int
    now_ms: int
    entries: list[FeedEntry]


class TenantFeed:
    """The feeds of a store."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)

    def read(self, tenant: str, shard: int, after: int | None, limit: int) -> FeedPart:
        """The entries of a shard after a position, or from the oldest one on."""
        key, id_ = keys.feed_key(tenant, shard), "" if after is None else _stream_id(after)
        lost, newest, now_ms, found = self._executor.run(READ_FEED, 1, key, id_, limit)
        entries = [FeedEntry(_position(id_), shard, _event(fields)) for id_, fields in found]
        return FeedPart(bool(lost), _position(newest), now_ms, entries)


def feed_channels(tenant: str) -> list[str]:
    """The channels that announce every event of the tenant's games."""
    return [keys.feed_channel(tenant, shard) for shard in range(SHARDS)]


def _position(stream_id: bytes) -> int:
    time, _, number = stream_id.partition(b"-")
    return int(time) << SEQUENCE_BITS | int(number)


def _stream_id(position: int) -> str:
    return f"{position >> SEQUENCE_BITS}-{position & (1 << SEQUENCE_BITS) - 1}"


def _event(fields: list[bytes]) -> FeedEvent:
    read = dict(zip(fields[::2], fields[1::2], strict=True))
    return FeedEvent(encoded_id(read[b"g"]), int(read[b"n"]), read[b"x"], read[b"b"])
