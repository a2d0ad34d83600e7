"""What an operator should know before anything goes wrong: settings, secret, store.

Nothing is changed, but for one scratch game that is written, read and deleted to see that the
store lets us.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from secrets import token_bytes
from time import time
from typing import Final

import redis

from service.config import LEAST_SECRET, Settings, SettingsError, unknown_settings
from service.games.bootstrap import open_client, unix_ms
from service.games.tokens import game_id
from service.store import keys
from service.store.base import NEVER_ROTATED, NONCE_BYTES, Commit, StoreUnavailable
from service.store.client import executor_for
from service.store.embedded import EmbeddedStore
from service.store.executor import NOT_PERMITTED, Executor
from service.store.redis_store import RedisGameStore
from service.store.server_checks import (
    Finding,
    clock,
    memory,
    persistence,
    read_info,
    role,
    version,
)

SCRATCH_MS: Final = 60_000


def examine(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Everything that can be found out with these settings, one finding after the other."""
    try:
        settings = Settings.from_env(environ)
    except SettingsError as error:
        for sentence in str(error).splitlines():
            yield Finding("settings", "problem", sentence, "Correct or remove the variable.")
        return
    yield _settings(environ)
    yield from _secret(settings)
    if settings.redis_url is None:
        yield from _embedded(settings, environ)
        return
    try:
        client = open_client(settings)
    except SettingsError as error:
        yield Finding("settings", "problem", str(error), "Correct QWIRKLE_REDIS_URL.")
        return
    yield from _store(client, settings.min_replicas)


# Settings and secret


def _settings(environ: Mapping[str, str]) -> Finding:
    unknown = unknown_settings(environ)
    if unknown:
        detail = f"No such setting, so ignored: {', '.join(unknown)}."
        return Finding("settings", "warning", detail, "Correct the spelling; README.md lists all.")
    return Finding("settings", "ok", "Every setting is known and right.")


def _secret(settings: Settings) -> Iterator[Finding]:
    if settings.secrets:
        count = len(settings.secrets)
        yield Finding("secret", "ok", f"QWIRKLE_SECRET holds {count}; the first signs.")
        return
    path = settings.data_dir / "secret"
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        text = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        yield _no_secret(settings, path)
        return
    except (OSError, UnicodeDecodeError):
        remedy = f"Give it to the user that runs the service: chown <user> {path}."
        yield Finding("secret", "problem", f"The secret in {path} cannot be read.", remedy)
        return
    if len(text) < LEAST_SECRET:
        detail = f"The secret in {path} is shorter than {LEAST_SECRET} characters."
        yield Finding("secret", "problem", detail, f"Remove {path}: a good one is made.")
    elif mode & 0o077:
        detail = f"Others on this machine may read {path} (mode {mode:04o}): they can be anybody."
        remedy = f"chmod 600 {path}, and renew it if somebody may have read it."
        yield Finding("secret", "problem", detail, remedy)
    elif settings.redis_url is not None:
        detail = "Tokens are signed with a file of this machine; another machine refuses them."
        yield Finding("secret", "warning", detail, "Set the same QWIRKLE_SECRET everywhere.")
    else:
        yield Finding("secret", "ok", f"The secret in {path} is its owner's alone.")


def _no_secret(settings: Settings, path: Path) -> Finding:
    if settings.redis_url is None:
        return Finding("secret", "ok", f"There is none yet; `qwirkle serve` makes {path}.")
    detail = f"There is none, so each machine makes its own in {path} and refuses others' tokens."
    return Finding("secret", "warning", detail, "Set the same QWIRKLE_SECRET everywhere.")


def _embedded(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The embedded store, if it runs; else what it would find."""
    store = EmbeddedStore(settings.data_dir)
    if store.ready():
        running = Settings.from_env({**environ, "QWIRKLE_REDIS_URL": store.url})
        for finding in _store(open_client(running), settings.min_replicas):
            # Its memory is the machine's: nobody can set a limit there.
            if (finding.check, finding.status) != ("memory", "warning"):
                yield finding
        return
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK | os.X_OK):
        remedy = "Give it to the user that runs the service, or set QWIRKLE_DATA_DIR."
        yield Finding("store", "problem", f"The folder {folder} cannot be written to.", remedy)
        return
    detail = f"The embedded store does not run; `qwirkle serve` starts it in {settings.data_dir}."
    yield Finding("store", "ok", detail)


# The store


def _store(client: redis.Redis, replicas: int) -> Iterator[Finding]:
    line = executor_for(client)
    try:
        line.call("PING")
    except StoreUnavailable as error:
        yield Finding("store", "problem", _sentence(error), _way_in(error))
        return
    yield Finding("store", "ok", "It answers.")
    try:
        reports = [read_info(raw) for raw in line.call_all_nodes("INFO")]
    except StoreUnavailable as error:
        yield _hidden("server", error)
    else:
        for report in reports:
            yield version(report)
            yield role(report, replicas)
            yield persistence(report)
            yield memory(report)
    yield _clock(line)
    yield _rights(client)
    client.close()


def _clock(line: Executor) -> Finding:
    try:
        before = time()
        told = line.call_all_nodes("TIME")
        after = time()
    except StoreUnavailable as error:
        return _hidden("clock", error)
    theirs = [int(seconds) + int(micros) / 1e6 for seconds, micros in told]
    return clock(before, theirs, after)


def _rights(client: redis.Redis) -> Finding:
    """Whether the store lets us do what games and workers need."""
    store, line = RedisGameStore(client), executor_for(client)
    scratch, now = game_id(token_bytes(16)), unix_ms()
    commit = Commit(scratch, 0, b"", b"", b"", SCRATCH_MS, token_bytes(NONCE_BYTES), now)
    tries: list[tuple[str, Callable[[], object]]] = [
        ("write a game", lambda: store.commit(commit)),
        ("read a game", lambda: store.load(scratch)),
        ("read a log", lambda: store.load_with_log(scratch)),
        ("delete a game", lambda: store.delete(scratch, commit.nonce + NEVER_ROTATED)),
        ("see what is due", lambda: line.call("ZCARD", keys.DUE)),
    ]
    for what, attempt in tries:
        try:
            attempt()
        except StoreUnavailable as error:
            remedy = 'Give our user the rights that docs/operations.md lists under "Store access".'
            if error.reason != NOT_PERMITTED:
                remedy = _way_in(error)
            return Finding("rights", "problem", f"We cannot {what}: {error.reason}.", remedy)
    return Finding("rights", "ok", "We may read and write games.")


def _hidden(check: str, error: StoreUnavailable) -> Finding:
    remedy = "Permit our user INFO and TIME, or have somebody look who may."
    return Finding(check, "warning", f"It cannot be seen: {error.reason}.", remedy)


def _sentence(error: StoreUnavailable) -> str:
    return f"{error.reason[0].upper()}{error.reason[1:]}."


def _way_in(error: StoreUnavailable) -> str:
    if "password" in error.reason:
        return "Correct the user and password in QWIRKLE_REDIS_URL."
    if "memory" in error.reason:
        return "Give the store more memory, or keep games for less long (QWIRKLE_TTL_*)."
    return "See that it runs, and that QWIRKLE_REDIS_URL and the network lead to it."
