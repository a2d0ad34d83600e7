"""Wakes a worker when something is to be done at once.

A ring may be lost (a dropped connection, a failover): it is a reason to look, and a worker
looks now and then anyway.
"""

import logging
import threading
from typing import Any

import redis

from service.store import keys
from service.store.client import pool_of

log = logging.getLogger("qwirkle")

RECONNECT_SECONDS = 1.0
HEARD_SECONDS = 1.0


class Wakeup:
    """Rings for one worker, from `listen` until `close`."""

    def __init__(self, client: redis.Redis) -> None:
        self._pool = pool_of(client)
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="wakeup", daemon=True)

    def listen(self) -> None:
        """Begin to listen to the store."""
        self._thread.start()

    def wake(self) -> None:
        """Wake the worker."""
        self._woken.set()

    def wait(self, seconds: float) -> None:
        """Wait for a ring, at most so long. One since the last call counts."""
        self._woken.wait(seconds)
        self._woken.clear()

    def close(self) -> None:
        """Stop listening, within a moment that nobody has to wait for."""
        self._closed.set()

    def _listen(self) -> None:
        cut_off = False
        while not self._closed.is_set():
            connection = None
            try:
                connection = self._pool.dedicated_connection(self._pool.node_for(keys.WAKE_CHANNEL))
                connection.connect()
                connection.send_command("SSUBSCRIBE", keys.WAKE_CHANNEL, check_health=False)
                cut_off = False
                self._hear(connection)
            except (redis.RedisError, OSError) as error:
                if not cut_off:
                    log.warning("the worker's bell was cut off: %s", type(error).__name__)
                cut_off = True
                if connection is not None:
                    self._pool.suspect(connection)
                self._closed.wait(RECONNECT_SECONDS)
            finally:
                if connection is not None:
                    connection.disconnect()

    def _hear(self, connection: Any) -> None:
        """Ring for all that comes until the connection drops or is to the wrong server."""
        while not self._closed.is_set() and self._pool.is_current(connection):
            if connection.can_read(timeout=HEARD_SECONDS):
                if connection.read_response()[0] == b"sunsubscribe":
                    # The slot has gone to another server of the Cluster.
                    raise redis.ConnectionError("the channel has moved")
                self.wake()
