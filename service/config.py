"""The service's settings, read once from the environment."""

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Literal, TypeVar

DAY: Final = 24 * 60 * 60
MIN_SECRET: Final = 32
"""Characters; tokens are only as strong as the secret that signs them."""

Fsync = Literal["always", "everysec"]
LogLevel = Literal["debug", "info", "warning", "error", "critical"]
LogFormat = Literal["json", "text"]

T = TypeVar("T")

_RATE = re.compile(r"[1-9][0-9]{0,8}/(second|minute|hour|day)")
_IPV6 = r"[0-9a-f]*:[0-9a-f.]*:[0-9a-f:.]*"
_HOST = rf"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|{_IPV6}|\[{_IPV6}\](?=:)"
_TARGET = re.compile(rf"({_HOST})\.?(?::([1-9][0-9]{{0,4}}))?")
_CLIENT_SETTINGS = {"QWIRKLE_TOKEN", "QWIRKLE_URL"}
_WEB_ADDRESS = re.compile(r"https?://[^/\s?#@]+(/[^\s?#]*)?")
_ORIGIN = re.compile(r"\*|https?://[^/\s,?#@]+")


class SettingsError(ValueError):
    """One or more settings are wrong; the text has one sentence for each."""


def default_data_dir(environ: Mapping[str, str]) -> Path:
    """Returns the default folder for data, in the user's data folder."""
    base, home = environ.get("XDG_DATA_HOME", ""), environ.get("HOME", "")
    # The XDG specification says that relative paths must be ignored.
    if base.startswith("/"):
        return Path(base, "qwirkle")
    if not home.startswith("/"):
        raise SettingsError("QWIRKLE_DATA_DIR must be set, since there is no home folder.")
    return Path(home, ".local", "share", "qwirkle")


def default_workers() -> int:
    """Returns one worker per CPU, but at least two, so that one may die, and at most eight."""
    return max(2, min(8, os.cpu_count() or 2))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults. Its repr leaves out secrets and keys."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=default_workers)
    data_dir: Path = field(default_factory=lambda: default_data_dir(os.environ))
    redis_url: str | None = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    api_keys: tuple[str, ...] = field(default=(), repr=False)
    cors_origins: tuple[str, ...] = ()
    ttl_active: int = 30 * DAY
    ttl_finished: int = 7 * DAY
    store_timeout: float = 2.0
    store_connections: int = 64
    min_replicas: int = 0
    embedded_fsync: Fsync = "everysec"
    max_body: int = 65_536
    rate_create: str | None = None
    rate_write: str | None = None
    rate_read: str | None = None
    rate_guess: str | None = None
    rate_address: int = 10
    trusted_proxies: int = 0
    anonymous_bots: int = 3
    anonymous_bot_tables: int = 100
    anonymous_bot_tables_per_address: int = 40
    bot_budget: int | None = None
    serve_worker: bool = True
    streams: int = 4000
    streams_per_client: int = 100
    streams_per_address: int = 1000
    webhook_allow: frozenset[str] = frozenset()
    webhook_private: bool = False
    log_level: LogLevel = "info"
    log_format: LogFormat | None = None
    access_log: bool = True
    metrics: bool = True
    metrics_port: int | None = None
    otel_endpoint: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Reads `QWIRKLE_*`; an empty value counts as absent.

        Raises SettingsError with one sentence for every wrong value. Wrong secrets are
        described, never quoted.
        """
        read = _Reader(environ)
        settings = cls(
            host=read("HOST", _text, "127.0.0.1"),
            port=read("PORT", _integer(0, 65_535), 8000),
            workers=read("WORKERS", _integer(1, 256), default_workers()),
            data_dir=read("DATA_DIR", _folder, None) or default_data_dir(environ),
            redis_url=read("REDIS_URL", _text, None),
            secrets=read("SECRET", _secrets, ()),
            api_keys=read("API_KEYS", _list, ()),
            cors_origins=read("CORS_ORIGINS", _origins, ()),
            ttl_active=read("TTL_ACTIVE", _integer(1, 3650 * DAY), 30 * DAY),
            ttl_finished=read("TTL_FINISHED", _integer(1, 3650 * DAY), 7 * DAY),
            store_timeout=read("STORE_TIMEOUT", _seconds(0.05, 60), 2.0),
            store_connections=read("STORE_CONNECTIONS", _integer(1, 10_000), 64),
            min_replicas=read("MIN_REPLICAS", _integer(0, 16), 0),
            embedded_fsync=read("EMBEDDED_FSYNC", _one_of("always", "everysec"), "everysec"),
            max_body=read("MAX_BODY", _integer(1024, 64 * 1024 * 1024), 65_536),
            rate_create=read("RATE_CREATE", _rate, None),
            rate_write=read("RATE_WRITE", _rate, None),
            rate_read=read("RATE_READ", _rate, None),
            rate_guess=read("RATE_GUESS", _rate, None),
            rate_address=read("RATE_ADDRESS", _integer(1, 10_000), 10),
            trusted_proxies=read("TRUSTED_PROXIES", _integer(0, 16), 0),
            anonymous_bots=read("ANONYMOUS_BOTS", _integer(0, 4), 3),
            anonymous_bot_tables=read("ANONYMOUS_BOT_TABLES", _integer(0, 1_000_000), 100),
            anonymous_bot_tables_per_address=read(
                "ANONYMOUS_BOT_TABLES_PER_ADDRESS", _integer(0, 1_000_000), 40
            ),
            bot_budget=read("BOT_BUDGET", _integer(1, 100_000), None),
            serve_worker=read("SERVE_WORKER", _yes_or_no, default=True),
            streams=read("STREAMS", _integer(1, 1_000_000), 4000),
            streams_per_client=read("STREAMS_PER_CLIENT", _integer(1, 1_000_000), 100),
            streams_per_address=read("STREAMS_PER_ADDRESS", _integer(1, 1_000_000), 1000),
            webhook_allow=read("WEBHOOK_ALLOW", _hosts, frozenset()),
            webhook_private=read("WEBHOOK_PRIVATE", _yes_or_no, default=False),
            log_level=read(
                "LOG_LEVEL", _one_of("debug", "info", "warning", "error", "critical"), "info"
            ),
            log_format=read("LOG_FORMAT", _one_of("json", "text"), None),
            access_log=read("ACCESS_LOG", _yes_or_no, default=True),
            metrics=read("METRICS", _yes_or_no, default=True),
            metrics_port=read("METRICS_PORT", _integer(1, 65_535), None),
            otel_endpoint=read("OTEL_ENDPOINT", _web_address, None),
        )
        if read.wrong:
            raise SettingsError("\n".join(read.wrong))
        return settings


def unknown_settings(environ: Mapping[str, str]) -> list[str]:
    """Returns the variables that start like settings but are not: misspelt ones, for example."""
    names = {each.name for each in fields(Settings)} - {"secrets"} | {"secret"}
    known = {f"QWIRKLE_{name.upper()}" for name in names} | _CLIENT_SETTINGS
    return sorted(name for name in environ if name.startswith("QWIRKLE_") and name not in known)


def signing_secrets(settings: Settings) -> tuple[str, ...]:
    """Returns the secrets for tokens: the first one signs, all of them verify.

    Without a setting there is one secret, in the file `secret` of the data folder, which is made
    if it does not exist; processes that make it at the same time get the same one. Raises
    SettingsError if the file cannot be made or read, or if its secret is too short.
    """
    if settings.secrets:
        return settings.secrets
    path = settings.data_dir / "secret"
    try:
        if not path.exists():
            _make_secret(path)
        secret = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise SettingsError(f"The secret in {path} cannot be made or read: {reason}.") from error
    if len(secret) < MIN_SECRET:
        raise SettingsError(f"The secret in {path} is shorter than {MIN_SECRET} characters.")
    return (secret,)


def _make_secret(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # mkstemp makes files of mode 0600, and a link to a finished file is atomic.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(handle)
        with contextlib.suppress(FileExistsError):  # another process was first: use its secret
            os.link(draft, path)
    finally:
        Path(draft).unlink()


class _Reader:
    """Reads settings one by one and collects the errors."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.wrong: list[str] = []

    def __call__(self, name: str, parse: Callable[[str], T], default: T) -> T:
        value = self.environ.get(f"QWIRKLE_{name}", "").strip()
        if not value:
            return default
        try:
            return parse(value)
        except ValueError as error:
            self.wrong.append(f"QWIRKLE_{name} {error}.")
            return default


def _text(value: str) -> str:
    return value


def _folder(value: str) -> Path:
    return Path(value).expanduser().absolute()


def _list(value: str) -> tuple[str, ...]:
    return tuple(item for part in value.split(",") if (item := part.strip()))


def _secrets(value: str) -> tuple[str, ...]:
    listed = _list(value)
    if not listed or any(len(secret) < MIN_SECRET for secret in listed):
        raise ValueError(f"must hold secrets of at least {MIN_SECRET} characters each")
    return listed


def _origins(value: str) -> tuple[str, ...]:
    origins = _list(value)
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"must list origins like https://example.org, not {origin!r}")
    return origins


def _hosts(value: str) -> frozenset[str]:
    hosts = set()
    for each in _list(value.lower()):
        found = _TARGET.fullmatch(each)
        if not found or int(found[2] or 0) > 65_535:
            raise ValueError(f"must list hosts like example.org or example.org:8443, not {each!r}")
        hosts.add(f"{found[1]}:{found[2]}" if found[2] else found[1])
    return frozenset(hosts)


def _web_address(value: str) -> str:
    if not _WEB_ADDRESS.fullmatch(value):
        raise ValueError(f"must be like http://collector:4318, not {value!r}")
    return value


def _yes_or_no(value: str) -> bool:
    if value.lower() not in {"yes", "no"}:
        raise ValueError(f"must be yes or no, not {value!r}")
    return value.lower() == "yes"


def _rate(value: str) -> str:
    if not _RATE.fullmatch(value):
        raise ValueError(f"must be like 20/minute (second, minute, hour or day), not {value!r}")
    return value


def _one_of(*choices: T) -> Callable[[str], T]:
    def parse(value: str) -> T:
        for choice in choices:
            if value.lower() == choice:
                return choice
        listed = ", ".join(map(str, choices[:-1]))
        raise ValueError(f"must be {listed} or {choices[-1]}, not {value!r}")

    return parse


def _integer(least: int, most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", value) or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {value!r}")
        return int(value)

    return parse


def _seconds(least: float, most: float) -> Callable[[str], float]:
    def parse(value: str) -> float:
        if (
            not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value)
            or not least <= float(value) <= most
        ):
            raise ValueError(f"must be a number of seconds from {least} to {most}, not {value!r}")
        return float(value)

    return parse
