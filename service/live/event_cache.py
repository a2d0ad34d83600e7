"""The games that the event streams of a process watch.

However many streams of a game a process has, each event is loaded once for all of them.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.autoplay import due_ms
from service.games.service import Games, LoadedGame, LoggedEntry
from service.games.session import GameSession
from service.store.pubsub import GamePubSub, Watch

KEPT_EVENTS = 16
KEPT_MESSAGES = 32
CATCH_UP = 256
"""Events loaded at once for a stream that is far behind, so that memory stays bounded."""
REFRESH_MS = 60_000
OVERDUE_REFRESH_MS = 1000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A watched game at one moment: its session, the nonce of its newest event, its last events.

    ``tail`` ends with the newest event and has no gap; it may be empty.
    """

    session: GameSession
    nonce: bytes
    tail: tuple[LoggedEntry, ...] = ()

    @property
    def newest(self) -> int:
        """The number of the newest event."""
        return self.session.game.version


@dataclass
class WatchedGame:
    """One watched game. ``heard`` is the newest notification that ``latest`` takes into account."""

    game_id: str
    latest: Snapshot
    refreshed_ms: int
    watchers: int = 0
    heard: int = 0
    messages: dict[tuple[bytes, int | None], bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class EventCache:
    """All watched games of a process."""

    def __init__(self, games: Games, pubsub: GamePubSub) -> None:
        self._games = games
        self.pubsub = pubsub
        self._watched: dict[str, WatchedGame] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many games are watched."""
        return len(self._watched)

    @contextmanager
    def watching(self, game_id: str) -> Iterator[tuple[Watch, WatchedGame]]:
        """A watch of this game, and the game, which is kept while anybody watches it."""
        with self.pubsub.watch(game_id) as watch:
            watched = self._enter(game_id)
            try:
                yield watch, watched
            finally:
                with self._lock:
                    watched.watchers -= 1
                    if not watched.watchers:
                        self._watched.pop(game_id, None)

    def _enter(self, game_id: str) -> WatchedGame:
        with self._lock:
            watched = self._watched.get(game_id)
            if watched is not None:
                watched.watchers += 1
                return watched
        loaded = load_and_advance(self._games, game_id)
        fresh = WatchedGame(game_id, Snapshot(loaded.session, loaded.nonce), self._games.clock())
        with self._lock:
            watched = self._watched.setdefault(game_id, fresh)
            watched.watchers += 1
            return watched

    def refresh(self, watched: WatchedGame, watch: Watch) -> Snapshot:
        """The game as of this watch's newest notification, with what is overdue done.

        The first watcher to call loads it for all of them. Without notifications it is loaded
        once a minute, since an expired game sends none. GameNotFound once it is gone.
        """
        with watched.lock:
            if watched.heard < watch.heard or self._due(watched):
                heard, before = self.pubsub.number, watched.latest
                loaded, log = load_and_advance_with_log(
                    self._games, watched.game_id, before.newest - 1
                )
                watched.latest = _extended(before, loaded, log)
                watched.heard, watched.refreshed_ms = heard, self._games.clock()
            return watched.latest

    def _due(self, watched: WatchedGame) -> bool:
        now = self._games.clock()
        deadline = due_ms(watched.latest.session, now, self._games.bot_policy.patience_ms)
        age = now - watched.refreshed_ms
        if not 0 <= age < REFRESH_MS:  # negative after the clock was set back
            return True
        if deadline is None or deadline > now:
            return False
        # If the store accepts no writes it stays overdue, and is not asked all the time.
        return watched.refreshed_ms < deadline or age >= OVERDUE_REFRESH_MS

    def since(self, latest: Snapshot, n: int, nonce: bytes) -> Sequence[LoggedEntry] | None:
        """Events after event n, up to the newest or as many as are loaded at once.

        None if the log has no event n with this nonce: the store was rolled back. Every log has
        event 0, before all others.
        """
        first = max(0, n - 1)
        wanted = latest.newest - first
        if wanted < 0:
            return None
        if wanted <= len(latest.tail):
            log: Sequence[LoggedEntry] = latest.tail[len(latest.tail) - wanted :]
        else:
            _, found = load_and_advance_with_log(self._games, latest.session.id, first, CATCH_UP)
            log = found[:wanted]
        if n == 0:
            return log
        return log[1:] if log and log[0].nonce == nonce else None

    def message(
        self, watched: WatchedGame, logged: LoggedEntry, seat: int | None, make: Callable[[], bytes]
    ) -> bytes:
        """The message about an event for the viewers on a seat, or without one; made once."""
        key = (logged.nonce, seat)
        made = watched.messages.get(key)
        if made is None:
            made = watched.messages[key] = make()
            while len(watched.messages) > KEPT_MESSAGES:
                watched.messages.pop(next(iter(watched.messages)), None)
        return made


def _extended(before: Snapshot, loaded: LoadedGame, log: Sequence[LoggedEntry]) -> Snapshot:
    """The game with what has happened since; the log starts with the newest event of before.

    If that event has another nonce now, the store was rolled back, and the old tail is dropped.
    """
    same = bool(log) and log[0].nonce == before.nonce
    tail = (*before.tail[:-1], *log) if same else tuple(log)
    return Snapshot(loaded.session, loaded.nonce, tail[-KEPT_EVENTS:])
