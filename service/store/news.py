"""Wakes whoever watches a game when it changes: one connection for a whole process.

News may be lost (a dropped connection, a failover), so they are a reason to look, never
the truth: whoever is woken reads the log, and everybody is woken after every reconnection.
"""

import logging
import threading
from collections import defaultdict
from time import monotonic
from types import TracebackType
from typing import Any, Self

import redis

from service.store import keys
from service.store.connect import StorePool

log = logging.getLogger("qwirkle")

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

    def wait(self, seconds: float) -> bool:
        """Wait for news; False if none came in this time. News since the last call count."""
        woken = self._woken.wait(max(0.0, seconds))
        self._woken.clear()
        return woken


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
        self._watches: dict[str, set[Watch]] = defaultdict(set)
        self._confirmed: dict[str, threading.Event] = {}
        self._connection: Any = None
        self._number = 0
        self._listening = False
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
            first = not self._watches[channel]
            self._watches[channel].add(watch)
            confirmed = self._confirmed.setdefault(channel, threading.Event())
            if not self._listening:
                self._listening = True
                threading.Thread(target=self._listen, name="news", daemon=True).start()
            elif first:
                self._send("SSUBSCRIBE", channel)
        confirmed.wait(self._pool.patience)

    def leave(self, watch: Watch) -> None:
        """End of a watch."""
        channel = keys.news_channel(watch.game_id)
        with self._lock:
            watches = self._watches[channel]
            watches.discard(watch)
            if not watches:
                del self._watches[channel]
                del self._confirmed[channel]
                self._send("SUNSUBSCRIBE", channel)

    def _send(self, *command: str) -> None:
        """Send if connected; whoever connects next subscribes to everything anyway."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.send_command(*command, check_health=False)
        except (redis.RedisError, OSError):
            self._connection = None
            connection.disconnect()

    def _listen(self) -> None:
        wait = SHORTEST_WAIT
        while not self.closed:
            try:
                self._connect()
                wait = SHORTEST_WAIT
                self._hear()
            except (redis.RedisError, OSError) as error:
                log.warning("the news from the store were cut off: %s", type(error).__name__)
            with self._lock:
                connection, self._connection = self._connection, None
            if connection is not None:
                connection.disconnect()
            threading.Event().wait(wait)
            wait = min(LONGEST_WAIT, wait * 2)

    def _connect(self) -> None:
        connection = self._pool.make_connection()  # type: ignore[no-untyped-call]  # untyped there
        connection.connect()
        with self._lock:
            self._connection = connection
            for confirmed in self._confirmed.values():
                confirmed.clear()
            channels = list(self._watches)
            # In a Cluster all channels of one command must share a slot.
            for channel in channels:
                connection.send_command("SSUBSCRIBE", channel, check_health=False)
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
        kind, channel = message[0], message[1].decode()
        with self._lock:
            if kind == b"ssubscribe" and channel in self._confirmed:
                self._confirmed[channel].set()
            woken = list(self._watches.get(channel, ())) if kind == b"smessage" else []
            self._number += 1
            number = self._number
        for watch in woken:
            watch.wake(number)

    def _wake_all(self) -> None:
        with self._lock:
            watches = [watch for group in self._watches.values() for watch in group]
            self._number += 1
            number = self._number
        for watch in watches:
            watch.wake(number)
