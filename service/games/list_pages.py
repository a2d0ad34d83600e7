"""Pages of a tenant's games.

The store's lists are hints. An entry counts only if the game, as loaded, belongs where the entry
is; the others are corrected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final, NamedTuple, Self

from service.games.listing import list_name, lists_of, refs_of
from service.games.service import GameNotFound, Games
from service.games.session import GameSession
from service.rules.codec import UnknownFormat
from service.rules.state import PHASES
from service.store.base import StoreDamaged
from service.store.game_index import Correction, ListEntry

COMMIT_FAILED_MS: Final = 60_000
"""For so long an entry may wait for the commit that it was written for."""

MOST_READS: Final = 8
"""A page ends after so many reads of the lists, however many obsolete entries they have."""

_CURSOR: Final = Struct(">QQ16s")
CURSOR_BYTES: Final = _CURSOR.size


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Which games of which tenant: all, or those with a status, or with a player."""

    tenant: str
    status: str | None = None
    ref: str | None = None

    @property
    def lists(self) -> list[str]:
        """The lists that have such games."""
        return [list_name(each, self.ref) for each in ([self.status] if self.status else PHASES)]

    def matches(self, session: GameSession) -> bool:
        """Whether this is such a game."""
        return (
            session.options.tenant == self.tenant
            and self.status in {None, session.game.phase}
            and (self.ref is None or self.ref in refs_of(session))
        )


class Cursor(NamedTuple):
    """Where a page ends: an entry's position, and when the first page was read."""

    began_ms: int
    updated_ms: int
    raw_id: bytes

    def pack(self) -> bytes:
        """The cursor as bytes."""
        return _CURSOR.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """The cursor in these bytes."""
        return cls(*_CURSOR.unpack(data))


class Page(NamedTuple):
    """Games, and where the next page starts; None if no games follow."""

    sessions: Sequence[GameSession]
    following: Cursor | None


def read_page(games: Games, query: ListQuery, limit: int, cursor: Cursor | None) -> Page:
    """The games that match, newest action first.

    A game that acts while somebody pages moves to the front: it is not shown twice. Every other
    game is shown exactly once. A page has fewer games than ``limit`` if there are no more, or if
    the lists have very many obsolete entries.
    """
    reader = _PageReader(games, query, cursor)
    for _ in range(MOST_READS):
        # One more than asked for tells whether another page follows.
        if reader.read(limit + 1):
            break
    return reader.page(limit)


class _PageReader:
    def __init__(self, games: Games, query: ListQuery, cursor: Cursor | None) -> None:
        self._games, self._query = games, query
        self._position = (cursor.updated_ms, cursor.raw_id) if cursor else None
        self._began_ms = cursor.began_ms if cursor else 0
        self._found: dict[str, tuple[ListEntry, GameSession]] = {}
        self._ended = False

    def read(self, wanted: int) -> bool:
        """Read on; returns whether the page is full or the lists have ended."""
        games, tenant = self._games, self._query.tenant
        entries = games.store.index.read(tenant, self._query.lists, self._position, wanted)
        if not self._began_ms:
            # Another machine's clock may be ahead of ours.
            self._began_ms = max([games.clock(), *(each.updated_ms + 1 for each in entries[:1])])
        corrections: list[Correction] = []
        for entry in entries:
            try:
                session = self._load(entry)
            except (StoreDamaged, UnknownFormat):
                # Not shown, and not forgotten: it may be repaired, or of a newer release.
                self._position = (entry.updated_ms, entry.raw_id)
                continue
            right = self._correction(entry, session)
            if right and right.right_ms is not None and right.right_ms < entry.updated_ms:
                # Its right place is further on: read again once it is there.
                games.store.index.correct(tenant, [*corrections, right])
                return False
            self._position = (entry.updated_ms, entry.raw_id)
            if session is not None and self._is_shown(entry, session):
                self._found.setdefault(entry.game_id, (entry, session))
                if len(self._found) == wanted:
                    break  # the next page finds this entry where it is
            if right:
                corrections.append(right)
        games.store.index.correct(tenant, corrections)
        self._ended = len(entries) < wanted
        return self._ended or len(self._found) == wanted

    def page(self, limit: int) -> Page:
        """What was found."""
        found = list(self._found.values())
        following = None
        if len(found) > limit:
            found = found[:limit]
            last = found[-1][0]
            following = Cursor(self._began_ms, last.updated_ms, last.raw_id)
        elif not self._ended and self._position is not None:
            following = Cursor(self._began_ms, *self._position)
        return Page([session for _, session in found], following)

    def _load(self, entry: ListEntry) -> GameSession | None:
        try:
            return self._games.load(entry.game_id).session
        except GameNotFound:
            return None

    def _is_shown(self, entry: ListEntry, session: GameSession) -> bool:
        """Whether the game matches and cannot have been, or will be, shown elsewhere.

        An obsolete entry shows a game that has acted since the first page was read: its new place
        is before all pages.
        """
        if not self._query.matches(session):
            return False
        acted = entry.updated_ms < session.updated_ms >= self._began_ms
        return acted or entry.list in lists_of(session)

    def _correction(self, entry: ListEntry, session: GameSession | None) -> Correction | None:
        """How to correct the entry, if it is wrong."""
        updated_ms = session.updated_ms if session else 0
        age = self._games.clock() - entry.updated_ms
        if entry.updated_ms >= updated_ms and age < COMMIT_FAILED_MS:
            return None  # perhaps the commit has not happened yet
        if session is None or entry.list not in lists_of(session):
            return Correction(entry, None)
        return Correction(entry, updated_ms) if entry.updated_ms != updated_ms else None
