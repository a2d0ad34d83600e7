"""Wakes the watchers of a game when it changes, over one connection per server and process.

Notifications may be lost (a dropped connection, a failover), so they only say that there may be
something new: a woken watcher reads the log, and all watchers are woken after every reconnection.
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
MIN_RECONNECT_SECONDS = 0.1
MAX_RECONNECT_SECONDS = 2.0


class Watch:
    """One watcher of one game; a context manager."""

    def __init__(self, pubsub: "GamePubSub", game_id: str) -> None:
        self.game_id = game_id
        self._pubsub = pubsub
        self._woken = threading.Event()
        self.heard = 0
        self.ended = False

    def __enter__(self) -> Self:
        self._pubsub.join(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pubsub.leave(self)

    def wake(self, number: int) -> None:
        """Say that there may be something new; ``heard`` becomes the notification's number."""
        self.heard = number
        self._woken.set()

    def end(self) -> None:
        """Wake the watcher for good: no more notifications will come."""
        self.ended = True
        self._woken.set()

    def wait(self, seconds: float) -> bool:
        """Wait for a notification, also one since the last call; False if none came in time."""
        woken = self._woken.wait(max(0.0, seconds))
        self._woken.clear()
        return woken


class Subscription:
    """The watchers of one game's channel, and whether the store has confirmed it."""

    def __init__(self) -> None:
        self.watches: set[Watch] = set()
        self.confirmed = threading.Event()
        self.subscriber: ShardSubscriber | None = None
        self.moved = False


class GamePubSub:
    """The watchers of a process, and what wakes them.

    It connects and starts a thread only when the first game is watched, so it may be created
    before a fork.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.pool = pool_of(client)
        self.lock = threading.Lock()
        self.subscriptions: dict[str, Subscription] = {}
        self._subscribers: dict[object, ShardSubscriber] = {}
        self.number = 0
        self.closed = False

    def watch(self, game_id: str) -> Watch:
        """A watcher of this game, for a `with` statement."""
        return Watch(self, game_id)

    def close(self) -> None:
        """Wake all watchers: the process is about to end."""
        self.closed = True
        with self.lock:
            watches = [watch for each in self.subscriptions.values() for watch in each.watches]
        self.wake(watches)

    def join(self, watch: Watch) -> None:
        """Return once no later change of the game can be missed.

        If the store cannot be reached it returns after a while; the reconnection wakes the watcher.
        """
        channel = keys.game_channel(watch.game_id)
        node = self._find_node(channel)
        with self.lock:
            subscription = self.subscriptions.get(channel)
            if subscription is None:
                subscription = self.subscriptions[channel] = Subscription()
                self._assign(channel, subscription, node)
            subscription.watches.add(watch)
        subscription.confirmed.wait(self.pool.call_timeout)
        with self.lock:
            # What the watcher read before may be older.
            self.number += 1
            watch.heard = self.number

    def leave(self, watch: Watch) -> None:
        """Remove a watcher."""
        channel = keys.game_channel(watch.game_id)
        with self.lock:
            subscription = self.subscriptions[channel]
            subscription.watches.discard(watch)
            if not subscription.watches:
                del self.subscriptions[channel]
                if subscription.subscriber is not None:
                    subscription.subscriber.unsubscribe(channel)

    def wake(self, watches: Iterable[Watch]) -> None:
        """Wake these watchers."""
        with self.lock:
            self.number += 1
            number = self.number
        for watch in watches:
            watch.wake(number)

    def reassign(self, subscriber: "ShardSubscriber") -> bool:
        """Move channels to the subscriber of the node that now serves them; False if none stays."""
        with self.lock:
            channels = tuple(subscriber.channels)
        nodes = {channel: self.pool.node_for(channel) for channel in channels}
        with self.lock:
            for channel, node in nodes.items():
                if node != subscriber.node and channel in subscriber.channels:
                    subscription = subscriber.channels.pop(channel)
                    subscription.confirmed.clear()
                    subscription.moved = True
                    self._assign(channel, subscription, node)
            if not subscriber.channels:
                self._subscribers.pop(subscriber.node, None)
            return bool(subscriber.channels)

    def _find_node(self, channel: str) -> object:
        try:
            return self.pool.node_for(channel)
        except redis.RedisError:
            # A subscriber without a node looks for the right one until it is found.
            return None

    def _assign(self, channel: str, subscription: Subscription, node: object) -> None:
        subscriber = self._subscribers.get(node)
        if subscriber is None:
            subscriber = self._subscribers[node] = ShardSubscriber(self, node)
            threading.Thread(target=subscriber.listen, name="pubsub", daemon=True).start()
        subscription.subscriber = subscriber
        subscriber.subscribe(channel, subscription)


class ShardSubscriber:
    """A connection to one server, and the channels subscribed to there.

    Its thread ends if no channels are left when it has to reconnect.
    """

    def __init__(self, pubsub: GamePubSub, node: object) -> None:
        self.node = node
        self.channels: dict[str, Subscription] = {}
        self._pubsub = pubsub
        self._unanswered: Counter[str] = Counter()
        self._connection: Any = None

    # Callers of these two hold the lock of the GamePubSub.

    def subscribe(self, channel: str, subscription: Subscription) -> None:
        """Subscribe to this channel."""
        self.channels[channel] = subscription
        self._send(SUBSCRIBE, channel)

    def unsubscribe(self, channel: str) -> None:
        """Unsubscribe from this channel."""
        self.channels.pop(channel, None)
        self._send(UNSUBSCRIBE, channel)

    def _send(self, *command: str) -> None:
        """Send if connected; otherwise the next connection subscribes to everything anyway."""
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
        """Read messages, reconnecting as needed, until no channels are left."""
        wait = MIN_RECONNECT_SECONDS
        while not self._pubsub.closed:
            began = monotonic()
            try:
                if not self._pubsub.reassign(self):
                    return
                self._connect()
                self._read()
            except (redis.RedisError, OSError) as error:
                log.warning("the subscription to the store was lost: %s", type(error).__name__)
            except Exception:
                # Without this thread the streams of the process would get nothing any more.
                log.exception("a message of the store could not be read")
            with self._pubsub.lock:
                connection, self._connection = self._connection, None
            if connection is not None:
                self._pubsub.pool.suspect(connection)
                connection.disconnect()
            # A store that accepts connections but refuses commands must not be pinged too often.
            lasted = monotonic() - began > MAX_RECONNECT_SECONDS
            wait = MIN_RECONNECT_SECONDS if lasted else min(MAX_RECONNECT_SECONDS, wait * 2)
            threading.Event().wait(wait)

    def _connect(self) -> None:
        connection = self._pubsub.pool.dedicated_connection(self.node)
        try:
            connection.connect()
        except redis.RedisError:
            self._pubsub.pool.suspect(connection)
            raise
        with self._pubsub.lock:
            self._connection = connection
            self._unanswered.clear()
            for channel, subscription in self.channels.items():
                subscription.confirmed.clear()
                # One by one: in a Cluster all channels of one command must share a slot.
                self._send(SUBSCRIBE, channel)
            watches = [watch for each in self.channels.values() for watch in each.watches]
        self._pubsub.wake(watches)

    def _read(self) -> None:
        """Read messages until the connection drops; a silent one is pinged from time to time."""
        pinged = heard = monotonic()
        pool = self._pubsub.pool
        while not self._pubsub.closed:
            connection = self._connection
            if connection is None:
                return
            if connection.can_read(timeout=1.0):
                heard = monotonic()
                self._dispatch(connection.read_response(disable_decoding=True))
            elif not pool.is_current(connection):
                raise redis.ConnectionError("another server is the primary now")
            elif monotonic() - max(pinged, heard) > PING_SECONDS:
                pinged = monotonic()
                with self._pubsub.lock:
                    self._send("PING")
            elif pinged > heard + PING_SECONDS and monotonic() - pinged > pool.call_timeout:
                raise redis.TimeoutError("no answer to a ping")

    def _dispatch(self, message: Any) -> None:
        if not isinstance(message, list):
            return  # the answer to a ping without subscriptions
        kind, channel = message[0], message[1].decode()
        woken = kind == b"smessage"
        with self._pubsub.lock:
            subscription = self.channels.get(channel)
            if kind == b"ssubscribe":
                self._unanswered[channel] -= 1
                # Several may be on their way, with an unsubscription between them.
                if subscription is not None and self._unanswered[channel] == 0:
                    subscription.confirmed.set()
                    # Messages may have been missed between the two nodes.
                    woken, subscription.moved = subscription.moved, False
                self._unanswered += Counter()
            elif kind == b"sunsubscribe" and subscription and subscription.confirmed.is_set():
                # We did not ask for it: the slot has moved to another node of the Cluster.
                raise redis.ConnectionError("the channel has moved")
            watches = list(subscription.watches) if subscription and woken else []
        self._pubsub.wake(watches)
