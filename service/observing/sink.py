"""Writing lines to a stream that other processes write to as well, without ever waiting for it.

Lines gather for a moment and go out together, since a system call for each costs more than
everything else about them. What goes out at once are whole lines and at most as many bytes as
a pipe takes in one piece, so lines of several processes never mix.
"""

import atexit
import os
import select
import sys
from collections import deque
from importlib import import_module
from typing import Any, Final

from service.observing.counting import METER

PIECE: Final = getattr(select, "PIPE_BUF", 512)
LONGEST: Final = PIECE
MOMENT: Final = 0.2
"""Seconds that a line may wait for company."""

MOST_LINES: Final = 20_000
LAST_WORDS_MS: Final = 1000


class Sink:
    """One stream, by its file descriptor."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._lines: deque[bytes] = deque()
        self._writer = 0
        # A thread of the system's own in any case: a greenlet's wait would be everybody's.
        self._start = _native("_thread", "start_new_thread")
        self._sleep = _native("time", "sleep")
        self._poll = _native("select", "poll")

    def write(self, line: bytes) -> None:
        """Have a line written within a moment; dropped and counted if nobody reads for long."""
        if self._writer != os.getpid():
            self._begin()
        if len(self._lines) < MOST_LINES:
            self._lines.append(line)
        else:
            METER.count("log_lines_dropped_total")

    def write_now(self, line: bytes) -> None:
        """Write a line before this returns, unless that would mean to wait."""
        if self._lines or not self._ready(0):
            self.write(line)
        else:
            _put(self.fd, line)

    def finish(self) -> None:
        """Write what is left; gives up if nobody reads."""
        while self._lines and self._ready(LAST_WORDS_MS):
            _put(self.fd, self._piece())

    def _begin(self) -> None:
        """Start the writer: once in every process, so again after a fork."""
        if self._writer:
            self._lines.clear()  # they are the parent's
        self._writer = os.getpid()
        atexit.register(self.finish)
        self._start(self._carry, ())

    def _carry(self) -> None:
        while True:
            self._sleep(MOMENT)
            while self._lines:
                _put(self.fd, self._piece())

    def _piece(self) -> bytes:
        """The oldest lines, as many as go out at once."""
        taken: list[bytes] = []
        size = 0
        while self._lines and (not taken or size + len(self._lines[0]) <= PIECE):
            line = self._lines.popleft()
            taken.append(line)
            size += len(line)
        return b"".join(taken)

    def _ready(self, patience_ms: int) -> bool:
        poll = self._poll()
        poll.register(self.fd, select.POLLOUT)
        return bool(poll.poll(patience_ms))


def _put(fd: int, piece: bytes) -> None:
    """Write all of it; a reader that is gone is no reason to fail."""
    try:
        while piece:
            piece = piece[os.write(fd, piece) :]
    except OSError:
        METER.count("log_lines_dropped_total", by=piece.count(b"\n"))


def _native(module: str, name: str) -> Any:
    """The system's own function, which gevent may have put its own in place of."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey.get_original(module, name) if monkey else getattr(import_module(module), name)
