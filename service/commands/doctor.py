"""`qwirkle doctor`: check settings, secret and store, and say how to fix what is wrong.

It changes nothing, except for one scratch game that it writes, reads and deletes to check its
rights.
"""

import argparse
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from secrets import token_bytes
from time import time
from typing import Final

import redis

from service import core
from service.config import MIN_SECRET, Settings, SettingsError, unknown_settings
from service.games.bootstrap import open_client
from service.games.keyring import game_id
from service.rules.messages import as_sentence
from service.store import keys, server_checks
from service.store.base import NEVER_UPDATED, NONCE_BYTES, Commit, LoggedEvent, StoreUnavailable
from service.store.client import executor_for
from service.store.embedded import EmbeddedStore
from service.store.executor import NOT_PERMITTED, PROTECTED, Executor
from service.store.redis_store import RedisGameStore
from service.store.server_checks import Finding

SCRATCH_MS: Final = 60_000
LABELS = {"ok": "ok", "warning": "WARNING", "problem": "PROBLEM"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument("--data-dir", help="the embedded store's folder (QWIRKLE_DATA_DIR)")
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")


def run(parsed: argparse.Namespace) -> int:
    """Check the settings, the secret and the store, and print what is wrong and how to fix it.

    The exit code is 0 if there are at most warnings, else 1.
    """
    findings = []
    options = {"QWIRKLE_DATA_DIR": parsed.data_dir} if parsed.data_dir else {}
    for finding in examine({**os.environ, **options}):
        findings.append(finding)
        if not parsed.json:
            print(_line(finding))
    sound = not any(finding.status == "problem" for finding in findings)
    if parsed.json:
        print(json.dumps({"ok": sound, "findings": [asdict(each) for each in findings]}))
    return 0 if sound else 1


def _line(finding: Finding) -> str:
    line = f"{LABELS[finding.status]:8} {finding.check}: {finding.detail}"
    return f"{line}\n{'':8} fix: {finding.remedy}" if finding.remedy else line


def examine(environ: Mapping[str, str]) -> Iterator[Finding]:
    """All findings for these settings, one after another."""
    try:
        settings = Settings.from_env(environ)
    except SettingsError as error:
        for sentence in str(error).splitlines():
            yield Finding("settings", "problem", sentence, "Correct or remove the variable.")
        return
    yield _settings(environ)
    yield _core(settings)
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
        detail = f"Unknown settings, ignored: {', '.join(unknown)}."
        return Finding("settings", "warning", detail, "Correct the spelling; README.md lists all.")
    return Finding("settings", "ok", "Every setting is known and valid.")


def _core(settings: Settings) -> Finding:
    if settings.core == "python":
        return Finding("core", "ok", "Bots and searches run in Python: QWIRKLE_CORE says so.")
    if core.native is None:
        detail = "Bots and searches run in Python: the package was built without a C compiler."
        return Finding("core", "ok", detail)
    return Finding("core", "ok", "Bots and searches run in C.")


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
    if len(text) < MIN_SECRET:
        detail = f"The secret in {path} is shorter than {MIN_SECRET} characters."
        yield Finding("secret", "problem", detail, f"Remove {path}: a good one will be created.")
    elif mode & 0o077:
        detail = (
            f"Other users of this machine can read {path} (mode {mode:04o}) and forge any token."
        )
        remedy = f"chmod 600 {path}, and replace the secret if somebody may have read it."
        yield Finding("secret", "problem", detail, remedy)
    elif settings.redis_url is not None:
        detail = "Tokens are signed with a file on this machine; other machines refuse them."
        yield Finding("secret", "warning", detail, "Set the same QWIRKLE_SECRET everywhere.")
    else:
        yield Finding("secret", "ok", f"Only its owner can read the secret in {path}.")


def _no_secret(settings: Settings, path: Path) -> Finding:
    if settings.redis_url is None:
        return Finding("secret", "ok", f"There is none yet; `qwirkle serve` creates {path}.")
    detail = f"There is none, so each machine creates its own {path} and refuses others' tokens."
    return Finding("secret", "warning", detail, "Set the same QWIRKLE_SECRET everywhere.")


def _embedded(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """The embedded store if it is running; otherwise whether it could start."""
    store = EmbeddedStore(settings.data_dir)
    if store.ready():
        running = Settings.from_env({**environ, "QWIRKLE_REDIS_URL": store.url})
        for finding in _store(open_client(running), settings.min_replicas):
            # It uses the memory of this machine: there is no limit to set.
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
    detail = f"The embedded store is not running; `qwirkle serve` starts it in {settings.data_dir}."
    yield Finding("store", "ok", detail)


# The store


def _store(client: redis.Redis, replicas: int) -> Iterator[Finding]:
    executor = executor_for(client)
    try:
        executor.call("PING")
    except StoreUnavailable as error:
        yield Finding("store", "problem", as_sentence(error.reason), _remedy(error))
        return
    yield Finding("store", "ok", "It answers.")
    try:
        servers = executor.call_all_nodes("INFO")
    except StoreUnavailable as error:
        yield _unknown("server", error)
    else:
        for name, raw in sorted(servers.items()):
            for finding in server_checks.all_checks(server_checks.read_info(raw), replicas):
                named = f"{name}: {finding.detail}" if len(servers) > 1 else finding.detail
                yield replace(finding, detail=named)
    yield _clock(executor)
    yield _rights(client)
    client.close()


def _clock(executor: Executor) -> Finding:
    try:
        before = time()
        times = executor.call_all_nodes("TIME")
        after = time()
    except StoreUnavailable as error:
        return _unknown("clock", error)
    theirs = [int(seconds) + int(micros) / 1e6 for seconds, micros in times.values()]
    return server_checks.clock(before, theirs, after)


def _rights(client: redis.Redis) -> Finding:
    """Whether the store permits what games and workers need."""
    store, executor = RedisGameStore(client), executor_for(client)
    scratch = game_id(token_bytes(16))
    event = LoggedEvent(1, token_bytes(NONCE_BYTES), b"")
    commit = Commit(scratch, b"", b"", (event,), SCRATCH_MS)
    tries: list[tuple[str, Callable[[], object]]] = [
        ("write a game", lambda: store.commit(commit)),
        ("read a game", lambda: store.load(scratch)),
        ("read a log", lambda: store.load_with_log(scratch)),
        ("delete a game", lambda: store.delete(scratch, event.nonce + NEVER_UPDATED)),
        ("read what is due", lambda: executor.call("ZCARD", keys.DUE)),
    ]
    for what, attempt in tries:
        try:
            attempt()
        except StoreUnavailable as error:
            remedy = 'Give the user the rights that docs/operations.md lists under "Store access".'
            if error.reason != NOT_PERMITTED:
                remedy = _remedy(error)
            return Finding("rights", "problem", f"We cannot {what}: {error.reason}.", remedy)
    return Finding("rights", "ok", "We may read and write games.")


def _unknown(check: str, error: StoreUnavailable) -> Finding:
    remedy = "Permit INFO and TIME to the user, or check as a user who may use them."
    return Finding(check, "warning", f"It cannot be checked: {error.reason}.", remedy)


def _remedy(error: StoreUnavailable) -> str:
    if "password" in error.reason:
        return "Correct the user and password in QWIRKLE_REDIS_URL."
    if error.reason == PROTECTED:
        return "Give its users passwords, or set protected-mode no if its network is closed."
    if "memory" in error.reason:
        return "Give the store more memory, or keep games for a shorter time (QWIRKLE_TTL_*)."
    return "Check that it is running, and that QWIRKLE_REDIS_URL and the network lead to it."
