"""Connections that also limit the time to look up a host name.

The system's resolver waits for a silent name server as long as its own configuration says, 10
seconds and more, and gevent has few threads for it.
"""

import ipaddress
import socket
import threading
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic

import redis
from redis.connection import Connection, SSLConnection

_lookups: dict[str, "Future[tuple[str, ...]]"] = {}
_lock = threading.Lock()


def look_up(host: str, within: float) -> tuple[str, ...]:
    """The addresses of a host; a RedisError if there are none within the seconds.

    All who ask for the same host share one lookup, so a name server that does not answer occupies
    one thread.
    """
    try:
        return (str(ipaddress.ip_address(host)),)
    except ValueError:
        pass
    with _lock:
        lookup = _lookups.get(host)
        if lookup is None:
            lookup = _lookups[host] = Future()
            threading.Thread(target=_run, args=(host, lookup), daemon=True).start()
    try:
        return lookup.result(within)
    except TimeoutError:
        raise redis.TimeoutError(f"the address of {host} was not found in time") from None
    except OSError as error:
        raise redis.ConnectionError(f"{host} has no address: {error}") from error


def _run(host: str, lookup: "Future[tuple[str, ...]]") -> None:
    failure: OSError | None = None
    addresses: tuple[str, ...] = ()
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        addresses = tuple(str(address[0]) for *_, address in found)
    except (OSError, UnicodeError) as error:
        failure = error if isinstance(error, OSError) else OSError("it is not a host name")
    with _lock:
        del _lookups[host]
    if failure is None:
        lookup.set_result(addresses)
    else:
        lookup.set_exception(failure)


class BoundedConnection(Connection):
    """A connection whose connect timeout includes the lookup of the host."""

    def connect(self) -> None:
        """Connect to the first address that answers; a RedisError if none does in time."""
        if self.is_connected:
            return None
        name, limit = self.host, self.socket_connect_timeout or 0.0
        deadline = monotonic() + limit
        *others, last = look_up(name, limit)
        try:
            for address in others:
                with suppress(redis.ConnectionError):
                    return self._connect_to(address, deadline)
            return self._connect_to(last, deadline)
        finally:
            self.host, self.socket_connect_timeout = name, limit

    def _connect_to(self, address: str, deadline: float) -> None:
        self.host = address
        self.socket_connect_timeout = max(0.001, deadline - monotonic())
        super().connect()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped


class BoundedSSLConnection(SSLConnection):
    """The same with TLS, for which redis-py looks the host up again.

    It needs the name to check the certificate. So a name server that falls silent between the two
    lookups can still delay a connection.
    """

    def connect(self) -> None:
        """Connect; a RedisError if that fails in time."""
        if self.is_connected:
            return
        limit, began = self.socket_connect_timeout or 0.0, monotonic()
        look_up(self.host, limit)
        self.socket_connect_timeout = max(0.001, limit - (monotonic() - began))
        try:
            super().connect()  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
        finally:
            self.socket_connect_timeout = limit
