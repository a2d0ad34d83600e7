"""Wakes whoever watches a game when it changes: one connection to a server for a whole process.

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
from service.store.client import pool_of

log = logging.getLogger("qwirkle")

SUBSCRIBE = "SSUBSCRIBE"
UNSUBSCRIBE = "SUNSUBSCRIBE"

PING_SECONDS = 15.0
SHORTEST_WAIT = 0.1
LONGEST_WAIT = 2.0


class Watch:
    """One watcher of one game, from entering to leaving it."""

    def __init__(self, news: "GamePubSub", game_id: str) -> None:
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
        self.ear: ShardSubscriber | None = None
        self.moved = False


class GamePubSub:
    """The watchers of a process, and what wakes them.

    Nothing is connected, and no thread runs, before the first game is watched; so it is
    safe to make before a fork.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.pool = pool_of(client)
        self.lock = threading.Lock()
        self.subscriptions: dict[str, Subscription] = {}
        self._ears: dict[object, ShardSubscriber] = {}
        self.number = 0
        self.closed = False

    def watch(self, game_id: str) -> Watch:
        """A watcher of this game, to be entered."""
        return Watch(self, game_id)

    def close(self) -> None:
        """Wake everybody for good: the process is about to end."""
        self.closed = True
        with self.lock:
            watches = [watch for each in self.subscriptions.values() for watch in each.watches]
        self.wake(watches)

    def join(self, watch: Watch) -> None:
        """Returns once nothing that happens to the game from now on can be missed.

        If the store is away it returns after a while; the reconnection wakes the watcher.
        """
        channel = keys.game_channel(watch.game_id)
        place = self._place(channel)
        with self.lock:
            subscription = self.subscriptions.get(channel)
            if subscription is None:
                subscription = self.subscriptions[channel] = Subscription()
                self._give(channel, subscription, place)
            subscription.watches.add(watch)
        subscription.confirmed.wait(self.pool.call_timeout)
        with self.lock:
            # Whatever was read before is older than this watch.
            self.number += 1
            watch.heard = self.number

    def leave(self, watch: Watch) -> None:
        """End of a watch."""
        channel = keys.game_channel(watch.game_id)
        with self.lock:
            subscription = self.subscriptions[channel]
            subscription.watches.discard(watch)
            if not subscription.watches:
                del self.subscriptions[channel]
                if subscription.ear is not None:
                    subscription.ear.unsubscribe(channel)

    def wake(self, watches: Iterable[Watch]) -> None:
        """Tell these watchers to look."""
        with self.lock:
            self.number += 1
            number = self.number
        for watch in watches:
            watch.wake(number)

    def settle(self, ear: "ShardSubscriber") -> bool:
        """Give every channel of an ear to the one that can hear it now; False if none stays."""
        with self.lock:
            channels = tuple(ear.channels)
        places = {channel: self.pool.node_for(channel) for channel in channels}
        with self.lock:
            for channel, place in places.items():
                if place != ear.place and channel in ear.channels:
                    subscription = ear.channels.pop(channel)
                    subscription.confirmed.clear()
                    subscription.moved = True
                    self._give(channel, subscription, place)
            if not ear.channels:
                self._ears.pop(ear.place, None)
            return bool(ear.channels)

    def _place(self, channel: str) -> object:
        try:
            return self.pool.node_for(channel)
        except redis.RedisError:
            # An ear that is nowhere looks for the right place until there is one.
            return None

    def _give(self, channel: str, subscription: Subscription, place: object) -> None:
        ear = self._ears.get(place)
        if ear is None:
            ear = self._ears[place] = ShardSubscriber(self, place)
            threading.Thread(target=ear.listen, name="news", daemon=True).start()
        subscription.ear = ear
        ear.subscribe(channel, subscription)


class ShardSubscriber:
    """A connection to one server, and the channels that are heard from there.

    Its thread ends, and another ear takes its place, if it has none when it connects anew.
    """

    def __init__(self, news: GamePubSub, place: object) -> None:
        self.place = place
        self.channels: dict[str, Subscription] = {}
        self._news = news
        self._unanswered: Counter[str] = Counter()
        self._connection: Any = None

    # The lock of the news is held by whoever calls these two.

    def subscribe(self, channel: str, subscription: Subscription) -> None:
        """Hear this channel from now on."""
        self.channels[channel] = subscription
        self._send(SUBSCRIBE, channel)

    def unsubscribe(self, channel: str) -> None:
        """Hear this channel no more."""
        self.channels.pop(channel, None)
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

    def listen(self) -> None:
        """Pass on what is heard until there is nothing to hear, or nobody to hear it."""
        wait = SHORTEST_WAIT
        while not self._news.closed:
            began = monotonic()
            try:
                if not self._news.settle(self):
                    return
                self._connect()
                self._hear()
            except (redis.RedisError, OSError) as error:
                log.warning("the news from the store were cut off: %s", type(error).__name__)
            except Exception:
                # Without this thread streams of the process would be deaf for good.
                log.exception("the news from the store could not be understood")
            with self._news.lock:
                connection, self._connection = self._connection, None
            if connection is not None:
                self._news.pool.suspect(connection)
                connection.disconnect()
            # A store that takes the connection but not what we ask is no reason for haste.
            lasted = monotonic() - began > LONGEST_WAIT
            wait = SHORTEST_WAIT if lasted else min(LONGEST_WAIT, wait * 2)
            threading.Event().wait(wait)

    def _connect(self) -> None:
        connection = self._news.pool.dedicated_connection(self.place)
        try:
            connection.connect()
        except redis.RedisError:
            self._news.pool.suspect(connection)
            raise
        with self._news.lock:
            self._connection = connection
            self._unanswered.clear()
            for channel, subscription in self.channels.items():
                subscription.confirmed.clear()
                # One by one: in a Cluster all channels of one command must share a slot.
                self._send(SUBSCRIBE, channel)
            watches = [watch for each in self.channels.values() for watch in each.watches]
        self._news.wake(watches)

    def _hear(self) -> None:
        """Pass on what comes until the connection drops; a silent one is asked now and then."""
        asked = heard = monotonic()
        pool = self._news.pool
        while not self._news.closed:
            connection = self._connection
            if connection is None:
                return
            if connection.can_read(timeout=1.0):
                heard = monotonic()
                self._pass_on(connection.read_response(disable_decoding=True))
            elif not pool.is_current(connection):
                raise redis.ConnectionError("another server is the primary now")
            elif monotonic() - max(asked, heard) > PING_SECONDS:
                asked = monotonic()
                with self._news.lock:
                    self._send("PING")
            elif asked > heard + PING_SECONDS and monotonic() - asked > pool.call_timeout:
                raise redis.TimeoutError("no answer to a ping")

    def _pass_on(self, message: Any) -> None:
        if not isinstance(message, list):
            return  # the answer to a ping while nothing is subscribed to
        kind, channel = message[0], message[1].decode()
        woken = kind == b"smessage"
        with self._news.lock:
            subscription = self.channels.get(channel)
            if kind == b"ssubscribe":
                self._unanswered[channel] -= 1
                # An earlier one may have been taken back again while it was on its way.
                if subscription is not None and self._unanswered[channel] == 0:
                    subscription.confirmed.set()
                    # Between two servers nothing was heard.
                    woken, subscription.moved = subscription.moved, False
                self._unanswered += Counter()
            elif kind == b"sunsubscribe" and subscription and subscription.confirmed.is_set():
                # Not our wish: the slot has gone to another server of the Cluster.
                raise redis.ConnectionError("the channel has moved")
            watches = list(subscription.watches) if subscription and woken else []
        self._news.wake(watches)
