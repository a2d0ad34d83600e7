"""From an address to a client with hard limits.

The client never repeats a command by itself: whether that is safe is known only where the command
is. Whoever sends through `service.store.line` gets one repetition after a dropped connection.
"""

from queue import Empty
from typing import Any, NoReturn
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.connection import (
    BlockingConnectionPool,
    Connection,
    SSLConnection,
    UnixDomainSocketConnection,
)
from redis.retry import Retry

SCHEMES: dict[str, type] = {
    "redis": Connection,
    "rediss": SSLConnection,
    "unix": UnixDomainSocketConnection,
}
TLS_OPTIONS = frozenset(
    {"ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile"}
)


class StorePool(BlockingConnectionPool):
    """At most so many connections per process, made when first needed, also after a fork.

    Whoever finds all of them busy waits for one instead of failing, for a part of the time a
    whole call may take.
    """

    def __init__(self, *, timeout: float, connections: int, **options: Any) -> None:
        self.patience = timeout
        super().__init__(  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
            max_connections=connections, timeout=timeout / 2, **options
        )

    def borrow(self) -> Any:
        """A connection, perhaps not open or no longer, to be handed to `give_back` in any case.

        Unlike `get_connection` this does not ask the kernel whether the other end hung up (under
        gevent that costs more than the command): the borrower notices and connects again.
        """
        self._checkpid()
        try:
            connection = self.pool.get(timeout=self.timeout)
        except Empty:
            raise redis.MaxConnectionsError("all connections are busy") from None
        if connection is None:
            connection = self.make_connection()  # type: ignore[no-untyped-call]  # as above
        return connection

    def give_back(self, connection: Any) -> None:
        """End of a loan. A connection whose answer is still to come must be closed before."""
        self._checkpid()
        if connection.pid == self.pid:
            self.pool.put_nowait(connection)


def connect(url: str, *, timeout: float, connections: int) -> redis.Redis:
    """A client for `redis://`, `rediss://` or `unix://`; nothing is sent yet.

    Raises ValueError, without any part of a password, for an address that cannot be right.
    """
    pool = StorePool(
        timeout=timeout,
        connections=connections,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        # Nothing is repeated by the library: it cannot tell a read from a commit.
        retry=Retry(NoBackoff(), 0),
        # Two round trips fewer for every connection made.
        driver_info=None,
        protocol=2,
        **_address(url),
    )
    return redis.Redis(connection_pool=pool)


def _address(url: str) -> dict[str, Any]:
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in SCHEMES:
        _refuse("it must begin with redis://, rediss:// or unix://")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        _refuse("its host or port cannot be read (write special characters as %XX)")
    if parts.fragment:
        _refuse("it holds a # (written %23 inside a password)")
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if scheme == "unix":
        place = _socket_place(parts)
        database = query.pop("db", "0")
    elif host:
        place = {"host": unquote(host), "port": port or 6379}
        database = query.pop("db", parts.path.strip("/") or "0")
    else:
        _refuse("the host is missing")
    if not (database.isascii() and database.isdigit()):
        _refuse("the database must be a number")
    return {
        "connection_class": SCHEMES[scheme],
        "db": int(database),
        "username": unquote(parts.username or "") or None,
        "password": unquote(parts.password or "") or None,
        **place,
        **_tls(scheme, query),
    }


def _socket_place(parts: SplitResult) -> dict[str, Any]:
    if parts.hostname:
        _refuse("a unix socket needs an absolute path: unix:///run/redis.sock")
    if parts.path in ("", "/"):
        _refuse("the path of the unix socket is missing")
    return {"path": unquote(parts.path)}


def _tls(scheme: str, query: dict[str, str]) -> dict[str, Any]:
    allowed = TLS_OPTIONS if scheme == "rediss" else frozenset()
    if set(query) - allowed:
        names = ", ".join(sorted({"db"} | allowed))
        _refuse(f"of options it may have only {names}")
    options: dict[str, Any] = dict(query)
    if query.get("ssl_cert_reqs", "required") not in {"none", "optional", "required"}:
        _refuse("ssl_cert_reqs must be none, optional or required")
    if "ssl_check_hostname" in query:
        if query["ssl_check_hostname"] not in {"true", "false"}:
            _refuse("ssl_check_hostname must be true or false")
        options["ssl_check_hostname"] = query["ssl_check_hostname"] == "true"
    return options


def _refuse(why: str) -> NoReturn:
    # The error being handled may quote a password, so it must not show up behind this one.
    raise ValueError(f"The Redis URL is not usable: {why}.") from None
