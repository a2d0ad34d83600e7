"""A store whose primary is named by Sentinels.

Every connection is made to the server that they name at that moment, and only if that server
says itself that it is a primary. So a killed primary that comes back with what it had is not
believed once another one has taken over, and neither is a replica that has yet to be filled.
"""

import logging
import threading
from time import monotonic
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.connection import Connection, SSLConnection
from redis.retry import Retry

from service.store.pool import StorePool, ask_once
from service.store.redis_url import Host

log = logging.getLogger("qwirkle")

SHARED_SECONDS: Final = 0.1
"""An answer so young is good for all who want to connect: else hundreds would ask at once."""

ASK_AGAIN_SECONDS: Final = 2.0
"""A primary that was cut off from all others does not know that it is none any more."""

NOBODY_ANSWERS_SECONDS: Final = 10.0


class Sentinels:
    """Those who know where the primary is."""

    def __init__(
        self, hosts: tuple[Host, ...], service: str, options: dict[str, Any], patience: float
    ) -> None:
        self._hosts = list(hosts)
        self._service = service
        self._options = dict(options)
        self._class = self._options.pop("connection_class")
        self._patience = patience
        self._lock = threading.Lock()
        self._asked, self._next = float("-inf"), float("inf")
        self.primary: Host | None = None

    def find(self, within: float) -> Host:
        """The primary's address as of now; a RedisError if nobody names one within the seconds."""
        if not self._lock.acquire(timeout=within):
            raise redis.TimeoutError
        try:
            if self.primary is None or monotonic() - self._asked > SHARED_SECONDS:
                return self._ask(within)
            return self.primary
        finally:
            self._lock.release()

    def look_again(self) -> None:
        """Find out now and then whether the primary is still the same; never fails."""
        if monotonic() < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            self._ask(self._patience / 2)
        except redis.RedisError as error:
            log.warning("the Sentinels do not answer: %s", type(error).__name__)
            self._next = monotonic() + NOBODY_ANSWERS_SECONDS
        finally:
            self._lock.release()

    def _ask(self, within: float) -> Host:
        """Hear enough of them that a majority is among them; the newest configuration counts."""
        deadline = monotonic() + within
        answers: list[tuple[int, Host]] = []
        failure: redis.RedisError = redis.ConnectionError("no Sentinel names a primary")
        for host in tuple(self._hosts):
            try:
                answers.append(self._ask_one(host, deadline))
            except (redis.RedisError, OSError) as error:
                if isinstance(error, redis.AuthenticationError):
                    failure = error
                # Whoever fails is asked last next time.
                self._hosts.remove(host)
                self._hosts.append(host)
            if len(answers) > len(self._hosts) // 2:
                break
        if not answers:
            raise failure
        self.primary = max(answers)[1]
        self._asked = monotonic()
        self._next = self._asked + ASK_AGAIN_SECONDS
        return self.primary

    def _ask_one(self, host: Host, deadline: float) -> tuple[int, Host]:
        connection = self._class(
            host=host[0],
            port=host[1],
            retry=Retry(NoBackoff(), 0),
            driver_info=None,
            protocol=2,
            **self._options,
        )
        seconds = min(deadline - monotonic(), self._patience / 4)
        fields = ask_once(connection, seconds, "SENTINEL", "MASTER", self._service)
        told = dict(zip(fields[::2], fields[1::2], strict=True))
        return int(told[b"config-epoch"]), (told[b"ip"].decode(), int(told[b"port"]))


class _ToThePrimary:
    """Makes a connection go to whoever is the primary when it is opened."""

    def __init__(self, *, sentinels: Sentinels, **options: Any) -> None:
        self._sentinels = sentinels
        super().__init__(  # type: ignore[call-arg]  # the class beside this one takes them
            redis_connect_func=_introduced, **options
        )

    def _connect(self: Any) -> Any:
        within = self.socket_connect_timeout
        began = monotonic()
        self.host, self.port = self._sentinels.find(within)
        self.socket_connect_timeout = max(0.001, within - (monotonic() - began))
        try:
            return super()._connect()  # type: ignore[misc]  # the class beside this one has it
        finally:
            self.socket_connect_timeout = within


class PrimaryConnection(_ToThePrimary, Connection):
    """A plain one."""


class SSLPrimaryConnection(_ToThePrimary, SSLConnection):
    """One with TLS."""


def _introduced(connection: Any) -> None:
    connection.on_connect()
    connection.send_command("ROLE", check_health=False)
    if connection.read_response()[0] != b"master":
        raise redis.ConnectionError("the server that Sentinels name is no primary")


class SentinelPool(StorePool):
    """Connections to the primary, whichever server that is."""

    def __init__(self, sentinels: Sentinels, *, connection_class: type, **options: Any) -> None:
        self._sentinels = sentinels
        tls = issubclass(connection_class, SSLConnection)
        super().__init__(
            connection_class=SSLPrimaryConnection if tls else PrimaryConnection,
            sentinels=sentinels,
            **options,
        )

    def borrow(self) -> Any:
        """A connection that is not to a server that was the primary before."""
        self._sentinels.look_again()
        connection = super().borrow()
        if connection.is_connected and not self.trusts(connection):
            connection.disconnect()
        return connection

    def trusts(self, connection: Any) -> bool:
        """Whether the Sentinels named this server when they were last asked."""
        return self._sentinels.primary in (None, (connection.host, connection.port))
