"""The games that the event streams of a process watch.

However many streams of a game a process has, each event is loaded once for all of them.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.autoplay import due_ms
from service.games.service import Games, LoadedGame, LoggedEntry
from service.games.session import GameSession
from service.store import keys
from service.store.pubsub import PubSub, Subscription, Watch

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
class _WatchedGame:
    """One watched game. ``changes`` is how many notifications ``latest`` takes into account."""

    latest: Snapshot | None = None
    changes: int = 0
    refreshed_ms: int = 0
    messages: dict[Hashable, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class EventCache:
    """All watched games of a process."""

    def __init__(self, games: Games, pubsub: PubSub) -> None:
        self._games = games
        self._pubsub = pubsub
        # A game is kept while anybody watches it.
        self._watched: WeakKeyDictionary[Subscription, _WatchedGame] = WeakKeyDictionary()

    @property
    def closed(self) -> bool:
        """Whether this process is about to stop, and has ended all watches."""
        return self._pubsub.closed

    def watch(self, game_id: str) -> AbstractContextManager[Watch]:
        """A watch that is woken by every change of this game."""
        return self._pubsub.watch(keys.game_channel(game_id))

    def refresh(self, game_id: str, watch: Watch) -> Snapshot:
        """The game as of this watch's newest notification, with what is overdue done.

        The first watcher to call loads it for all of them. Without notifications it is loaded
        once a minute, since an expired game sends none. GameNotFound once it is gone.
        """
        watched = self._watched_game(watch)
        with watched.lock:
            changes, latest = watch.subscription.changes, watched.latest
            if latest is None:
                loaded = load_and_advance(self._games, game_id)
                latest = Snapshot(loaded.session, loaded.nonce)
            elif watched.changes < changes or self._due(latest.session, watched.refreshed_ms):
                loaded, log = load_and_advance_with_log(self._games, game_id, latest.newest - 1)
                latest = _extended(latest, loaded, log)
            else:
                return latest
            watched.latest, watched.changes = latest, changes
            watched.refreshed_ms = self._games.clock()
            return latest

    def _watched_game(self, watch: Watch) -> _WatchedGame:
        return self._watched.setdefault(watch.subscription, _WatchedGame())

    def _due(self, session: GameSession, refreshed_ms: int) -> bool:
        now = self._games.clock()
        deadline = due_ms(session, now, self._games.bot_policy.patience_ms)
        age = now - refreshed_ms
        if not 0 <= age < REFRESH_MS:  # negative after the clock was set back
            return True
        if deadline is None or deadline > now:
            return False
        # If the store accepts no writes it stays overdue, and is not asked all the time.
        return refreshed_ms < deadline or age >= OVERDUE_REFRESH_MS

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

    def message(self, watch: Watch, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The message with this key, made once for all streams of the game."""
        messages = self._watched_game(watch).messages
        made = messages.get(key)
        if made is None:
            made = messages[key] = make()
            while len(messages) > KEPT_MESSAGES:
                messages.pop(next(iter(messages)), None)
        return made


def _extended(before: Snapshot, loaded: LoadedGame, log: Sequence[LoggedEntry]) -> Snapshot:
    """The game with what has happened since; the log starts with the newest event of before.

    If that event has another nonce now, the store was rolled back, and the old tail is dropped.
    """
    same = bool(log) and log[0].nonce == before.nonce
    tail = (*before.tail[:-1], *log) if same else tuple(log)
    return Snapshot(loaded.session, loaded.nonce, tail[-KEPT_EVENTS:])
