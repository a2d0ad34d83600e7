"""Writing lines to a stream that other processes write to as well, without ever waiting for it.

Lines gather for a moment and go out together, since a system call for each costs more than
everything else about them. What goes out at once to a pipe are whole lines and at most as many
bytes as it takes in one piece, so lines of several processes never mix.

A thread does the writing, as it may have to wait. But each of its calls makes the one that
serves requests wait for the interpreter in turn, so it gets little to do: to a file it writes
everything in one go, and a pipe that has room gets its pieces on the spot.
"""

import atexit
import os
import select
import stat
import sys
from collections import deque
from importlib import import_module
from typing import Any, Final

from service.telemetry import metrics

PIECE: Final = getattr(select, "PIPE_BUF", 512)
WHOLE: Final = 1 << 20
LONGEST: Final = PIECE
MOMENT: Final = 0.2
"""Seconds that a line may wait for company."""

COMPANY: Final = 12
"""Lines that go out together at least while there are many."""

MOST_LINES: Final = 20_000
LAST_WORDS: Final = 1.0
"""Seconds that the end of the process waits for a reader."""

_AT_ONCE: Final[int | None] = getattr(os, "RWF_NOWAIT", None)


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
        self._lock = _native("_thread", "allocate_lock")
        self._turn = self._lock()
        self._most = PIECE
        self._on_the_spot = False

    def write(self, line: bytes) -> None:
        """Have a line written within a moment; dropped and counted if nobody reads for long."""
        if self._writer != os.getpid():
            self._begin()
        if len(self._lines) >= MOST_LINES:
            metrics.LOG_LINES_DROPPED.inc()
            return
        self._lines.append(line)
        if self._on_the_spot and len(self._lines) % COMPANY == 0:
            self._write_on_the_spot()

    def write_now(self, line: bytes) -> None:
        """Write a line before this returns, unless that would mean to wait."""
        if self._lines or not self._ready(0):
            self.write(line)
        else:
            _put(self.fd, line)

    def finish(self) -> None:
        """Write what is left; gives up if nobody reads."""
        # In turn even where nothing seems to be left: the thread may have the last lines in hand.
        while self._turn.acquire(True, LAST_WORDS):
            try:
                if not self._lines or not self._ready(LAST_WORDS):
                    return
                _put(self.fd, b"".join(self._piece()))
            finally:
                self._turn.release()

    def _begin(self) -> None:
        """Start the writer: once in every process, so again after a fork."""
        if self._writer:
            self._lines.clear()  # they are the parent's
            self._turn = self._lock()  # its thread may have held the old one
        self._writer = os.getpid()
        kind = _kind_of(self.fd)
        self._most = WHOLE if stat.S_ISREG(kind) else PIECE
        self._on_the_spot = _AT_ONCE is not None and stat.S_ISFIFO(kind)
        atexit.register(self.finish)
        self._start(self._carry, ())

    def _carry(self) -> None:
        while True:
            self._sleep(MOMENT)
            # Those that have gathered and no more: who waited for the newest as well would never
            # sleep again under a steady load, and write each line alone.
            gathered = len(self._lines)
            while gathered > 0 and self._lines:
                with self._turn:
                    piece = self._piece()
                    gathered -= len(piece)
                    _put(self.fd, b"".join(piece))

    def _write_on_the_spot(self) -> None:
        """Write a piece if that means to wait for nobody; if not, the thread will."""
        if not self._turn.acquire(False):
            return
        try:
            piece = self._piece()
            try:
                os.pwritev(self.fd, piece, -1, _AT_ONCE or 0)
            except OSError as error:
                self._lines.extendleft(reversed(piece))
                # A full pipe will have room again; a system that knows no such call will not.
                self._on_the_spot = isinstance(error, BlockingIOError)
        finally:
            self._turn.release()

    def _piece(self) -> list[bytes]:
        """The oldest lines, as many as go out at once."""
        taken: list[bytes] = []
        size = 0
        while self._lines and (not taken or size + len(self._lines[0]) <= self._most):
            line = self._lines.popleft()
            taken.append(line)
            size += len(line)
        return taken

    def _ready(self, patience: float) -> bool:
        poll = self._poll()
        poll.register(self.fd, select.POLLOUT)
        return bool(poll.poll(patience * 1000))


def _kind_of(fd: int) -> int:
    """What the stream is; nothing known if it is closed."""
    try:
        return os.fstat(fd).st_mode
    except OSError:
        return 0


def _put(fd: int, piece: bytes) -> None:
    """Write all of it; a reader that is gone is no reason to fail."""
    try:
        while piece:
            piece = piece[os.write(fd, piece) :]
    except OSError:
        metrics.LOG_LINES_DROPPED.inc(piece.count(b"\n"))


def _native(module: str, name: str) -> Any:
    """The system's own function, which gevent may have put its own in place of."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey.get_original(module, name) if monkey else getattr(import_module(module), name)
