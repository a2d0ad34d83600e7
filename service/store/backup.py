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
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

import redis

from service.config import CannotRun
from service.store.embedded import EmbeddedStore, EmbeddedStoreError, lock_folder, open_private

FORMAT: Final = 1
DUMP: Final = "dump.rdb"
SECRET: Final = "secret"  # noqa: S105  # the name of a file
MANIFEST: Final = "about.json"
LOG_FOLDER: Final = "appendonlydir"
POLL_SECONDS: Final = 0.05
SAVE_TIMEOUT: Final = 3600.0
"""Seconds; a store of gigabytes takes minutes."""


class BackupError(CannotRun):
    """A backup cannot be made or restored; the text says why in one sentence."""


def create_backup(data_dir: Path, target: Path, release: str) -> bool:
    """Write a backup of the folder's store to a file, atomically; whether it has the secret.

    A running server keeps serving; if none runs, one is started for the backup. The snapshot is
    saved beside the append-only file, so an interrupted backup does no harm.
    """
    if not (data_dir / LOG_FOLDER).is_dir():
        raise BackupError(f"There is no embedded store in {data_dir}.")
    dump, secret = data_dir / DUMP, data_dir / SECRET
    with open_private(data_dir / "backup.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with _server(data_dir) as client:
            _save(client)
        try:
            _write(target, [dump, secret] if secret.exists() else [dump], release)
        finally:
            dump.unlink(missing_ok=True)
    return secret.exists()


def restore_backup(source: Path, data_dir: Path) -> None:
    """Restore a backup; BackupError if the folder already has a store or another secret.

    The last step is one rename: until then the folder has no store, and it can be tried again.
    """
    with lock_folder(data_dir):
        if (data_dir / LOG_FOLDER).exists():
            raise BackupError(f"The folder {data_dir} holds a store already; move it away first.")
        with tempfile.TemporaryDirectory(dir=data_dir, prefix=".r") as name:
            draft = Path(name)
            _unpack(source, draft)
            secret = draft / SECRET
            own = data_dir / SECRET
            if secret.exists() and own.exists() and secret.read_bytes() != own.read_bytes():
                raise BackupError(
                    f"The folder {data_dir} holds another secret already; move it away first."
                )
            _load(draft)
            if secret.exists():
                secret.replace(own)
            (draft / LOG_FOLDER).rename(data_dir / LOG_FOLDER)


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
        yield stack.enter_context(redis.from_url(store.url))


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


def _write(target: Path, files: list[Path], release: str) -> None:
    """Write a temporary file beside the target, then rename it."""
    sums = {path.name: _sum(path) for path in files}
    about = json.dumps({"format": FORMAT, "release": release, "sha256": sums}).encode()
    try:
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                with tarfile.open(fileobj=file, mode="w") as archive:
                    head = tarfile.TarInfo(MANIFEST)
                    head.size, head.mode = len(about), 0o600
                    archive.addfile(head, io.BytesIO(about))
                    for path in files:
                        archive.add(path, path.name)
                file.flush()
                os.fsync(handle)
            Path(draft).replace(target)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as error:
        raise BackupError(f"{target} cannot be written: {error.strerror}.") from error


# Restoring


def _unpack(source: Path, draft: Path) -> None:
    """Unpack a backup whose files are all there and undamaged."""
    try:
        with tarfile.open(source) as archive:
            sums = _read_manifest(source, archive)
            for name in sums:
                member = archive.extractfile(name)
                with open_private(draft / name) as file:
                    shutil.copyfileobj(member or io.BytesIO(), file)
                if _sum(draft / name) != sums[name]:
                    raise BackupError(f"{source} is damaged: its {name} is not what was saved.")
    except (FileNotFoundError, PermissionError) as error:
        raise BackupError(f"{source} cannot be read: {error.strerror}.") from error
    except (OSError, KeyError, TypeError, ValueError, tarfile.TarError) as error:
        raise BackupError(f"{source} is not a backup of a store.") from error


def _read_manifest(source: Path, archive: tarfile.TarFile) -> dict[str, str]:
    """The checksums of the files in the backup."""
    member = archive.extractfile(MANIFEST)
    about: dict[str, Any] = dict(json.load(member) if member else {})
    if about.get("format") != FORMAT:
        raise BackupError(f"{source} has a format that this release cannot read.")
    sums = about.get("sha256")
    names = {DUMP, SECRET} & {*archive.getnames()}
    if not isinstance(sums, dict) or DUMP not in sums or not sums.keys() <= names:
        raise BackupError(f"{source} is damaged: a part of it is missing.")
    return sums


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
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
