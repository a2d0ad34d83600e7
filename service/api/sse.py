"""Event streams: what is sent on them, and how many there may be.

A stream runs long after its view has returned, so nothing here asks Flask for anything.
"""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

import orjson

from service.api.problems import Problem
from service.api.serializers import event_shape
from service.games.autoplay import REQUEST_POLICY, due_ms
from service.games.service import GameNotFound, LoggedEntry
from service.games.session import GameSession
from service.games.tokens import ANYBODY, Keyring, Viewer
from service.i18n import say
from service.live.event_cache import EventCache, Snapshot, WatchedGame
from service.rules.codec import UnknownFormat
from service.rules.messages import Message
from service.store.base import StoreDamaged, StoreUnavailable
from service.store.pubsub import Watch
from service.telemetry import metrics

UntilHungUp = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls a function, at any moment of its context, as soon as the client has hung up."""

RETRY_MS = 2000
HEARTBEAT_SECONDS = 15.0
PAUSE_SECONDS = 1.0
WAIT_SECONDS = "5"

RETRY = f"retry: {RETRY_MS}\n\n".encode()
HEARTBEAT = b": waiting\n\n"
DELETED = b"event: deleted\ndata: {}\n\n"


class Client(NamedTuple):
    """Who has streams: a token, or without one an address; and that address."""

    name: str
    address: str


class Places:
    """How many streams and long polls a process has: in all, by client, and by address.

    Whoever holds many tokens gets no more for them than their address may have.
    """

    def __init__(self, most: int, most_a_client: int, most_an_address: int) -> None:
        self._most = most
        self._most_a_client = most_a_client
        self._most_an_address = most_an_address
        self._by_client: Counter[str] = Counter()
        self._by_address: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.taken = 0

    @contextmanager
    def place(self, client: Client) -> Iterator[None]:
        """A place for a client, for as long as its stream runs; refused where there is none."""
        self.take(client)
        try:
            yield
        finally:
            self.leave(client)

    def take(self, client: Client) -> None:
        """Take a place, to be left again."""
        with self._lock:
            if self._by_client[client.name] >= self._most_a_client:
                raise _no_place("rate_limited", say("limit.streams", most=self._most_a_client))
            if self._by_address[client.address] >= self._most_an_address:
                detail = say("limit.address_streams", most=self._most_an_address)
                raise _no_place("rate_limited", detail)
            if self.taken >= self._most:
                raise _no_place("streams_full", say("limit.worker_streams", most=self._most))
            self._by_client[client.name] += 1
            self._by_address[client.address] += 1
            self.taken += 1
        metrics.STREAMS_OPEN.inc()

    def leave(self, client: Client) -> None:
        """Leave a place."""
        with self._lock:
            self.taken -= 1
            for counter, key in zip((self._by_client, self._by_address), client, strict=True):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
        metrics.STREAMS_OPEN.dec()


def _no_place(code: str, detail: Message) -> Problem:
    return Problem(code, detail, headers={"Retry-After": WAIT_SECONDS})


class LogPosition(NamedTuple):
    """A place in a log: after the n-th event, which is known by its mark; n is 0 at its start."""

    n: int
    nonce: bytes = b""


NOWHERE = LogPosition(1 << 31)
"""A place that no log has."""


def event_id(keyring: Keyring, n: int, nonce: bytes) -> str:
    """Names an event, and no other that had its number before a rollback of the store."""
    return f"{n}-{keyring.tag('event', n, nonce.hex())}"


def seconds_left(session: GameSession, now_ms: int) -> float:
    """How long a watcher may sleep before it has to see to the game itself."""
    deadline = due_ms(session, now_ms, REQUEST_POLICY.patience_ms)
    if deadline is None:
        return HEARTBEAT_SECONDS
    # Overdue after all: a worker is thinking, or the store takes no writes just now.
    return (deadline - now_ms) / 1000 if deadline > now_ms else PAUSE_SECONDS


@dataclass(frozen=True, slots=True)
class EventStream:
    """Tells one viewer what happens in one game, from an event on."""

    event_cache: EventCache
    keyring: Keyring
    clock: Callable[[], int]
    viewer: Viewer
    game_id: str
    generations: tuple[str, ...]
    until_hung_up: UntilHungUp

    def tell(self, start: LogPosition) -> Generator[bytes]:
        """The stream from this place in the log on; from a place it does not have, a resync."""
        yield RETRY
        try:
            with (
                self.event_cache.watching(self.game_id) as (watch, feed),
                self.until_hung_up(watch.end),
            ):
                yield from self._follow(watch, feed, start)
        except GameNotFound:
            yield DELETED
        except (StoreUnavailable, StoreDamaged, UnknownFormat):
            # Whoever comes again is told what is wrong, or finds a worker who can read it.
            return

    def _follow(self, watch: Watch, feed: WatchedGame, place: LogPosition) -> Iterator[bytes]:
        beat = monotonic() + HEARTBEAT_SECONDS
        while not (watch.ended or self.event_cache.news.closed):
            try:
                latest = self.event_cache.look(feed, watch)
                if self._void(latest):
                    return
                come = self.event_cache.since(latest, *place)
            except StoreUnavailable:
                # Nothing is lost: the log is looked at again until the store is back.
                patience = PAUSE_SECONDS
            else:
                if come is None:
                    place = LogPosition(latest.newest, latest.nonce)
                    yield self._resync(place)
                elif come:
                    auto_bid = latest.session.game.auto_bid
                    yield from (self._message(feed, each, auto_bid=auto_bid) for each in come)
                    place = LogPosition(come[-1].entry.event.n, come[-1].nonce)
                    beat = monotonic() + HEARTBEAT_SECONDS
                if place.n < latest.newest:
                    continue
                if latest.session.game.phase == "finished":
                    return
                patience = seconds_left(latest.session, self.clock())
            if not watch.wait(min(patience, beat - monotonic())) and monotonic() >= beat:
                beat = monotonic() + HEARTBEAT_SECONDS
                yield HEARTBEAT

    def _message(self, feed: WatchedGame, logged: LoggedEntry, *, auto_bid: bool) -> bytes:
        def make() -> bytes:
            id_ = event_id(self.keyring, logged.entry.event.n, logged.nonce)
            shape = event_shape(logged.entry, id_, self.viewer, auto_bid=auto_bid)
            data = orjson.dumps(shape)
            return b"id: %b\nevent: %b\ndata: %b\n\n" % (id_.encode(), shape["type"].encode(), data)

        return self.event_cache.message(feed, logged, self.viewer.seat, make)

    def _resync(self, place: LogPosition) -> bytes:
        """Tells that the log is another one now: look at the game again and go on from here."""
        id_ = event_id(self.keyring, *place).encode()
        return b'id: %b\nevent: resync\ndata: {"last":%d}\n\n' % (id_, place.n)

    def _void(self, latest: Snapshot) -> bool:
        """Whether the token that opened the stream counts no longer."""
        if self.viewer == ANYBODY:
            return False
        mine = self.viewer.place
        return latest.session.token_generations[mine] != self.generations[mine]
