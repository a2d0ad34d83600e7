"""Event streams: what is sent on them, and how many there may be.

A stream runs long after its view has returned, so nothing here asks Flask for anything.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import orjson

from service.api.problems import Problem
from service.api.shapes import event_shape
from service.feeds import Feed, Feeds
from service.keyring import Keyring, Viewer
from service.usecases import Logged

RETRY_MS = 2000
HEARTBEAT_SECONDS = 15.0
WAIT_SECONDS = "5"


class Places:
    """How many streams and long polls a process has, in all and by client."""

    def __init__(self, most: int, most_a_client: int) -> None:
        self._most = most
        self._most_a_client = most_a_client
        self._taken: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """How many places are taken now."""
        return self._taken.total()

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """A place for a client, for as long as its stream runs; refused where there is none."""
        self.take(client)
        try:
            yield
        finally:
            self.leave(client)

    def take(self, client: str) -> None:
        """Take a place, to be left again."""
        headers = {"Retry-After": WAIT_SECONDS}
        with self._lock:
            if self._taken[client] >= self._most_a_client:
                detail = f"You have {self._most_a_client} streams open here, which is the most."
                raise Problem("rate_limited", detail, headers=headers)
            if self._taken.total() >= self._most:
                detail = f"This worker has {self._most} streams open, which is the most."
                raise Problem("streams_full", detail, headers=headers)
            self._taken[client] += 1

    def leave(self, client: str) -> None:
        """Leave a place."""
        with self._lock:
            self._taken[client] -= 1
            if not self._taken[client]:
                del self._taken[client]


def event_id(keyring: Keyring, logged: Logged) -> str:
    """Names an event, and no other that had its number before a rollback of the store."""
    n = logged.entry.event.n
    return f"{n}-{keyring.tag('event', n, logged.mark.hex())}"


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells one viewer what happens in one game, from an event on."""

    feeds: Feeds
    keyring: Keyring
    clock: Callable[[], int]
    viewer: Viewer
    game_id: str
    generations: tuple[int, ...]

    def tell(self, last: int, *, known: bool) -> Iterator[bytes]:
        """The stream after event ``last``; if that one is not known, the news that it is not."""
        yield f"retry: {RETRY_MS}\n\n".encode()
        with self.feeds.watching(self.game_id) as (watch, feed):
            self.feeds.refresh(feed)
            epoch = feed.epoch
            if not known:
                last = feed.newest
                yield self._resync(feed)
            while not self.feeds.news.closed:
                if feed.deleted:
                    yield b"event: deleted\ndata: {}\n\n"
                    return
                if feed.epoch != epoch:
                    epoch, last = feed.epoch, feed.newest
                    yield self._resync(feed)
                if self._void(feed):
                    return
                for logged in self.feeds.after(feed, last):
                    last = logged.entry.event.n
                    yield self._message(feed, logged)
                if feed.table.game.phase == "finished" and last >= feed.newest:
                    return
                if watch.wait(self._patience(feed)):
                    self.feeds.hear(feed, watch)
                elif self._overdue(feed):
                    self.feeds.refresh(feed)
                else:
                    yield b": waiting\n\n"

    def _message(self, feed: Feed, logged: Logged) -> bytes:
        def make() -> bytes:
            id_ = event_id(self.keyring, logged)
            auto_bid = feed.table.game.auto_bid
            shape = event_shape(logged.entry, id_, self.viewer, auto_bid=auto_bid)
            data = orjson.dumps(shape)
            return b"id: %b\nevent: %b\ndata: %b\n\n" % (id_.encode(), shape["type"].encode(), data)

        key = (logged.entry.event.n, self.viewer.seat)
        return self.feeds.shown(feed, key, make)

    def _resync(self, feed: Feed) -> bytes:
        """Tells that the log is another one now: look at the game again and go on from here."""
        newest = self.feeds.after(feed, feed.newest - 1)[-1]
        data = orjson.dumps({"last": feed.newest})
        id_ = event_id(self.keyring, newest).encode()
        return b"id: %b\nevent: resync\ndata: %b\n\n" % (id_, data)

    def _void(self, feed: Feed) -> bool:
        """Whether the token that opened the stream counts no longer."""
        seat = self.viewer.seat
        mine = 0 if seat is None else seat + 1
        entitled = self.viewer.host or seat is not None
        return entitled and feed.table.generations[mine] != self.generations[mine]

    def _patience(self, feed: Feed) -> float:
        deadline = feed.table.deadline_ms
        if deadline is None:
            return HEARTBEAT_SECONDS
        return min(HEARTBEAT_SECONDS, max(0.0, (deadline - self.clock()) / 1000))

    def _overdue(self, feed: Feed) -> bool:
        deadline = feed.table.deadline_ms
        return deadline is not None and deadline <= self.clock()
