"""The service's settings, read once from the environment."""

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

DAY: Final = 24 * 60 * 60
MIN_SECRET: Final = 32
"""Characters; tokens are only as strong as the secret that signs them."""

T = TypeVar("T")

_RATE = re.compile(r"[1-9][0-9]{0,8}/(second|minute|hour|day)")
_IPV6 = r"[0-9a-f]*:[0-9a-f.]*:[0-9a-f:.]*"
_HOST = rf"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|{_IPV6}|\[{_IPV6}\](?=:)"
_TARGET = re.compile(rf"({_HOST})\.?(?::([1-9][0-9]{{0,4}}))?")
_CLIENT_SETTINGS = {"QWIRKLE_TOKEN"}
_WEB_ADDRESS = re.compile(r"https?://[^/\s?#@]+(/[^\s?#]*)?")
_TENANT = re.compile(r"[a-z0-9_-]{1,32}")
_HOOK = re.compile(r"https?://[!-~]+")
_ORIGIN = re.compile(r"\*|https?://[^/\s,?#@]+")


class CannotRun(Exception):  # it says what happens
    """A command cannot do its work; the text says why, in sentences for its user."""

    exit_code = 2


class CannotGoOn(CannotRun):
    """A command has begun its work and cannot finish it."""

    exit_code = 1


class SettingsError(CannotRun):
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


def _folder(value: str) -> Path:
    return Path(value).expanduser().absolute()


def _list(value: str) -> tuple[str, ...]:
    return tuple(item for part in value.split(",") if (item := part.strip()))


def _secrets(value: str) -> tuple[str, ...]:
    listed = _list(value)
    if not listed or any(len(secret) < MIN_SECRET for secret in listed):
        raise ValueError(f"must hold secrets of at least {MIN_SECRET} characters each")
    return listed


def _api_keys(value: str) -> tuple[tuple[str, str], ...]:
    pairs = tuple(
        (tenant, key) for tenant, _, key in (pair.partition(":") for pair in _list(value))
    )
    if not all(_TENANT.fullmatch(tenant) and key for tenant, key in pairs):
        raise ValueError(
            "must list pairs like tenant:key; a tenant's name has at most 32 characters "
            "from a to z, 0 to 9, _ and -"
        )
    if len({key for _, key in pairs}) < len(pairs):
        raise ValueError("must not list the same key twice")
    return pairs


def _webhooks(value: str) -> tuple[tuple[str, str], ...]:
    pairs = tuple(
        (tenant, url) for tenant, _, url in (each.partition("=") for each in _list(value))
    )
    if not all(_TENANT.fullmatch(tenant) and _HOOK.fullmatch(url) for tenant, url in pairs):
        raise ValueError("must list pairs like tenant=https://example.org/hook")
    if len({tenant for tenant, _ in pairs}) < len(pairs):
        raise ValueError("must not list a tenant twice")
    return pairs


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


def _like(example: str, pattern: re.Pattern[str]) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if not pattern.fullmatch(value):
            raise ValueError(f"must be like {example}, not {value!r}")
        return value

    return parse


def _one_of(*choices: T) -> Callable[[str], T]:
    def parse(value: str) -> T:
        for choice in choices:
            if value.lower() == choice:
                return choice
        listed = ", ".join(map(str, choices[:-1]))
        raise ValueError(f"must be {listed} or {choices[-1]}, not {value!r}")

    return parse


def _yes_or_no(value: str) -> bool:
    return _one_of("yes", "no")(value) == "yes"


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


_rate = _like("20/minute (second, minute, hour or day)", _RATE)


def _setting(default: T, parse: Callable[[str], T], *, hidden: bool = False) -> T:
    return field(default=default, repr=not hidden, metadata={"parse": parse})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings with their defaults. Its repr leaves out secrets and keys."""

    host: str = _setting("127.0.0.1", str)
    port: int = _setting(8000, _integer(0, 65_535))
    workers: int = _setting(default_workers(), _integer(1, 256))
    data_dir: Path = field(
        default_factory=lambda: default_data_dir(os.environ), metadata={"parse": _folder}
    )
    redis_url: str | None = _setting(None, str, hidden=True)
    secrets: tuple[str, ...] = _setting((), _secrets, hidden=True)
    api_keys: tuple[tuple[str, str], ...] = _setting((), _api_keys, hidden=True)
    cors_origins: tuple[str, ...] = _setting((), _origins)
    ttl_active: int = _setting(30 * DAY, _integer(1, 3650 * DAY))
    ttl_finished: int = _setting(7 * DAY, _integer(1, 3650 * DAY))
    store_timeout: float = _setting(2.0, _seconds(0.05, 60))
    store_connections: int = _setting(64, _integer(1, 10_000))
    min_replicas: int = _setting(0, _integer(0, 16))
    embedded_fsync: Literal["always", "everysec"] = _setting(
        "everysec", _one_of("always", "everysec")
    )
    max_body: int = _setting(65_536, _integer(1024, 64 * 1024 * 1024))
    rate_create: str | None = _setting(None, _rate)
    rate_write: str | None = _setting(None, _rate)
    rate_read: str | None = _setting(None, _rate)
    rate_guess: str | None = _setting(None, _rate)
    rate_join_codes: str = _setting("30/minute", _rate)
    rate_address: int = _setting(10, _integer(1, 10_000))
    trusted_proxies: int = _setting(0, _integer(0, 16))
    anonymous_bots: int = _setting(3, _integer(0, 4))
    anonymous_bot_tables: int = _setting(100, _integer(0, 1_000_000))
    anonymous_bot_tables_per_address: int = _setting(40, _integer(0, 1_000_000))
    bot_budget: int | None = _setting(None, _integer(1, 100_000))
    core: Literal["auto", "python"] = _setting("auto", _one_of("auto", "python"))
    serve_worker: bool = _setting(True, _yes_or_no)
    streams: int = _setting(4000, _integer(1, 1_000_000))
    streams_per_client: int = _setting(100, _integer(1, 1_000_000))
    streams_per_address: int = _setting(1000, _integer(1, 1_000_000))
    webhooks: tuple[tuple[str, str], ...] = _setting((), _webhooks, hidden=True)
    webhook_allow: frozenset[str] = _setting(frozenset(), _hosts)
    webhook_private: bool = _setting(False, _yes_or_no)
    log_level: str = _setting("info", _one_of("debug", "info", "warning", "error", "critical"))
    log_format: Literal["json", "text"] | None = _setting(None, _one_of("json", "text"))
    access_log: bool = _setting(True, _yes_or_no)
    metrics: bool = _setting(True, _yes_or_no)
    metrics_port: int | None = _setting(None, _integer(1, 65_535))
    otel_endpoint: str | None = _setting(None, _like("http://collector:4318", _WEB_ADDRESS))

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """Reads `QWIRKLE_*`; an empty value counts as absent.

        Raises SettingsError with one sentence for every wrong value. Wrong secrets are
        described, never quoted.
        """
        given: dict[str, Any] = {}
        wrong: list[str] = []
        for each in fields(cls):
            variable = _variable(each.name)
            if value := environ.get(variable, "").strip():
                try:
                    given[each.name] = each.metadata["parse"](value)
                except ValueError as error:
                    wrong.append(f"{variable} {error}.")
        keyless = dict(given.get("webhooks", ())).keys() - dict(given.get("api_keys", ())).keys()
        if keyless and not wrong:
            names = ", ".join(sorted(keyless))
            wrong.append(
                f"QWIRKLE_WEBHOOKS names tenants without a key in QWIRKLE_API_KEYS: {names}."
            )
        if wrong:
            raise SettingsError("\n".join(wrong))
        if "data_dir" not in given:
            given["data_dir"] = default_data_dir(environ)
        return cls(**given)


def _variable(name: str) -> str:
    return "QWIRKLE_SECRET" if name == "secrets" else f"QWIRKLE_{name.upper()}"


def unknown_settings(environ: Mapping[str, str]) -> list[str]:
    """Returns the variables that start like settings but are not: misspelt ones, for example."""
    known = {_variable(each.name) for each in fields(Settings)} | _CLIENT_SETTINGS
    return sorted(name for name in environ if name.startswith("QWIRKLE_") and name not in known)


def signing_secrets(settings: Settings, *, make: bool = True) -> tuple[str, ...]:
    """Returns the secrets for tokens: the first one signs, all of them verify.

    Without a setting there is one secret, in the file `secret` of the data folder. If it does not
    exist it is made, by those who may ``make`` it; processes that make it at the same time get the
    same one. Raises SettingsError if there is no such file and it may not be made, if it cannot be
    made or read, or if its secret is too short.
    """
    if settings.secrets:
        return settings.secrets
    path = settings.data_dir / "secret"
    try:
        if not path.exists():
            if not make:
                raise SettingsError(
                    f"There is no secret in {settings.data_dir}: give --data-dir or QWIRKLE_SECRET."
                )
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
