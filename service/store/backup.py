"""Backups of the embedded store: made while it runs, and restored into an empty folder.

A backup is a tar file: `about.json`, `dump.rdb` (a snapshot of all games) and, if there is one,
`secret`, without which no token would be valid any more.
"""

import contextlib
import fcntl
import io
import json
import os
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

import redis

from service.store.embedded import EmbeddedStore, EmbeddedStoreError, lock_folder

FORMAT: Final = 1
DUMP: Final = "dump.rdb"
SECRET: Final = "secret"  # noqa: S105  # the name of a file
MANIFEST: Final = "about.json"
LOG_FOLDER: Final = "appendonlydir"
POLL_SECONDS: Final = 0.05
SAVE_TIMEOUT: Final = 3600.0
"""Seconds; a store of gigabytes takes minutes."""


class BackupError(RuntimeError):
    """A backup cannot be made or restored; the text says why in one sentence."""


def create_backup(data_dir: Path, target: Path, release: str) -> None:
    """Write a backup of the folder's store to a file, atomically.

    A running server keeps serving; if none runs, one is started for the backup. The snapshot is
    saved beside the append-only file, so an interrupted backup does no harm.
    """
    if not (data_dir / LOG_FOLDER).is_dir():
        raise BackupError(f"There is no embedded store in {data_dir}.")
    with _exclusive(data_dir / "backup.lock"), _server(data_dir) as client:
        _save(client)
        dump = data_dir / DUMP
        try:
            _write(target, dump, data_dir / SECRET, release)
        finally:
            dump.unlink(missing_ok=True)


def restore_backup(source: Path, data_dir: Path) -> None:
    """Restore a backup; BackupError if the folder already has a store or another secret.

    The last step is one rename: until then the folder has no store, and it can be tried again.
    """
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupError(f"The folder {data_dir} cannot be made: {error.strerror}.") from error
    with _locked(data_dir):
        if (data_dir / LOG_FOLDER).exists():
            raise BackupError(f"The folder {data_dir} holds a store already; move it away first.")
        with tempfile.TemporaryDirectory(dir=data_dir, prefix=".r") as name:
            draft = Path(name)
            _unpack(source, draft)
            secret = draft / SECRET
            if secret.exists() and not _same_or_none(secret, data_dir / SECRET):
                raise BackupError(
                    f"The folder {data_dir} holds another secret already; move it away first."
                )
            _load(draft)
            if secret.exists():
                secret.replace(data_dir / SECRET)
            (draft / LOG_FOLDER).rename(data_dir / LOG_FOLDER)


def read_manifest(source: Path) -> dict[str, Any]:
    """The manifest of a backup, whose files are all there."""
    try:
        with tarfile.open(source) as archive:
            member = archive.extractfile(MANIFEST)
            about: dict[str, Any] = dict(json.load(member) if member else {})
            held = archive.getnames()
    except (FileNotFoundError, PermissionError) as error:
        raise BackupError(f"{source} cannot be read: {error.strerror}.") from error
    except (OSError, KeyError, TypeError, ValueError, tarfile.TarError) as error:
        raise BackupError(f"{source} is not a backup of a store.") from error
    if about.get("format") != FORMAT:
        raise BackupError(f"{source} has a format that this release cannot read.")
    sums = about.get("sha256")
    if not isinstance(sums, dict) or DUMP not in sums or not sums.keys() <= {*held}:
        raise BackupError(f"{source} is damaged: a part of it is missing.")
    return about


# Making a backup


@contextlib.contextmanager
def _server(data_dir: Path) -> Iterator[redis.Redis]:
    """A client of the folder's running server, or of one that runs only meanwhile."""
    store = EmbeddedStore(data_dir)
    with contextlib.ExitStack() as stack:
        try:
            store.start()
            stack.callback(store.stop)
        except EmbeddedStoreError:
            if not store.ready():
                raise
        client = stack.enter_context(redis.from_url(store.url))
        yield client


def _save(client: redis.Redis) -> None:
    """Make the server save a snapshot that starts after this call."""
    _until(lambda: not _state(client)["rdb_bgsave_in_progress"])
    saves = _state(client)["rdb_saves"]
    # Scheduled: if the append-only file is being rewritten, the server waits for that.
    client.bgsave(schedule=True)
    _until(lambda: _saved(_state(client), saves))


def _saved(state: dict[str, Any], saves: int) -> bool:
    """Whether another save has started and ended."""
    if state["rdb_saves"] == saves or state["rdb_bgsave_in_progress"]:
        return False
    if state["rdb_last_bgsave_status"] != "ok":
        raise BackupError("The store could not save its data; its log says why.")
    return True


def _write(target: Path, dump: Path, secret: Path, release: str) -> None:
    """Write a temporary file beside the target, then rename it."""
    files = {path.name: path for path in (dump, secret) if path.exists()}
    sums = {name: _sum(path) for name, path in files.items()}
    about = json.dumps({"format": FORMAT, "release": release, "sha256": sums}).encode()
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                with tarfile.open(fileobj=file, mode="w") as archive:
                    head = tarfile.TarInfo(MANIFEST)
                    head.size, head.mode = len(about), 0o600
                    archive.addfile(head, io.BytesIO(about))
                    for name, path in files.items():
                        archive.add(path, name)
                file.flush()
                os.fsync(handle)
            Path(draft).replace(target)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from error


# Restoring


def _unpack(source: Path, draft: Path) -> None:
    sums = read_manifest(source)["sha256"]
    with tarfile.open(source) as archive:
        for name in (DUMP, SECRET):
            if name not in sums:
                continue
            member = archive.extractfile(name)
            with _private(draft / name) as file:
                shutil.copyfileobj(member or io.BytesIO(), file)
            if _sum(draft / name) != sums[name]:
                raise BackupError(f"{source} is damaged: its {name} is not what was saved.")


def _load(draft: Path) -> None:
    """Load the dump without an append-only file, then make the server write one."""
    with (
        EmbeddedStore(draft, extra=("--appendonly", "no")) as store,
        redis.from_url(store.url) as client,
    ):
        client.config_set("appendonly", "yes")
        _until(lambda: _rewritten(_state(client)))


def _rewritten(state: dict[str, Any]) -> bool:
    if state["aof_last_bgrewrite_status"] != "ok":
        raise BackupError("The store could not write its append-only file.")
    busy = state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"]
    return bool(state["aof_enabled"]) and not busy


# Both


@contextlib.contextmanager
def _locked(data_dir: Path) -> Iterator[None]:
    """Keep servers out of the folder."""
    try:
        with lock_folder(data_dir):
            yield
    except EmbeddedStoreError as error:
        raise BackupError(str(error)) from error


@contextlib.contextmanager
def _exclusive(lock: Path) -> Iterator[None]:
    with _private(lock) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _state(client: redis.Redis) -> dict[str, Any]:
    state: dict[str, Any] = client.info("persistence")
    return state


def _until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SAVE_TIMEOUT
    while not done():
        if time.monotonic() > deadline:
            raise BackupError("The store did not finish saving in time.")
        time.sleep(POLL_SECONDS)


def _sum(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _same_or_none(one: Path, other: Path) -> bool:
    return not other.exists() or one.read_bytes() == other.read_bytes()


def _private(path: Path) -> BinaryIO:
    """A new file that only its owner may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb")
