"""A store whose primary is named by Sentinels.

Connections are redis-py's, which ask for the primary's address whenever they are opened. Added
here: a majority of the Sentinels is asked and the newest configuration wins, the server must
confirm that it is a primary, and all of that happens within the time limit of the call. So a
killed primary that comes back with its old data is not used once another one has taken over,
nor is a replica that is still empty.
"""

import logging
import threading
from time import monotonic
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.connection import SSLConnection
from redis.retry import Retry
from redis.sentinel import (
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
    SentinelManagedSSLConnection,
)

from service.store.bounded_connection import look_up
from service.store.pool import StorePool
from service.store.redis_url import Host

log = logging.getLogger("qwirkle")

SHARED_SECONDS: Final = 0.1
"""All who connect share an answer this recent; otherwise hundreds would ask at once."""

REFRESH_SECONDS: Final = 2.0
"""A primary that was cut off from all others does not know that it was replaced."""

REFRESH_AFTER_FAILURE_SECONDS: Final = 10.0


class MajoritySentinel(Sentinel):
    """Names the primary by the newest configuration that a majority of the Sentinels has."""

    def __init__(
        self, hosts: tuple[Host, ...], service: str, options: dict[str, Any], call_timeout: float
    ) -> None:
        connection_class = options["connection_class"]
        super().__init__(  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
            hosts,
            sentinel_kwargs={
                "ssl": issubclass(connection_class, SSLConnection),
                "retry": Retry(NoBackoff(), 0),
                "driver_info": None,
                "protocol": 2,
                **{name: each for name, each in options.items() if name != "connection_class"},
            },
        )
        self.service = service
        self.primary: Host | None = None
        self._call_timeout = call_timeout
        self._lock = threading.Lock()
        self._asked_at, self._refresh_at = float("-inf"), float("inf")

    def discover_master(self, _service_name: str) -> Host:
        """The primary that was last named."""
        return self.primary or self.find(self._call_timeout)

    def find(self, within: float) -> Host:
        """The primary's current address; a RedisError if nobody names one within the seconds."""
        if not self._lock.acquire(timeout=within):
            raise redis.TimeoutError
        try:
            if self.primary is None or monotonic() - self._asked_at > SHARED_SECONDS:
                return self._ask_majority(within)
            return self.primary
        finally:
            self._lock.release()

    def refresh(self) -> None:
        """Check every few seconds that the primary is still the same; never fails."""
        if monotonic() < self._refresh_at or not self._lock.acquire(blocking=False):
            return
        try:
            self._ask_majority(self._call_timeout / 2)
        except redis.RedisError as error:
            log.warning("the Sentinels do not answer: %s", type(error).__name__)
            self._refresh_at = monotonic() + REFRESH_AFTER_FAILURE_SECONDS
        finally:
            self._lock.release()

    def _ask_majority(self, within: float) -> Host:
        deadline = monotonic() + within
        answers: list[tuple[int, Host]] = []
        failure: redis.RedisError = redis.ConnectionError("no Sentinel names a primary")
        for sentinel in tuple(self.sentinels):
            try:
                answers.append(self._ask(sentinel, deadline))
            except (redis.RedisError, OSError) as error:
                if isinstance(error, redis.AuthenticationError):
                    failure = error
                # A Sentinel that fails is asked last next time.
                self.sentinels.remove(sentinel)
                self.sentinels.append(sentinel)
            if len(answers) > len(self.sentinels) // 2:
                break
        if not answers:
            raise failure
        self.primary = max(answers)[1]
        self._asked_at = monotonic()
        self._refresh_at = self._asked_at + REFRESH_SECONDS
        return self.primary

    def _ask(self, sentinel: redis.Redis, deadline: float) -> tuple[int, Host]:
        pool = sentinel.connection_pool
        connection = pool.connection_class(**pool.connection_kwargs)
        seconds = min(deadline - monotonic(), self._call_timeout / 4)
        if seconds <= 0:
            raise redis.TimeoutError
        began = monotonic()
        look_up(connection.host, seconds)
        left = max(0.001, seconds - (monotonic() - began))
        connection.socket_connect_timeout = connection.socket_timeout = left
        try:
            connection.connect()
            connection.send_command("SENTINEL", "MASTER", self.service, check_health=False)
            fields = connection.read_response()
        finally:
            connection.disconnect()
        state = dict(zip(fields[::2], fields[1::2], strict=True))
        return int(state[b"config-epoch"]), (state[b"ip"].decode(), int(state[b"port"]))


class PrimaryConnection(SentinelManagedConnection):
    """A connection that finds the primary and opens within one time limit."""

    def connect(self) -> None:
        """Connect to the current primary; a RedisError if that fails in time."""
        if self.is_connected:
            return
        limit, began = self.socket_connect_timeout or 0.0, monotonic()
        host, _ = self.connection_pool.sentinel_manager.find(limit)
        look_up(host, max(0.001, limit - (monotonic() - began)))
        self.socket_connect_timeout = max(0.001, limit - (monotonic() - began))
        try:
            super().connect()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
        finally:
            self.socket_connect_timeout = limit


class SSLPrimaryConnection(PrimaryConnection, SentinelManagedSSLConnection):
    """The same with TLS."""


def _check_role(connection: Any) -> None:
    connection.on_connect()
    connection.send_command("ROLE", check_health=False)
    if connection.read_response()[0] != b"master":
        raise redis.ConnectionError("the server that the Sentinels name is not a primary")


class SentinelPool(StorePool, SentinelConnectionPool):
    """Connections to the primary, whichever server that is."""

    def __init__(
        self, sentinel: MajoritySentinel, *, connection_class: type, **options: Any
    ) -> None:
        self._sentinel = sentinel
        tls = issubclass(connection_class, SSLConnection)
        super().__init__(
            connection_class=SSLPrimaryConnection if tls else PrimaryConnection,
            redis_connect_func=_check_role,
            service_name=sentinel.service,
            sentinel_manager=sentinel,
            **options,
        )

    def acquire(self) -> Any:
        """A connection that does not lead to a former primary."""
        self._sentinel.refresh()
        connection = super().acquire()
        if connection.is_connected and not self.is_current(connection):
            connection.disconnect()
        return connection

    def is_current(self, connection: Any) -> bool:
        """Whether the Sentinels named this server when they were last asked."""
        return self._sentinel.primary in (None, (connection.host, connection.port))
