"""The live log of games that somebody watches: read once per process, shown to many.

However many streams of a game a process has, an event is loaded once for all of them.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from service.store.news import News, Watch
from service.table import Table
from service.usecases import GameNotFound, Games, Logged

KEPT = 64


@dataclass
class Feed:
    """One watched game: its table, its newest events, and how often its log was rolled back."""

    game_id: str
    table: Table
    newest: int
    mark: bytes
    watchers: int = 0
    epoch: int = 0
    deleted: bool = False
    heard: int = 0
    events: dict[int, Logged] = field(default_factory=dict)
    shown: dict[tuple[int, object], bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Feeds:
    """All watched games of a process."""

    def __init__(self, games: Games, news: News) -> None:
        self._games = games
        self.news = news
        self._feeds: dict[str, Feed] = {}
        self._lock = threading.Lock()

    @contextmanager
    def watching(self, game_id: str) -> Iterator[tuple[Watch, Feed]]:
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

    def _enter(self, game_id: str) -> Feed:
        with self._lock:
            feed = self._feeds.get(game_id)
            if feed is not None:
                feed.watchers += 1
                return feed
        seen = self._games.find(game_id)
        fresh = Feed(game_id, seen.table, seen.table.game.version, seen.mark)
        with self._lock:
            feed = self._feeds.setdefault(game_id, fresh)
            feed.watchers += 1
            return feed

    def hear(self, feed: Feed, watch: Watch) -> None:
        """Load what the news that woke this watch are about, unless another watcher has."""
        with feed.lock:
            if feed.heard < watch.heard:
                feed.heard = watch.heard
                self._refresh(feed)

    def refresh(self, feed: Feed) -> None:
        """Load what is new, and do what is overdue."""
        with feed.lock:
            self._refresh(feed)

    def _refresh(self, feed: Feed) -> None:
        """Load what is new.

        The newest event known is loaded again: if it is another one by now, the store was
        rolled back, and everything known of the log is void.
        """
        try:
            seen, log = self._games.find_with_log(feed.game_id, feed.newest - 1)
        except GameNotFound:
            feed.deleted = True
            return
        if not log or log[0].mark != feed.mark:
            feed.epoch += 1
            feed.events.clear()
            feed.shown.clear()
            log = log[-1:]
        for logged in log:
            feed.events[logged.entry.event.n] = logged
        for old in [n for n in feed.events if n <= seen.table.game.version - KEPT]:
            del feed.events[old]
        if len(feed.shown) > KEPT * 8:
            feed.shown.clear()
        feed.table, feed.mark = seen.table, seen.mark
        feed.newest = seen.table.game.version

    def after(self, feed: Feed, n: int) -> list[Logged]:
        """The events after number n, from memory where it has them all."""
        wanted = range(n + 1, feed.newest + 1)
        kept = [logged for number in wanted if (logged := feed.events.get(number))]
        if len(kept) == len(wanted):
            return kept
        return self._games.find_with_log(feed.game_id, n)[1]

    def shown(self, feed: Feed, key: tuple[int, object], make: Callable[[], bytes]) -> bytes:
        """What one kind of viewer is shown of an event, made once for all of them."""
        made = feed.shown.get(key)
        if made is None:
            made = feed.shown[key] = make()
        return made
