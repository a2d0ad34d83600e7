"""Wakes whoever watches a game when it changes: one connection for a whole process.

News may be lost (a dropped connection, a failover), so they are a reason to look, never
the truth: whoever is woken reads the log, and everybody is woken after every reconnection.
"""

import logging
import threading
from collections import Counter
from collections.abc import Iterable
from time import monotonic
from types import TracebackType
from typing import Any, Self

import redis

from service.store import keys
from service.store.connect import StorePool

log = logging.getLogger("qwirkle")

SUBSCRIBE = "SSUBSCRIBE"
UNSUBSCRIBE = "SUNSUBSCRIBE"

PING_SECONDS = 15.0
SHORTEST_WAIT = 0.1
LONGEST_WAIT = 2.0


class Watch:
    """One watcher of one game, from entering to leaving it."""

    def __init__(self, news: "News", game_id: str) -> None:
        self.game_id = game_id
        self._news = news
        self._woken = threading.Event()
        self.heard = 0
        self.ended = False

    def __enter__(self) -> Self:
        self._news.join(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._news.leave(self)

    def wake(self, number: int) -> None:
        """Tell the watcher that there may be something new; ``heard`` is the news' number."""
        self.heard = number
        self._woken.set()

    def end(self) -> None:
        """Wake the watcher for good: nobody is there any more to tell."""
        self.ended = True
        self._woken.set()

    def wait(self, seconds: float) -> bool:
        """Wait for news; False if none came in this time. News since the last call count."""
        woken = self._woken.wait(max(0.0, seconds))
        self._woken.clear()
        return woken


class Subscription:
    """The watchers of one game, and whether the store is sure to tell us of it."""

    def __init__(self) -> None:
        self.watches: set[Watch] = set()
        self.confirmed = threading.Event()


class News:
    """The watchers of a process, and the one connection that wakes them.

    Nothing is connected, and no thread runs, before the first game is watched; so it is
    safe to make before a fork.
    """

    def __init__(self, client: redis.Redis) -> None:
        pool = client.connection_pool
        if not isinstance(pool, StorePool):
            raise TypeError("the client must come from service.store.connect")
        self._pool = pool
        self._lock = threading.Lock()
        self._subscriptions: dict[str, Subscription] = {}
        self._unanswered: Counter[str] = Counter()
        self._connection: Any = None
        self._listening = False
        self.number = 0
        self.closed = False

    def watch(self, game_id: str) -> Watch:
        """A watcher of this game, to be entered."""
        return Watch(self, game_id)

    def close(self) -> None:
        """Wake everybody for good: the process is about to end."""
        self.closed = True
        self._wake_all()

    def join(self, watch: Watch) -> None:
        """Returns once nothing that happens to the game from now on can be missed.

        If the store is away it returns after a while; the reconnection wakes the watcher.
        """
        channel = keys.news_channel(watch.game_id)
        with self._lock:
            subscription = self._subscriptions.get(channel)
            if subscription is None:
                subscription = self._subscriptions[channel] = Subscription()
                self._send(SUBSCRIBE, channel)
            subscription.watches.add(watch)
            if not self._listening:
                self._listening = True
                threading.Thread(target=self._listen, name="news", daemon=True).start()
        subscription.confirmed.wait(self._pool.patience)
        with self._lock:
            # Whatever was read before is older than this watch.
            self.number += 1
            watch.heard = self.number

    def leave(self, watch: Watch) -> None:
        """End of a watch."""
        channel = keys.news_channel(watch.game_id)
        with self._lock:
            subscription = self._subscriptions[channel]
            subscription.watches.discard(watch)
            if not subscription.watches:
                del self._subscriptions[channel]
                self._send(UNSUBSCRIBE, channel)

    def _send(self, *command: str) -> None:
        """Send if connected; whoever connects next subscribes to everything anyway."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.send_command(*command, check_health=False)
            if command[0] == SUBSCRIBE:
                self._unanswered[command[1]] += 1
        except (redis.RedisError, OSError):
            self._connection = None
            connection.disconnect()

    def _listen(self) -> None:
        wait = SHORTEST_WAIT
        while not self.closed:
            began = monotonic()
            try:
                self._connect()
                self._hear()
            except (redis.RedisError, OSError) as error:
                log.warning("the news from the store were cut off: %s", type(error).__name__)
            except Exception:
                # Without this thread every stream of the process would be deaf for good.
                log.exception("the news from the store could not be understood")
            with self._lock:
                connection, self._connection = self._connection, None
            if connection is not None:
                connection.disconnect()
            # A store that takes the connection but not what we ask is no reason for haste.
            lasted = monotonic() - began > LONGEST_WAIT
            wait = SHORTEST_WAIT if lasted else min(LONGEST_WAIT, wait * 2)
            threading.Event().wait(wait)

    def _connect(self) -> None:
        connection = self._pool.make_connection()  # type: ignore[no-untyped-call]  # untyped there
        connection.connect()
        with self._lock:
            self._connection = connection
            self._unanswered.clear()
            for channel, subscription in self._subscriptions.items():
                subscription.confirmed.clear()
                # One by one: in a Cluster all channels of one command must share a slot.
                self._send(SUBSCRIBE, channel)
        self._wake_all()

    def _hear(self) -> None:
        """Pass on what comes until the connection drops; a silent one is asked now and then."""
        asked = heard = monotonic()
        while not self.closed:
            connection = self._connection
            if connection is None:
                return
            if connection.can_read(timeout=1.0):
                heard = monotonic()
                self._pass_on(connection.read_response(disable_decoding=True))
            elif monotonic() - max(asked, heard) > PING_SECONDS:
                asked = monotonic()
                with self._lock:
                    self._send("PING")
            elif asked > heard + PING_SECONDS and monotonic() - asked > self._pool.patience:
                raise redis.TimeoutError("no answer to a ping")

    def _pass_on(self, message: Any) -> None:
        if not isinstance(message, list):
            return  # the answer to a ping while nothing is subscribed to
        kind, channel = message[0], message[1].decode()
        with self._lock:
            subscription = self._subscriptions.get(channel)
            if kind == b"ssubscribe":
                self._unanswered[channel] -= 1
                # An earlier one may have been taken back again while it was on its way.
                if subscription is not None and self._unanswered[channel] == 0:
                    subscription.confirmed.set()
                self._unanswered += Counter()
            watches = list(subscription.watches) if subscription and kind == b"smessage" else []
        self._wake(watches)

    def _wake_all(self) -> None:
        with self._lock:
            watches = [watch for each in self._subscriptions.values() for watch in each.watches]
        self._wake(watches)

    def _wake(self, watches: Iterable[Watch]) -> None:
        with self._lock:
            self.number += 1
            number = self.number
        for watch in watches:
            watch.wake(number)
