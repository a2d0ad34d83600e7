"""Seats people who want to play at a table where others wait, or lets them open one.

The store's lobby decides who opens a table; a seat is taken by the same commit as any other. So
nobody opens a second table while a first one of the kind is open or being opened.

A request that may be repeated notes its table before the commit, so that its repetition finds it.
The note changes only from what was read before its table was loaded. So a table is given up for
another only if no commit that is still under way can succeed there.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Final

from service.games.advance import find_and_advance
from service.games.idempotency_key import IdempotencyKey
from service.games.keyring import GAME_ID_BYTES, game_id
from service.games.listing import refs_of
from service.games.lobby import table_of, turn_name
from service.games.service import CommitResult, Games, LoadedGame, TooBusy
from service.games.session import GameOptions, GameSession, LogEntry
from service.rules import actions
from service.rules.actions import Step
from service.rules.codec import UnknownFormat
from service.rules.events import Entrant
from service.rules.shuffle import SECRET_BYTES
from service.store.base import StoreDamaged, VersionConflict
from service.store.lobby_index import OPEN_WITHIN_MS, MatchNote, OpenTable, Room

LONGEST_SECONDS: Final = 15.0
"""After so long a request is told to try again."""

PAUSE_SECONDS: Final = 0.01

MOST_PASSED: Final = 16
"""Who has passed over so many tables opens one: the others of the kind wait meanwhile."""

OPENED_VERSION: Final = 2
"""A table is opened by two events: it is created, and the first player joins."""

_LOCKS: Final = tuple(threading.Lock() for _ in range(64))

Admit = Callable[[GameSession, Step], bool]


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants to play, and at what kind of table."""

    room: Room
    turn_seconds: int | None
    player: Entrant
    ref: str | None
    entropy: str | None

    def fits(self, session: GameSession) -> bool:
        """Whether this is an open table of the kind, at which the same player does not sit yet."""
        table = table_of(session)
        return (
            table is not None
            and (table.room, table.turn) == (self.room, turn_name(self.turn_seconds))
            and not self.sits_at(session)
        )

    def sits_at(self, session: GameSession) -> bool:
        """Whether a player with the same ref has a seat already."""
        return self.ref is not None and self.ref in refs_of(session)


def find_match(games: Games, retry: IdempotencyKey | None) -> LoadedGame | None:
    """The game that the same request was matched to before."""
    note = games.store.lobby.match_note(retry.key) if retry else None
    if retry is None or note is None:
        return None
    loaded = find_and_advance(games, note.game_id, retry.key)
    return loaded if loaded and loaded.retry else None


def match(games: Games, wish: Wish, retry: IdempotencyKey | None, admit: Admit) -> CommitResult:
    """Take a seat at a table of the kind, or open one.

    A table is passed over if ``admit`` refuses the step by which a seat is taken there.
    VersionConflict if the same request has just succeeded elsewhere. TooBusy if it takes too long.
    """
    ends = monotonic() + LONGEST_SECONDS
    with _in_turn(wish, LONGEST_SECONDS):
        search = _Search(games, wish, retry, admit)
        while monotonic() < ends:
            result = search.attempt()
            if result is not None:
                return result
    raise TooBusy


@contextmanager
def _in_turn(wish: Wish, timeout: float) -> Iterator[None]:
    """One at a time in this process: more at once would only get in each other's way."""
    lock = _LOCKS[hash((wish.room, wish.turn_seconds)) % len(_LOCKS)]
    if not lock.acquire(timeout=timeout):
        raise TooBusy
    try:
        yield
    finally:
        lock.release()


@dataclass(slots=True)
class _Search:
    """The search of one request for a seat."""

    games: Games
    wish: Wish
    retry: IdempotencyKey | None
    admit: Admit
    passed: set[str] = field(default_factory=set)

    def attempt(self) -> CommitResult | None:
        """A seat; None if it was not to be had, and another attempt is due."""
        games, wish = self.games, self.wish
        note = games.store.lobby.match_note(self.retry.key) if self.retry else None
        own_id = game_id(games.entropy(GAME_ID_BYTES))
        if note:
            noted = self._load(note.game_id)
            if noted is None:
                own_id = note.game_id
            elif note.game_id not in self.passed and wish.fits(noted.session):
                return self._join(note, noted)
        turn = turn_name(wish.turn_seconds)
        own = OpenTable(wish.room, own_id, games.clock(), OPENED_VERSION, turn)
        found_id, now_ms = self._find_or_enter(own)
        if found_id is None:
            return None
        if found_id == own_id:
            return self._open(note, own_id, now_ms + OPEN_WITHIN_MS)
        try:
            found = self._load(found_id)
        except (StoreDamaged, UnknownFormat):
            self.passed.add(found_id)  # not dropped: it may be repaired, or of a newer release
            return None
        if found and wish.fits(found.session):
            return self._join(note, found)
        self._pass_over(found_id, found)
        return None

    def _find_or_enter(self, own: OpenTable) -> tuple[str | None, int]:
        """As ``LobbyIndex.match``, but after many tables the own one in any case."""
        lobby, ttl_ms = self.games.store.lobby, self.games.ttl_active_ms
        if len(self.passed) >= MOST_PASSED:
            return own.game_id, lobby.add(own, ttl_ms, opening=True)
        return lobby.match(own, ttl_ms, self.passed)

    def _load(self, game_id: str) -> LoadedGame | None:
        loaded = find_and_advance(self.games, game_id, self.retry.key if self.retry else None)
        if loaded and loaded.retry:
            raise VersionConflict(loaded.session.game.version)
        return loaded

    def _pass_over(self, game_id: str, found: LoadedGame | None) -> None:
        """Drop a table that is not open; wait for one that is being opened."""
        table = table_of(found.session) if found else None
        if table and table.room == self.wish.room:
            # Open for others: the same player sits there, or its turn time has just changed.
            self.passed.add(game_id)
            return
        version = found.session.game.version if found else 0
        if not self.games.store.lobby.drop(self.wish.room, game_id, version):
            sleep(PAUSE_SECONDS)

    def _note(self, note: MatchNote | None, game_id: str, version: int) -> bool:
        if self.retry is None:
            return True
        return self.games.store.lobby.note_match(self.retry.key, note, game_id, version)

    def _join(self, note: MatchNote | None, found: LoadedGame) -> CommitResult | None:
        wish, session = self.wish, found.session
        step = actions.join(session.game, wish.player, session.free_seats[0], wish.entropy)
        # A step that is noted was admitted, and may be under way: it must not be refused now.
        noted = note is not None and (note.game_id, note.version) == (session.id, step.event.n)
        if not noted and not self.admit(session, step):
            self.passed.add(session.id)
            return None
        if not self._note(note, session.id, step.event.n):
            return None
        try:
            return self.games.commit_step(found, step, self.retry, ref=wish.ref)
        except VersionConflict:
            return None

    def _open(self, note: MatchNote | None, game_id: str, not_after_ms: int) -> CommitResult | None:
        games, wish = self.games, self.wish
        if not self._note(note, game_id, OPENED_VERSION):
            if note is None or note.game_id != game_id:
                # Nobody else knows this id: without an entry nobody waits for the table.
                games.store.lobby.drop(wish.room, game_id, OPENED_VERSION)
            return None
        now = games.clock()
        created = actions.create(
            games.entropy(SECRET_BYTES), seats=wish.room.seats, edition=wish.room.edition
        )
        joined = actions.join(created.game, wish.player, None, wish.entropy)
        options = GameOptions(
            turn_seconds=wish.turn_seconds,
            tenant=wish.room.tenant,
            auto_deal=True,
            listed=True,
        )
        entries = [
            LogEntry(now, created.event, options),
            LogEntry(now, joined.event, ref=wish.ref),
        ]
        try:
            return games.create_with_log(
                entries, self.retry, id_=game_id, not_after_ms=not_after_ms
            )
        except VersionConflict:
            return None
