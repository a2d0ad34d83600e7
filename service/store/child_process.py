"""Child processes that never outlive the process that started them."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1

# Loaded before any fork: the child between fork and exec must not load libraries.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent: int) -> None:
    """Make the kernel send this process SIGTERM when its parent dies; only on Linux."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the call
        os.kill(os.getpid(), signal.SIGTERM)


class ChildProcess:
    """A child in the same process group that ends when this process does.

    Ctrl-C in a terminal reaches the whole group; the child ignores it, so that this process
    decides in which order its children stop.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        keep_open: Sequence[int] = (),
        guarded: bool = _libc is None,
    ) -> None:
        """Start the command.

        `keep_open` are file descriptors that the child inherits. A `guarded` child is watched
        by a small process, for systems whose kernel cannot do that.
        """
        self.process = subprocess.Popen(  # noqa: S603  # the callers' commands are their own
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            pass_fds=tuple(keep_open),
            umask=0o077,  # only the owner may read what a child writes
            preexec_fn=_before_exec(os.getpid()),  # noqa: PLW1509  # takes no lock a thread may hold
        )
        self._guard = _Guard(self.process.pid) if guarded else None

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self.process.pid

    def ended(self) -> bool:
        """Whether the child has ended; cleans up after it if so."""
        if self.process.poll() is None:
            return False
        if self._guard is not None:
            self._guard.dismiss()
        return True

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, unless the child has ended."""
        self.process.send_signal(number)

    def stop(self, timeout: float) -> None:
        """Ask the child to end and wait for it; kill it after ``timeout`` seconds."""
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.ended()


def _before_exec(parent: int) -> Callable[[], None]:
    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        die_with_parent(parent)

    return prepare


class _Guard:
    """Ends a process when its pipe closes, whose other end only this process holds."""

    SCRIPT = 'trap "" INT TERM HUP; cat; kill -TERM "$1"'

    def __init__(self, pid: int) -> None:
        self.watcher = subprocess.Popen(  # noqa: S603  # a fixed script and a number
            ["/bin/sh", "-c", self.SCRIPT, "guard", str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def dismiss(self) -> None:
        """Stop watching before the process id can be reused."""
        self.watcher.kill()
        self.watcher.wait()
        if self.watcher.stdin is not None:
            with contextlib.suppress(OSError):
                self.watcher.stdin.close()


def tail(path: Path, lines: int = 3) -> str:
    """The last lines of a log, or an empty string if there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
