"""Pages of the lobby: open tables, newest first."""

from collections.abc import Collection, Sequence
from struct import Struct
from typing import Final, NamedTuple, Self

from service.games.lobby import table_of
from service.games.service import GameNotFound, Games
from service.games.session import GameSession
from service.rules.codec import UnknownFormat
from service.store.base import StoreDamaged
from service.store.lobby_index import LobbyEntry, Room

MOST_READS: Final = 8
"""A page ends after so many reads of the lobby, however many of its tables are not open."""

_CURSOR: Final = Struct(">Q16s")
LOBBY_CURSOR_BYTES: Final = _CURSOR.size


class LobbyCursor(NamedTuple):
    """Where a page ends: when its last table was created, and its id."""

    created_ms: int
    raw_id: bytes

    def pack(self) -> bytes:
        """The cursor as bytes."""
        return _CURSOR.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The cursor in these bytes."""
        return cls(*_CURSOR.unpack(data))


class LobbyPage(NamedTuple):
    """Open tables, and where the next page starts; None if no tables follow."""

    sessions: Sequence[GameSession]
    following: LobbyCursor | None


def read_lobby(
    games: Games, rooms: Collection[Room], limit: int, cursor: LobbyCursor | None
) -> LobbyPage:
    """The open tables of these rooms.

    A table keeps its place while it is open, so paging shows every one exactly once. A page has
    fewer tables than ``limit`` if there are no more, or if very many are not open.
    """
    found: list[tuple[LobbyEntry, GameSession]] = []
    place = cursor
    for _ in range(MOST_READS):
        # One more than asked for tells whether another page follows.
        read = games.store.lobby.read(rooms, place, limit + 1 - len(found))
        opened = ((entry, _load_open(games, entry)) for entry in read.entries)
        found += [(entry, session) for entry, session in opened if session]
        place = LobbyCursor(*read.reached) if read.reached else None
        if place is None or len(found) > limit:
            break
    shown = found[:limit]
    if len(found) > limit:
        place = LobbyCursor(*shown[-1][0].position)
    return LobbyPage([session for _, session in shown], place)


def _load_open(games: Games, entry: LobbyEntry) -> GameSession | None:
    """The game, if it is open and belongs here; else it is dropped from this part of the lobby."""
    try:
        session = games.load(entry.game_id).session
    except GameNotFound:
        games.store.lobby.drop(entry.room, entry.game_id, 0)
        return None
    except (StoreDamaged, UnknownFormat):
        return None  # not forgotten: it may be repaired, or of a newer release
    table = table_of(session)
    if table is None or table.room != entry.room:
        games.store.lobby.drop(entry.room, entry.game_id, session.game.version)
        return None
    return session
