"""Parses the store's URL: servers, credentials and TLS options."""

from dataclasses import dataclass, field
from typing import Any, Final, Literal, NoReturn
from urllib.parse import parse_qs, unquote, urlsplit

from redis.connection import Connection, SSLConnection, UnixDomainSocketConnection

Kind = Literal["server", "sentinel", "cluster"]
Host = tuple[str, int]

SCHEMES: Final[dict[str, tuple[Kind, type]]] = {
    "redis": ("server", Connection),
    "rediss": ("server", SSLConnection),
    "unix": ("server", UnixDomainSocketConnection),
    "redis+sentinel": ("sentinel", Connection),
    "rediss+sentinel": ("sentinel", SSLConnection),
    "redis+cluster": ("cluster", Connection),
    "rediss+cluster": ("cluster", SSLConnection),
}
TLS_OPTIONS: Final = frozenset(
    {"ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile"}
)
SENTINEL_OPTIONS: Final = frozenset({"sentinel_username", "sentinel_password"})
PORT: Final = 6379
SENTINEL_PORT: Final = 26379


@dataclass(frozen=True, slots=True)
class Address:
    """The options of every connection, and how to find the servers.

    ``hosts`` are Sentinels, or some nodes of a Cluster; ``service`` is the name by which Sentinels
    know the primary, ``sentinel`` the options of connections to them.
    """

    kind: Kind
    options: dict[str, Any] = field(repr=False)
    hosts: tuple[Host, ...] = ()
    service: str = ""
    sentinel: dict[str, Any] = field(default_factory=dict, repr=False)


def read_address(url: str) -> Address:
    """Parse a URL; ValueError, without any part of a password, if it is invalid."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in SCHEMES:
        _refuse("it must start with redis://, rediss://, unix:// or redis(s)+sentinel/cluster://")
    kind, connection_class = SCHEMES[scheme]
    if "#" in rest:
        _refuse("it contains a # (write %23 in a password)")
    rest, _, query_string = rest.partition("?")
    authority, slash, path = rest.partition("/")
    path = slash + path
    credentials, _, hosts = authority.rpartition("@")
    query = {name: values[-1] for name, values in parse_qs(query_string).items()}
    secret = _credentials(*credentials.partition(":")[::2])
    shared = {"connection_class": connection_class, **secret, **_tls(scheme, query)}
    if kind == "cluster":
        _only(scheme, query)
        if path.strip("/") not in ("", "0"):
            _refuse("a Cluster has no database but 0")
        return Address(kind, {**shared, "db": 0}, _hosts(hosts, PORT))
    if kind == "sentinel":
        return _by_sentinels(scheme, path, query, hosts, shared)
    if scheme == "unix":
        place: dict[str, Any] = _socket_place(hosts, path)
        database = query.pop("db", "0")
    else:
        ((name, port),) = _hosts(hosts, PORT, most=1)
        place = {"host": name, "port": port}
        database = query.pop("db", path.strip("/") or "0")
    _only(scheme, query, "db")
    return Address(kind, {**shared, "db": _database(database), **place})


def _by_sentinels(
    scheme: str, path: str, query: dict[str, str], hosts: str, shared: dict[str, Any]
) -> Address:
    service, _, number = path.strip("/").partition("/")
    if not service:
        _refuse("the name by which the Sentinels know the primary is missing: …/mymaster")
    secret = {name: query.pop(f"sentinel_{name}", "") or None for name in ("username", "password")}
    _only(scheme, query, *SENTINEL_OPTIONS)
    options = {**shared, "db": _database(number or "0")}
    # The same TLS as for the store, but separate credentials.
    sentinel = {**shared, **secret}
    named = _hosts(hosts, SENTINEL_PORT)
    return Address("sentinel", options, named, unquote(service), sentinel)


def _credentials(username: str, password: str) -> dict[str, str | None]:
    return {"username": unquote(username) or None, "password": unquote(password) or None}


def _hosts(listed: str, port: int, most: int | None = None) -> tuple[Host, ...]:
    found = []
    for each in listed.split(",") if most is None else [listed]:
        try:
            parts = urlsplit(f"//{each}")
            name, own_port = parts.hostname, parts.port
        except ValueError:
            name, own_port = "?", -1
        if own_port == -1 or "," in (name or ""):
            _refuse("its host or port cannot be read (write special characters as %XX)")
        if not name:
            _refuse("the host is missing")
        found.append((unquote(name), own_port or port))
    return tuple(found)


def _socket_place(host: str, path: str) -> dict[str, Any]:
    if host:
        _refuse("a unix socket needs an absolute path: unix:///run/redis.sock")
    if path in ("", "/"):
        _refuse("the path of the unix socket is missing")
    return {"path": unquote(path)}


def _database(number: str) -> int:
    if not (number.isascii() and number.isdigit()):
        _refuse("the database must be a number")
    return int(number)


def _tls(scheme: str, query: dict[str, str]) -> dict[str, Any]:
    """Remove the TLS options from the query and return them."""
    if not scheme.startswith("rediss"):
        return {}
    options: dict[str, Any] = {name: query.pop(name) for name in TLS_OPTIONS & set(query)}
    if options.get("ssl_cert_reqs", "required") not in {"none", "optional", "required"}:
        _refuse("ssl_cert_reqs must be none, optional or required")
    if "ssl_check_hostname" in options:
        if options["ssl_check_hostname"] not in {"true", "false"}:
            _refuse("ssl_check_hostname must be true or false")
        options["ssl_check_hostname"] = options["ssl_check_hostname"] == "true"
    return options


def _only(scheme: str, left: dict[str, str], *others: str) -> None:
    """Refuse a query with unknown options; the known ones have been removed."""
    if left:
        tls = TLS_OPTIONS if scheme.startswith("rediss") else ()
        names = ", ".join(sorted({*others, *tls})) or "none"
        _refuse(f"the only options allowed are {names}")


def _refuse(why: str) -> NoReturn:
    # The error being handled may quote a password, so it must not be chained to this one.
    raise ValueError(f"The Redis URL is not usable: {why}.") from None
