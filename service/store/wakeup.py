"""Wakes a worker when there is work to do now.

A message may be lost (a dropped connection, a failover), so a worker also checks regularly.
"""

import logging
import threading
from typing import Any

import redis

from service.store import keys
from service.store.client import pool_of

log = logging.getLogger("qwirkle")

RECONNECT_SECONDS = 1.0
POLL_SECONDS = 1.0


class Wakeup:
    """Wakes one worker, from `listen` until `close`."""

    def __init__(self, client: redis.Redis) -> None:
        self._pool = pool_of(client)
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="wakeup", daemon=True)

    def listen(self) -> None:
        """Start listening to the store."""
        self._thread.start()

    def wake(self) -> None:
        """Wake the worker."""
        self._woken.set()

    def wait(self, seconds: float) -> None:
        """Wait to be woken, at most ``seconds``; a call of `wake` since the last wait counts."""
        self._woken.wait(seconds)
        self._woken.clear()

    def close(self) -> None:
        """Stop listening soon; does not wait for it."""
        self._closed.set()

    def _listen(self) -> None:
        disconnected = False
        while not self._closed.is_set():
            connection = None
            try:
                connection = self._pool.dedicated_connection(self._pool.node_for(keys.WAKE_CHANNEL))
                connection.connect()
                connection.send_command("SSUBSCRIBE", keys.WAKE_CHANNEL, check_health=False)
                disconnected = False
                self._read(connection)
            except (redis.RedisError, OSError) as error:
                if not disconnected:
                    log.warning("the worker's subscription was lost: %s", type(error).__name__)
                disconnected = True
                if connection is not None:
                    self._pool.suspect(connection)
                self._closed.wait(RECONNECT_SECONDS)
            finally:
                if connection is not None:
                    connection.disconnect()

    def _read(self, connection: Any) -> None:
        """Wake for every message until the connection drops or leads to the wrong server."""
        while not self._closed.is_set() and self._pool.is_current(connection):
            if connection.can_read(timeout=POLL_SECONDS):
                if connection.read_response()[0] == b"sunsubscribe":
                    # The slot has moved to another node of the Cluster.
                    raise redis.ConnectionError("the channel has moved")
                self.wake()
