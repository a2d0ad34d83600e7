"""The lobby: open tables that anybody may find, and who is seated where.

Like all lists it is a hint, checked against the games. What it decides is who opens a table: of all
who look for the same kind of table at once, and find none, one.
"""

from collections.abc import Collection, Sequence
from heapq import merge
from math import inf
from secrets import token_bytes
from struct import Struct
from time import monotonic
from typing import Final, NamedTuple

import redis

from service.store import keys
from service.store.base import IDEMPOTENCY_WINDOW_MS, NONCE_BYTES
from service.store.client import executor_for
from service.store.game_index import encoded_id, raw_id
from service.store.scripts import script

LOBBY_ADD = script("lobby_add", after="lobby_functions")
LOBBY_READ = script("lobby_read", after="lobby_functions")
LOBBY_DROP = script("lobby_drop", after="lobby_functions")
LOBBY_MATCH = script("lobby_match", after="lobby_functions")
NOTE_MATCH = script("note_match")

OPEN_WITHIN_MS: Final = 2000
"""A commit that opens a table is refused if it takes longer after it was announced."""

PENDING_MS: Final = 2 * OPEN_WITHIN_MS
"""For so long a table may wait for its commit; servers' clocks may differ by half of it."""

ABSENT_MS: Final = 3 * 60 * 1000
"""A table where nobody was seen for so long leaves the lobby."""

KEEP_SECONDS: Final = 60
MOST_KEPT: Final = 10_000
"""Tables of which a process remembers when it has kept them."""

NOTE_MS: Final = IDEMPOTENCY_WINDOW_MS + 60 * 60 * 1000
NOT_MATCHED: Final = "-"
ANY_TIME: Final = "0"

_NOTE: Final = Struct(f">{NONCE_BYTES}s16sI")
"""A nonce, the id of the game, and the version that the commit leads to."""


class Room(NamedTuple):
    """A part of the lobby: tables of one tenant, or of guests, of one size and edition."""

    tenant: str | None
    seats: int
    edition: str


class OpenTable(NamedTuple):
    """A table in the lobby; ``turn`` is the turn time of those who may be matched to it."""

    room: Room
    game_id: str
    created_ms: int
    version: int
    turn: str


class LobbyEntry(NamedTuple):
    """A table as it was read; tables sort by their position in the list."""

    created_ms: int
    raw_id: bytes
    room: Room

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return encoded_id(self.raw_id)

    @property
    def position(self) -> tuple[int, bytes]:
        """Its position in the list."""
        return self.created_ms, self.raw_id


class LobbyRead(NamedTuple):
    """Tables as they were read, and the position from which to read on, if any follow."""

    entries: Sequence[LobbyEntry]
    reached: tuple[int, bytes] | None


class MatchNote(NamedTuple):
    """Which table a repeatable request is, or was, about to be matched to.

    ``version`` is the one that its commit leads to.
    """

    game_id: str
    version: int
    raw: bytes


class LobbyIndex:
    """The lobby of a store."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)
        self._kept: dict[str, float] = {}

    def add(self, table: OpenTable, ttl_ms: int, *, opening: bool = False) -> int:
        """Add a table that the next commit opens, or at which somebody was seen.

        ``opening`` if that commit creates the game. Returns when the table was added, in Unix
        milliseconds by the store's clock.
        """
        added = self._executor.run_confirmed(
            LOBBY_ADD,
            3,
            *keys.lobby_keys(*table.room),
            raw_id(table.game_id),
            table.created_ms,
            table.version,
            table.turn,
            "opening" if opening else "open",
            ttl_ms,
            ABSENT_MS,
        )
        return int(added)

    def keep(self, table: OpenTable, ttl_ms: int) -> None:
        """Keep a table, or bring it back, because somebody at it was seen.

        Costs a round trip at most once a minute.
        """
        now = monotonic()
        if now - self._kept.get(table.game_id, -inf) < KEEP_SECONDS:
            return
        self.add(table, ttl_ms)
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[table.game_id] = now

    def read(
        self, rooms: Collection[Room], after: tuple[int, bytes] | None, limit: int
    ) -> LobbyRead:
        """The next tables of these rooms together, newest first; at most ``limit``.

        There are fewer if no more follow, or if too many had to be removed.
        """
        reads = [self._read_room(room, after, limit) for room in rooms]
        # Below the position that one room has reached, the others cannot be shown yet.
        reached = max((read.reached for read in reads if read.reached), default=None)
        entries = [
            entry
            for entry in merge(*(read.entries for read in reads), reverse=True)
            if reached is None or entry.position >= reached
        ]
        if len(entries) > limit:
            return LobbyRead(entries[:limit], entries[limit - 1].position)
        return LobbyRead(entries, reached)

    def _read_room(self, room: Room, after: tuple[int, bytes] | None, limit: int) -> LobbyRead:
        time, id_ = after or ("", b"")
        room_keys = keys.lobby_keys(*room)
        found, reached = self._executor.run(LOBBY_READ, 3, *room_keys, limit, time, id_, ABSENT_MS)
        pairs = zip(found[::2], found[1::2], strict=True)
        entries = [LobbyEntry(int(created), raw, room) for raw, created in pairs]
        return LobbyRead(entries, (int(reached[1]), reached[0]) if reached else None)

    def drop(self, room: Room, game_id: str, version: int) -> bool:
        """Remove a table that is not open as of this version, 0 for a game that does not exist.

        False if a newer version, which may still be committed, is expected to be open.
        """
        room_keys = keys.lobby_keys(*room)
        id_ = raw_id(game_id)
        return bool(self._executor.run(LOBBY_DROP, 3, *room_keys, id_, version, PENDING_MS))

    def match(
        self, own: OpenTable, ttl_ms: int, passed: Collection[str] = ()
    ) -> tuple[str | None, int]:
        """The oldest table of a kind but those ``passed`` over, and the time by the store's clock.

        It is their ``own`` if there is none: then they have to open it, before others have waited
        too long for it. None if the search has only removed tables that nobody is at, and is to
        be continued.
        """
        found, now_ms = self._executor.run_confirmed(
            LOBBY_MATCH,
            3,
            *keys.lobby_keys(*own.room),
            raw_id(own.game_id),
            own.turn,
            own.version,
            ttl_ms,
            ABSENT_MS,
            *map(raw_id, passed),
        )
        return encoded_id(found) if found else None, int(now_ms)

    def match_note(self, key: bytes) -> MatchNote | None:
        """What is noted for the request with this idempotency key."""
        found: bytes | None = self._executor.call("GET", keys.match_note_key(key.hex()))
        if found is None:
            return None
        _, id_, version = _NOTE.unpack(found)
        return MatchNote(encoded_id(id_), version, found)

    def note_match(self, key: bytes, before: MatchNote | None, game_id: str, version: int) -> bool:
        """Note the table, before the commit; False if another process has changed the note."""
        note = _NOTE.pack(token_bytes(NONCE_BYTES), raw_id(game_id), version)
        expected = before.raw if before else b""
        where = keys.match_note_key(key.hex())
        return bool(self._executor.run_confirmed(NOTE_MATCH, 1, where, expected, note, NOTE_MS))
