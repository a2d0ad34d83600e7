"""Writing log lines without ever waiting for their reader.

Lines are queued, and a thread writes what has gathered several times a second. The standard
library's QueueListener would write each line by itself, and wake up a thread for each; every time
that thread runs, the one that serves requests has to wait for the interpreter.

Each write to a pipe is of whole lines and at most the size that a pipe takes in one piece, so the
lines of several processes never mix.
"""

import atexit
import os
import select
import stat
import sys
from collections import deque
from importlib import import_module
from typing import Any, Final

from service.telemetry.metrics import LOG_LINES_DROPPED

PIPE_WRITE: Final = getattr(select, "PIPE_BUF", 512)
FILE_WRITE: Final = 1 << 20
MAX_LINE: Final = PIPE_WRITE
MAX_QUEUED: Final = 20_000
INTERVAL: Final = 0.2
EXIT_TIMEOUT: Final = 1.0


class LineWriter:
    """Writes to one stream, by its file descriptor. Lines are dropped while the queue is full."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._lines: deque[bytes] = deque()
        self._started = False
        self._writing = _original("_thread", "allocate_lock")()
        os.register_at_fork(after_in_child=self._reset)
        atexit.register(self.flush)

    def write(self, line: bytes) -> None:
        """Queue a line, which ends with a line feed."""
        if not self._started:
            self._started = True
            # A real thread even where gevent has replaced them: if a greenlet waits in a system
            # call, so does every other greenlet.
            _original("_thread", "start_new_thread")(self._run, ())
        if len(self._lines) < MAX_QUEUED:
            self._lines.append(line)
        else:
            LOG_LINES_DROPPED.inc()

    def write_now(self, line: bytes) -> None:
        """Write a line immediately if that means no waiting, else queue it."""
        if self._lines or not self._writable(0):
            self.write(line)
        else:
            _write(self.fd, line)

    def flush(self) -> None:
        """Write what is queued; gives up if nobody reads."""
        # Even if nothing is queued: the thread may be writing the last lines.
        while self._writing.acquire(True, EXIT_TIMEOUT):
            try:
                if not self._lines or not self._writable(EXIT_TIMEOUT):
                    return
                _write(self.fd, self._next_lines())
            finally:
                self._writing.release()

    def _run(self) -> None:
        sleep = _original("time", "sleep")
        while True:
            sleep(INTERVAL)
            # No more than have gathered so far: under a steady load the thread would never sleep
            # again, and write each line by itself.
            gathered = len(self._lines)
            while gathered > 0 and self._lines:
                with self._writing:
                    lines = self._next_lines()
                    gathered -= lines.count(b"\n")
                    _write(self.fd, lines)

    def _next_lines(self) -> bytes:
        """Take as many of the oldest lines as one write may have."""
        limit = FILE_WRITE if _is_file(self.fd) else PIPE_WRITE
        taken: list[bytes] = []
        size = 0
        while self._lines and (not taken or size + len(self._lines[0]) <= limit):
            taken.append(self._lines.popleft())
            size += len(taken[-1])
        return b"".join(taken)

    def _writable(self, timeout: float) -> bool:
        poll = _original("select", "poll")()
        poll.register(self.fd, select.POLLOUT)
        return bool(poll.poll(timeout * 1000))

    def _reset(self) -> None:
        """Start anew in a forked process: queue, lock and thread are its parent's."""
        self._lines.clear()
        self._started = False
        self._writing = _original("_thread", "allocate_lock")()


def _is_file(fd: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(fd).st_mode)
    except OSError:  # closed
        return False


def _write(fd: int, lines: bytes) -> None:
    try:
        while lines:
            lines = lines[os.write(fd, lines) :]
    except OSError:  # the reader is gone
        LOG_LINES_DROPPED.inc(lines.count(b"\n"))


def _original(module: str, name: str) -> Any:
    """The function that gevent's monkey patches may have replaced."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey.get_original(module, name) if monkey else getattr(import_module(module), name)
