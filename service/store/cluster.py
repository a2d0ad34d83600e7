"""The servers of a Cluster, and which of them has which slot.

What is known is asked for anew when it has proved wrong, by one caller for all who wait for it.
Calls whose server is well never wait for that.
"""

import random
import threading
from contextlib import suppress
from queue import Empty
from time import monotonic
from typing import Any, Final

import redis
from redis.crc import REDIS_CLUSTER_HASH_SLOTS as SLOTS
from redis.crc import key_slot
from redis.exceptions import ClusterDownError

from service.store.executor import Executor
from service.store.pool import StorePool, ask_once
from service.store.redis_url import Host

SHARED_SECONDS: Final = 0.1
"""What was learned so recently is not asked for again, however many find it wrong."""


class Server(StorePool):
    """The connections to one server of a Cluster."""

    def __init__(self, host: Host, **options: Any) -> None:
        self.host, self.port = host
        self.left = False
        super().__init__(host=self.host, port=self.port, **options)
        self.executor = Executor(self)

    def leave(self) -> None:
        """Close what is idle, and the rest as it comes back: nothing is asked here any more."""
        self.left = True
        idle = []
        with suppress(Empty):
            while True:
                idle.append(self.pool.get_nowait())
        for connection in idle:
            if connection is not None:
                connection.disconnect()
            self.pool.put_nowait(connection)

    def give_back(self, connection: Any) -> None:
        """End of a loan."""
        if self.left:
            connection.disconnect()
        super().give_back(connection)


class ClusterPool(StorePool):
    """All servers of a Cluster. What a pool has connections of its own for goes to the first."""

    def __init__(self, seeds: tuple[Host, ...], **options: Any) -> None:
        super().__init__(host=seeds[0][0], port=seeds[0][1], **options)
        self._options = options
        self._seeds = seeds
        self._servers: dict[Host, Server] = {}
        self._slots: list[Server | None] = []
        self._learning = threading.Lock()
        self._learned = float("-inf")
        self._doubted: Host | None = None

    def server_of(self, slot: int, deadline: float) -> Server:
        """Who has the slot; a RedisError if nobody has it."""
        doubted, self._doubted = self._doubted, None
        if doubted or not self._slots or self._slots[slot] is None:
            self.learn(deadline, doubted)
        server = self._slots[slot] if self._slots else None
        if server is None:
            raise ClusterDownError("the slot is not served")
        return server

    def primaries(self, deadline: float) -> list[Server]:
        """All servers that have slots, in no order."""
        if not self._slots:
            self.learn(deadline)
        found = list({server for server in self._slots if server is not None})
        random.shuffle(found)
        return found

    def moved(self, slot: int, host: Host) -> Server:
        """Take a server's word for where a slot is now."""
        server = self.server_at(host)
        if self._slots:
            self._slots[slot] = server
        return server

    def learn(self, deadline: float, doubted: Host | None = None) -> None:
        """Ask the servers who has which slot, the doubted one last, unless somebody just did.

        If nobody answers, what was known before still counts.
        """
        if not self._learning.acquire(timeout=max(0.0, deadline - monotonic())):
            raise redis.TimeoutError
        try:
            if monotonic() - self._learned > SHARED_SECONDS:
                try:
                    self._ask_around(deadline, doubted)
                finally:
                    self._learned = monotonic()
        finally:
            self._learning.release()

    def _ask_around(self, deadline: float, doubted: Host | None) -> None:
        hosts = list({*self._servers, *self._seeds})
        random.shuffle(hosts)
        failure: Exception = redis.ConnectionError("no server of the Cluster answers")
        for host in sorted(hosts, key=lambda host: host == doubted):
            seconds = min(deadline - monotonic(), self.patience / 4)
            connection = self.server_at(host).listener(None)
            try:
                told = ask_once(connection, seconds, "CLUSTER", "SLOTS")
            except redis.RedisError as error:
                if not isinstance(error, redis.ConnectionError) or isinstance(
                    error, redis.AuthenticationError
                ):
                    failure = error
                continue
            if told:
                self._take_in(told, host)
                return
        if not self._slots:
            raise failure

    def _take_in(self, told: list[Any], by: Host) -> None:
        """Replace what is known; servers without slots are left."""
        slots: list[Server | None] = [None] * SLOTS
        for first, last, (name, port, *_), *_replicas in told:
            # A server that does not know its own name has none to give.
            host = (name.decode() if name else by[0], port)
            slots[first : last + 1] = [self.server_at(host)] * (last + 1 - first)
        self._slots = slots
        kept = set(slots)
        for host, server in list(self._servers.items()):
            if server not in kept:
                del self._servers[host]
                server.leave()

    def server_at(self, host: Host) -> Server:
        """The server of this address, known or not."""
        found = self._servers.get(host)
        if found is None:
            found = self._servers.setdefault(host, Server(host, **self._options))
        return found

    # For whoever listens

    def place_of(self, channel: str) -> object:
        """The server that has the channel's slot."""
        return self.server_of(key_slot(channel.encode()), monotonic() + self.patience)

    def listener(self, place: object) -> Any:
        """A connection of the caller's own to this server."""
        if not isinstance(place, Server):
            raise TypeError("a place comes from place_of")
        return place.listener(None)

    def doubt(self, connection: Any) -> None:
        """Have the next call ask who has which slot, and this one last."""
        self._doubted = (connection.host, connection.port)

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Close everything."""
        for server in list(self._servers.values()):
            server.disconnect(inuse_connections)
