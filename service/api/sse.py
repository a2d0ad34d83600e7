"""Event streams: what is sent on them, and how many there may be.

A stream outlives the request context of its view, so nothing here uses Flask.
"""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from random import randrange
from time import monotonic
from typing import NamedTuple

import orjson

from service.api.problems import Problem
from service.api.serializers import serialize_event
from service.games.autoplay import REQUEST_POLICY, due_ms
from service.games.feed_events import offer_document
from service.games.keyring import ANYBODY, Keyring, Viewer
from service.games.rematch import all_arrived
from service.games.service import GameNotFound, LoggedEntry
from service.games.session import GameSession, RematchOffer
from service.i18n import say
from service.live.event_cache import EventCache, Snapshot
from service.rules.codec import UnknownFormat
from service.rules.state import Game
from service.store.base import StoreDamaged, StoreUnavailable
from service.store.pubsub import Watch
from service.telemetry import metrics

UntilDisconnect = Callable[[Callable[[], None]], AbstractContextManager[None]]
"""Calls the function, at any moment within the context, once the client has disconnected."""

RETRY_MS = 2000
HEARTBEAT_SECONDS = 15.0
PAUSE_SECONDS = 1.0
RETRY_AFTER = "5"
REMATCH_SECONDS = 300
AFTER_END = ".rematch"
"""Ends the id of a message that is not an event of the log but follows its last one."""

RETRY = f"retry: {RETRY_MS}\n\n".encode()
HEARTBEAT = b": waiting\n\n"
DELETED = b"event: deleted\ndata: {}\n\n"


def come_back() -> bytes:
    """The last message of a stream whose worker stops: reconnect soon, but not all at once."""
    return b"retry: %d\n\n" % randrange(RETRY_MS)  # noqa: S311  # it is not a secret


class Client(NamedTuple):
    """Who has streams: a token, or the address if there is no token; and the address."""

    name: str
    address: str


class StreamLimits:
    """Limits the streams and long polls of a process: in all, per client, and per address.

    A client with many tokens still has only one address.
    """

    def __init__(self, most: int, most_per_client: int, most_per_address: int) -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._most_per_address = most_per_address
        self._open: Counter[tuple[str, ...]] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def slot(self, client: Client) -> Iterator[None]:
        """A slot for a client while its stream runs; a `Problem` if there is none left."""
        limits = (
            (("client", client.name), self._most_per_client, "rate_limited", "limit.streams"),
            (
                ("at", client.address),
                self._most_per_address,
                "rate_limited",
                "limit.address_streams",
            ),
            (("all",), self._most, "streams_full", "limit.worker_streams"),
        )
        mine = Counter(key for key, *_ in limits)
        with self._lock:
            for key, most, code, message_key in limits:
                if self._open[key] >= most:
                    detail = say(message_key, most=most)
                    raise Problem(code, detail, headers={"Retry-After": RETRY_AFTER})
            self._open += mine
        metrics.STREAMS_OPEN.inc()
        try:
            yield
        finally:
            with self._lock:
                self._open -= mine
            metrics.STREAMS_OPEN.dec()


class LogPosition(NamedTuple):
    """A position in a log: after event n, which has this nonce; n is 0 at the start."""

    n: int
    nonce: bytes = b""


NOWHERE = LogPosition(1 << 31)
"""A position that no log has."""


def seconds_left(session: GameSession, now_ms: int) -> float:
    """How long a watcher may wait before it has to load the game itself."""
    deadline = due_ms(session, now_ms, REQUEST_POLICY.patience_ms)
    if deadline is None:
        return HEARTBEAT_SECONDS
    # Still overdue: a worker is computing the move, or the store accepts no writes right now.
    return (deadline - now_ms) / 1000 if deadline > now_ms else PAUSE_SECONDS


@dataclass(frozen=True, slots=True)
class EventStream:
    """The event stream of one game for one viewer."""

    event_cache: EventCache
    keyring: Keyring
    clock: Callable[[], int]
    viewer: Viewer
    game_id: str
    generations: tuple[str, ...]
    until_disconnect: UntilDisconnect
    note_presence: Callable[[GameSession], None]
    """Called again and again while the viewer is there."""
    waits_for_rematch: bool
    """Whether to stay for a while after the end, to tell of a rematch."""

    def messages(self, start: LogPosition) -> Generator[bytes]:
        """The stream from this position on; a resync if the log does not have the position."""
        yield RETRY
        try:
            with self.event_cache.watch(self.game_id) as watch, self.until_disconnect(watch.end):
                yield from self._follow(watch, start)
            if self.event_cache.closed:
                yield come_back()
        except GameNotFound:
            yield DELETED
        except (StoreUnavailable, StoreDamaged, UnknownFormat):
            # A client that reconnects gets the reason, or finds a worker that can read the game.
            return

    def _follow(self, watch: Watch, position: LogPosition) -> Iterator[bytes]:
        beat = monotonic() + HEARTBEAT_SECONDS
        told: RematchOffer | None = None
        while not watch.ended:
            try:
                latest = self.event_cache.refresh(self.game_id, watch)
                if self._token_renewed(latest):
                    return
                self.note_presence(latest.session)
                news = self.event_cache.since(latest, *position)
            except StoreUnavailable:
                # Nothing is lost: the log is read again until the store is back.
                timeout = PAUSE_SECONDS
            else:
                if news is None:
                    position = LogPosition(latest.newest, latest.nonce)
                    yield self._resync(position)
                elif news:
                    game = latest.session.game
                    yield from (self._message(watch, each, game) for each in news)
                    position = LogPosition(news[-1].entry.event.n, news[-1].nonce)
                    beat = monotonic() + HEARTBEAT_SECONDS
                if position.n < latest.newest:
                    continue
                yield from self._rematch(position, latest.session.rematch, told)
                told = latest.session.rematch
                timeout = self._longest_wait(latest.session)
                if timeout <= 0:
                    return
            if not watch.wait(min(timeout, beat - monotonic())) and monotonic() >= beat:
                beat = monotonic() + HEARTBEAT_SECONDS
                yield HEARTBEAT

    def _message(self, watch: Watch, logged: LoggedEntry, game: Game) -> bytes:
        def make() -> bytes:
            event = serialize_event(logged, self.viewer, self.keyring, game)
            id_, type_ = event["id"].encode(), event["type"].encode()
            return b"id: %b\nevent: %b\ndata: %b\n\n" % (id_, type_, orjson.dumps(event))

        # The start of a game changes what is shown of the events before it.
        key = (logged.nonce, self.viewer.seat, game.phase == "waiting")
        return self.event_cache.message(watch, key, make)

    def _longest_wait(self, session: GameSession) -> float:
        """How many seconds to wait before the game is loaded again; 0 if the stream is over."""
        if session.game.phase != "finished":
            return seconds_left(session, self.clock())
        if not self.waits_for_rematch or all_arrived(session):
            return 0
        left = REMATCH_SECONDS - (self.clock() - session.updated_ms) / 1000
        return min(left, HEARTBEAT_SECONDS)

    def _rematch(
        self, position: LogPosition, offer: RematchOffer | None, told: RematchOffer | None
    ) -> Iterator[bytes]:
        """News of the rematch. The log stays as it is: the id is still that of its last event."""
        if offer is not None and offer != told and self.viewer != ANYBODY:
            id_ = (self.keyring.event_id(*position) + AFTER_END).encode()
            data = orjson.dumps(offer_document(offer))
            yield b"id: %b\nevent: rematch\ndata: %b\n\n" % (id_, data)

    def _resync(self, position: LogPosition) -> bytes:
        """The log was rolled back: the client reads the game again and goes on from here."""
        id_ = self.keyring.event_id(*position).encode()
        return b'id: %b\nevent: resync\ndata: {"last":%d}\n\n' % (id_, position.n)

    def _token_renewed(self, latest: Snapshot) -> bool:
        """Whether the token that opened the stream is no longer valid."""
        if self.viewer == ANYBODY:
            return False
        mine = self.viewer.place
        return latest.session.token_generations[mine] != self.generations[mine]
