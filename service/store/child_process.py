"""Child processes that never outlive the process that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Final

_PR_SET_PDEATHSIG: Final = 1

# Loaded before any fork: the child between fork and exec must not load libraries.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_GUARD: Final = 'trap "" INT TERM HUP; cat; kill -TERM "$1"'
"""Ends a process when its own input is closed, whose other end only this process holds."""


def die_with_parent(parent: int) -> None:
    """Make the kernel send this process SIGTERM when its parent dies; only on Linux."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the call
        os.kill(os.getpid(), signal.SIGTERM)


class ChildProcess(subprocess.Popen[bytes]):
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
        parent = os.getpid()

        def prepare() -> None:
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            die_with_parent(parent)

        super().__init__(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            pass_fds=tuple(keep_open),
            umask=0o077,  # only the owner may read what a child writes
            preexec_fn=prepare,  # takes no lock that a thread may hold
        )
        self._guard: subprocess.Popen[bytes] | None = None
        if guarded:
            self._guard = subprocess.Popen(  # noqa: S603  # a fixed script and a number
                ["/bin/sh", "-c", _GUARD, "guard", str(self.pid)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    def poll(self) -> int | None:
        """The exit code once the child has ended, whose guard is then dismissed."""
        code = super().poll()
        if code is not None and self._guard is not None:
            # Before the process id can be reused.
            self._guard.kill()
            self._guard.communicate()
            self._guard = None
        return code

    def stop(self, timeout: float) -> None:
        """Ask the child to end and wait for it; kill it after ``timeout`` seconds."""
        self.terminate()
        try:
            self.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            self.wait()
        self.poll()
