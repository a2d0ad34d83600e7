"""Wakes the watchers of a channel, over one connection per server and process.

Messages may be lost (a dropped connection, a failover), so they only say that there may be
something new: a woken watcher looks for itself, and all watchers of a channel are woken whenever
the store has confirmed the subscription again.
"""

import logging
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import redis

from service.store.client import pool_of

log = logging.getLogger("qwirkle")

PING_SECONDS = 15.0
MIN_RECONNECT_SECONDS = 0.1
MAX_RECONNECT_SECONDS = 2.0


class Subscription:
    """The watchers of one channel, and how often there may have been something new for them."""

    def __init__(self, channel: str) -> None:
        self.channel = channel
        self.watches: set[Watch] = set()
        self.changes = 0
        self.confirmed = threading.Event()
        self.subscriber: ShardSubscriber | None = None

    def notify(self) -> None:
        """Wake all watchers."""
        self.changes += 1
        for watch in tuple(self.watches):
            watch.wake()


class Watch:
    """One watcher of a channel, or of several; the first one's subscription is `subscription`."""

    def __init__(self, subscription: Subscription) -> None:
        self.subscription = subscription
        self.ended = False
        self._woken = threading.Event()

    def wake(self) -> None:
        """Say that there may be something new."""
        self._woken.set()

    def end(self) -> None:
        """Wake the watcher for good: it should stop watching."""
        self.ended = True
        self._woken.set()

    def wait(self, seconds: float) -> bool:
        """Wait to be woken, also since the last call; False if that did not happen in time."""
        woken = self._woken.wait(max(0.0, seconds))
        if not self.ended:
            self._woken.clear()
        return woken


class PubSub:
    """The watchers of a process.

    It connects and starts a thread only when the first channel is watched, so it may be created
    before a fork.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.pool = pool_of(client)
        self.lock = threading.Lock()
        self.closed = False
        self._subscriptions: dict[str, Subscription] = {}
        self._subscribers: dict[object, ShardSubscriber] = {}

    @contextmanager
    def watch(self, *channels: str) -> Iterator[Watch]:
        """A watch of the channels, once no later message can be missed.

        If the store cannot be reached it begins after a while; the reconnection wakes the watcher.
        """
        nodes = [(channel, self._find_node(channel)) for channel in channels]
        with self.lock:
            subscriptions = [self._subscription(channel, node) for channel, node in nodes]
            watch = Watch(subscriptions[0])
            for subscription in subscriptions:
                subscription.watches.add(watch)
            if self.closed:
                watch.end()
        try:
            for subscription in subscriptions:
                subscription.confirmed.wait(self.pool.call_timeout)
            watch.wait(0)  # the confirmation is no news to somebody who has not looked yet
            yield watch
        finally:
            with self.lock:
                for subscription in subscriptions:
                    self._leave(subscription, watch)

    def _subscription(self, channel: str, node: object) -> Subscription:
        subscription = self._subscriptions.get(channel)
        if subscription is None:
            subscription = self._subscriptions[channel] = Subscription(channel)
            self._assign(subscription, node)
        return subscription

    def _leave(self, subscription: Subscription, watch: Watch) -> None:
        subscription.watches.discard(watch)
        if not subscription.watches:
            del self._subscriptions[subscription.channel]
            if subscription.subscriber is not None:
                subscription.subscriber.unsubscribe(subscription)

    def close(self) -> None:
        """End all watches, now and later: the process is about to end."""
        with self.lock:
            self.closed = True
            for subscription in self._subscriptions.values():
                for watch in subscription.watches:
                    watch.end()

    def reassign(self, subscriber: "ShardSubscriber") -> bool:
        """Move channels to the subscriber of the node that now serves them; False if none stays."""
        with self.lock:
            channels = tuple(subscriber.subscriptions)
        nodes = {channel: self.pool.node_for(channel) for channel in channels}
        with self.lock:
            for channel, node in nodes.items():
                if node != subscriber.node and channel in subscriber.subscriptions:
                    self._assign(subscriber.subscriptions.pop(channel), node)
            if not subscriber.subscriptions:
                self._subscribers.pop(subscriber.node, None)
            return bool(subscriber.subscriptions)

    def _find_node(self, channel: str) -> object:
        try:
            return self.pool.node_for(channel)
        except redis.RedisError:
            # A subscriber without a node looks for the right one until it is found.
            return None

    def _assign(self, subscription: Subscription, node: object) -> None:
        subscriber = self._subscribers.get(node)
        if subscriber is None:
            subscriber = self._subscribers[node] = ShardSubscriber(self, node)
            threading.Thread(target=subscriber.listen, name="pubsub", daemon=True).start()
        subscription.subscriber = subscriber
        subscriber.subscribe(subscription)


class ShardSubscriber:
    """A connection to one server, and the channels subscribed to there.

    Its thread ends if no channels are left when it has to reconnect. Methods that change its
    subscriptions need the lock of the `PubSub`.
    """

    def __init__(self, pubsub: PubSub, node: object) -> None:
        self.node = node
        self.subscriptions: dict[str, Subscription] = {}
        self._pubsub = pubsub
        self._connection: Any = None
        # What was sent and not yet answered; the answers come in the same order.
        self._sent: deque[tuple[str, Subscription]] = deque()

    def subscribe(self, subscription: Subscription) -> None:
        """Subscribe to this channel, now or when connected."""
        subscription.confirmed.clear()
        self.subscriptions[subscription.channel] = subscription
        self._send("ssubscribe", subscription)

    def unsubscribe(self, subscription: Subscription) -> None:
        """Unsubscribe from this channel."""
        self.subscriptions.pop(subscription.channel, None)
        self._send("sunsubscribe", subscription)

    def listen(self) -> None:
        """Read messages, reconnecting as needed, until no channels are left."""
        wait, lost = MIN_RECONNECT_SECONDS, False
        while not self._pubsub.closed:
            began = monotonic()
            try:
                if not self._pubsub.reassign(self):
                    return
                self._connect()
                lost = False
                self._read()
            except (redis.RedisError, OSError) as error:
                if not lost:
                    log.warning("the subscription to the store was lost: %s", type(error).__name__)
                lost = True
            except Exception:
                # Without this thread nobody in the process would be woken any more.
                log.exception("a message of the store could not be read")
            with self._pubsub.lock:
                connection, self._connection = self._connection, None
            if connection is not None:
                self._pubsub.pool.suspect(connection)
                connection.disconnect()
            # A store that accepts connections but refuses commands must not be asked too often.
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
            self._sent.clear()
            for subscription in self.subscriptions.values():
                # One by one: in a Cluster all channels of one command must share a slot.
                self.subscribe(subscription)

    def _read(self) -> None:
        """Read messages until the connection drops; a silent one is pinged from time to time."""
        heard, pinged = monotonic(), False
        pool = self._pubsub.pool
        while not self._pubsub.closed and (connection := self._connection) is not None:
            silence = monotonic() - heard
            if connection.can_read(timeout=1.0):
                heard, pinged = monotonic(), False
                self._dispatch(connection.read_response(disable_decoding=True))
            elif not pool.is_current(connection):
                raise redis.ConnectionError("another server is the primary now")
            elif silence > PING_SECONDS + pool.call_timeout:
                raise redis.TimeoutError("no answer to a ping")
            elif silence > PING_SECONDS and not pinged:
                pinged = True
                with self._pubsub.lock:
                    connection.send_command("PING", check_health=False)

    def _send(self, command: str, subscription: Subscription) -> None:
        """Send if connected; otherwise the next connection subscribes to everything anyway."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.send_command(command, subscription.channel, check_health=False)
            self._sent.append((command, subscription))
        except (redis.RedisError, OSError):
            self._connection = None
            connection.disconnect()

    def _dispatch(self, message: Any) -> None:
        if not isinstance(message, list) or message[0] == b"pong":
            return  # the answer to a ping, with or without subscriptions
        kind, channel = message[0].decode(), message[1].decode()
        with self._pubsub.lock:
            if kind == "smessage":
                subscription = self.subscriptions.get(channel)
                if subscription is not None:
                    subscription.notify()
                return
            if not self._sent or (self._sent[0][0], self._sent[0][1].channel) != (kind, channel):
                # We did not ask for it: the slot has moved to another node of the Cluster.
                raise redis.ConnectionError("the channel has moved")
            _, subscription = self._sent.popleft()
            if kind == "ssubscribe":
                subscription.confirmed.set()
                # Messages may have been missed before.
                subscription.notify()
