"""The live log of games that somebody watches: read once per process, shown to many.

However many streams of a game a process has, an event is loaded once for all of them.
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
"""Events loaded at once for a stream that is far behind, so that none of them fills the memory."""
LOOK_AGAIN_MS = 60_000
STILL_OVERDUE_MS = 1000


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A watched game at one moment: its table, the mark of its newest event, its last events.

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
    """One watched game. ``heard`` is the newest news that ``latest`` takes into account."""

    game_id: str
    latest: Snapshot
    looked_ms: int
    watchers: int = 0
    heard: int = 0
    messages: dict[tuple[bytes, int | None], bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class EventCache:
    """All watched games of a process."""

    def __init__(self, games: Games, news: GamePubSub) -> None:
        self._games = games
        self.news = news
        self._feeds: dict[str, WatchedGame] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """How many games are watched."""
        return len(self._feeds)

    @contextmanager
    def watching(self, game_id: str) -> Iterator[tuple[Watch, WatchedGame]]:
        """A watch of this game, and its feed, kept for as long as anybody watches."""
        with self.news.watch(game_id) as watch:
            feed = self._enter(game_id)
            try:
                yield watch, feed
            finally:
                with self._lock:
                    feed.watchers -= 1
                    if not feed.watchers:
                        self._feeds.pop(game_id, None)

    def _enter(self, game_id: str) -> WatchedGame:
        with self._lock:
            feed = self._feeds.get(game_id)
            if feed is not None:
                feed.watchers += 1
                return feed
        seen = load_and_advance(self._games, game_id)
        fresh = WatchedGame(game_id, Snapshot(seen.session, seen.nonce), self._games.clock())
        with self._lock:
            feed = self._feeds.setdefault(game_id, fresh)
            feed.watchers += 1
            return feed

    def look(self, feed: WatchedGame, watch: Watch) -> Snapshot:
        """The game as of the news that this watch has heard, and with what is overdue done.

        The first watcher who comes loads it for all of them. Without news it is loaded once a
        minute, since a game that expires makes none. GameNotFound once it is gone.
        """
        with feed.lock:
            if feed.heard < watch.heard or self._due(feed):
                heard, before = self.news.number, feed.latest
                seen, log = load_and_advance_with_log(self._games, feed.game_id, before.newest - 1)
                feed.latest = _grown(before, seen, log)
                feed.heard, feed.looked_ms = heard, self._games.clock()
            return feed.latest

    def _due(self, feed: WatchedGame) -> bool:
        now = self._games.clock()
        deadline = due_ms(feed.latest.session, now, self._games.bot_policy.patience_ms)
        rest = now - feed.looked_ms
        if not 0 <= rest < LOOK_AGAIN_MS:
            # That long ago, or by a clock that has been set back since.
            return True
        if deadline is None or deadline > now:
            return False
        # A store that takes no writes leaves it overdue; it is not asked all the time.
        return feed.looked_ms < deadline or rest >= STILL_OVERDUE_MS

    def since(self, latest: Snapshot, n: int, nonce: bytes) -> Sequence[LoggedEntry] | None:
        """Events after the n-th, up to the newest or to as many as are loaded at once.

        None if the n-th event, known by its mark, is not one of the log: the store was rolled
        back. Event 0, before all others, is one of every log.
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
        self, feed: WatchedGame, logged: LoggedEntry, seat: int | None, make: Callable[[], bytes]
    ) -> bytes:
        """What one kind of viewer is sent of an event, made once for all of them."""
        key = (logged.nonce, seat)
        made = feed.messages.get(key)
        if made is None:
            made = feed.messages[key] = make()
            while len(feed.messages) > KEPT_MESSAGES:
                feed.messages.pop(next(iter(feed.messages)), None)
        return made


def _grown(before: Snapshot, seen: LoadedGame, log: Sequence[LoggedEntry]) -> Snapshot:
    """The game with what has come since; the log begins with the newest event of before.

    If that one is another by now, the store was rolled back, and what was kept is void.
    """
    same = bool(log) and log[0].nonce == before.nonce
    kept = (*before.tail[:-1], *log) if same else tuple(log)
    return Snapshot(seen.session, seen.nonce, kept[-KEPT_EVENTS:])
