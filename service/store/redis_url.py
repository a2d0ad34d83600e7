"""Parses the store's URL: servers, credentials and TLS options."""

from dataclasses import dataclass, field
from typing import Any, Final, NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from redis.connection import UnixDomainSocketConnection

from service.store.bounded_connection import BoundedConnection, BoundedSSLConnection

Host = tuple[str, int]

CONNECTIONS: Final = {
    "redis": BoundedConnection,
    "rediss": BoundedSSLConnection,
    "unix": UnixDomainSocketConnection,
}
OPTIONS: Final[dict[str, set[str]]] = {
    "": {"db"},
    "sentinel": {"sentinel_username", "sentinel_password"},
    "cluster": set(),
}
TLS_OPTIONS: Final = {
    *("ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile")
}
VALUES: Final = {
    "ssl_cert_reqs": ("none", "optional", "required"),
    "ssl_check_hostname": ("true", "false"),
}
PORT: Final = 6379
SENTINEL_PORT: Final = 26379


@dataclass(frozen=True, slots=True)
class Address:
    """The options of every connection, and how to find the servers.

    ``kind`` is "sentinel", "cluster", or empty for one server. ``hosts`` are Sentinels, or some
    nodes of a Cluster; ``service`` is the name by which Sentinels know the primary, ``sentinel``
    the options of connections to them.
    """

    kind: str
    options: dict[str, Any] = field(repr=False)
    hosts: tuple[Host, ...] = ()
    service: str = ""
    sentinel: dict[str, Any] = field(default_factory=dict, repr=False)


def read_address(url: str) -> Address:
    """Parse a URL; ValueError, without any part of a password, if it is invalid."""
    scheme, _, rest = url.partition("://")
    transport, _, kind = scheme.partition("+")
    if transport not in CONNECTIONS or kind not in OPTIONS or (transport == "unix" and kind):
        _refuse("it must start with redis://, rediss://, unix:// or redis(s)+sentinel/cluster://")
    if "#" in rest:
        _refuse("it contains a # (write %23 in a password)")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    secret, _, hosts = authority.rpartition("@")
    given = _query(query, OPTIONS[kind] | (TLS_OPTIONS if transport == "rediss" else set()))
    shared = {
        "connection_class": CONNECTIONS[transport],
        **_credentials(*secret.partition(":")[::2]),
        **{name: value for name, value in given.items() if name in TLS_OPTIONS},
    }
    if transport == "unix":
        if hosts or not path:
            _refuse("a unix socket needs an absolute path: unix:///run/redis.sock")
        place = {"path": unquote(f"/{path}"), "db": _database(given.get("db"))}
        return Address(kind, {**shared, **place})
    if not kind:
        ((host, port),) = _hosts([hosts], PORT)
        database = _database(given.get("db", path.strip("/")))
        return Address(kind, {**shared, "host": host, "port": port, "db": database})
    if kind == "cluster":
        if path.strip("/") not in ("", "0"):
            _refuse("a Cluster has no database but 0")
        return Address(kind, {**shared, "db": 0}, _hosts(hosts.split(","), PORT))
    service, _, number = path.strip("/").partition("/")
    if not service:
        _refuse("the name by which the Sentinels know the primary is missing: …/mymaster")
    # The same TLS as for the store, but separate credentials.
    own = {name: given.get(f"sentinel_{name}") for name in ("username", "password")}
    sentinels = _hosts(hosts.split(","), SENTINEL_PORT)
    options = {**shared, "db": _database(number)}
    return Address(kind, options, sentinels, unquote(service), {**shared, **own})


def _query(query: str, allowed: set[str]) -> dict[str, Any]:
    given: dict[str, Any] = dict(parse_qsl(query))
    if not given.keys() <= allowed:
        _refuse(f"the only options allowed are {', '.join(sorted(allowed)) or 'none'}")
    for name, values in VALUES.items():
        if given.get(name, values[0]) not in values:
            _refuse(f"{name} must be {', '.join(values[:-1])} or {values[-1]}")
    if "ssl_check_hostname" in given:
        given["ssl_check_hostname"] = given["ssl_check_hostname"] == "true"
    return given


def _credentials(username: str, password: str) -> dict[str, str | None]:
    return {"username": unquote(username) or None, "password": unquote(password) or None}


def _hosts(listed: list[str], default_port: int) -> tuple[Host, ...]:
    found = []
    for each in listed:
        try:
            parts = urlsplit(f"//{each}")
            name, port = parts.hostname, parts.port
        except ValueError:
            name, port = ",", None
        if "," in (name or ""):
            _refuse("its host or port cannot be read (write special characters as %XX)")
        if not name:
            _refuse("the host is missing")
        found.append((unquote(name), port or default_port))
    return tuple(found)


def _database(number: str | None) -> int:
    number = number or "0"
    if not (number.isascii() and number.isdigit()):
        _refuse("the database must be a number")
    return int(number)


def _refuse(why: str) -> NoReturn:
    # The error being handled may quote a password, so it must not be chained to this one.
    raise ValueError(f"The Redis URL is not usable: {why}.") from None
