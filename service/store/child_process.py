"""Starting processes that never outlive the one that started them."""

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
    """Has the kernel send this process SIGTERM when its parent dies; does nothing off Linux."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the kernel was asked
        os.kill(os.getpid(), signal.SIGTERM)


class ChildProcess:
    """A child process in this one's process group that ends when this process does.

    Ctrl-C in a terminal reaches the whole group; the child does not see it, so that this
    process alone decides in which order its children stop.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        keep_open: Sequence[int] = (),
        guarded: bool = _libc is None,
    ) -> None:
        """Starts the command.

        `keep_open` are file descriptors that the child inherits. A `guarded` child is watched
        by a small process of its own, for systems whose kernel does not offer to.
        """
        self.process = subprocess.Popen(  # noqa: S603  # the callers' commands are their own
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            pass_fds=tuple(keep_open),
            umask=0o077,  # whatever a child writes is its owner's alone
            preexec_fn=_before_exec(os.getpid()),  # noqa: PLW1509  # takes no lock a thread may hold
        )
        self._guard = _Guard(self.process.pid) if guarded else None

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self.process.pid

    def ended(self) -> bool:
        """Tells whether the child has ended, and clears up after it if so."""
        if self.process.poll() is None:
            return False
        if self._guard is not None:
            self._guard.dismiss()
        return True

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal; a child that has ended already gets none."""
        self.process.send_signal(number)

    def stop(self, patience: float) -> None:
        """Asks the child to end and waits for it; kills it when the patience (seconds) is over."""
        self.signal(signal.SIGTERM)
        try:
            self.process.wait(patience)
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
    """Ends a process once the pipe, whose other end this process alone holds, is closed."""

    SCRIPT = 'trap "" INT TERM HUP; cat; kill -TERM "$1"'

    def __init__(self, pid: int) -> None:
        self.watcher = subprocess.Popen(  # noqa: S603  # a fixed script and a number
            ["/bin/sh", "-c", self.SCRIPT, "guard", str(pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def dismiss(self) -> None:
        """Ends the watch before the process id can be given to another process."""
        self.watcher.kill()
        self.watcher.wait()
        if self.watcher.stdin is not None:
            with contextlib.suppress(OSError):
                self.watcher.stdin.close()


def tail(path: Path, lines: int = 3) -> str:
    """Returns the last lines of a log, or nothing where there is none."""
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return ""
