"""Standard input and output without a deadlock, however much the other side sends at once."""

import os
from collections import deque
from select import PIPE_BUF, select

_PIECE = 1 << 16
_MOST_KEPT = 4096  # pieces; after 256 MB the other side has to read


class Pipes:
    """Reads from one file descriptor and writes to another.

    While the other side does not read its answers, what it sends is kept for later. Otherwise
    both sides could wait for each other: pipes hold some kilobytes only.
    """

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target
        self._kept: deque[bytes] = deque()
        self._ended = False

    def read(self, size: int) -> bytes:
        """What has arrived, or the next that does; nothing at the end of the input."""
        if self._kept:
            return self._kept.popleft()
        return b"" if self._ended else os.read(self._source, size)

    def write(self, answers: bytes) -> None:
        """Write everything; if that takes a while, read in the meantime."""
        unsent = memoryview(answers)
        while unsent:
            full = self._ended or len(self._kept) == _MOST_KEPT
            sources = [] if full else [self._source]
            readable, writable, _ = select(sources, [self._target], [])
            if writable:
                # A pipe that is ready takes this much without waiting.
                unsent = unsent[os.write(self._target, unsent[:PIPE_BUF]) :]
            elif readable:
                piece = os.read(self._source, _PIECE)
                self._ended = not piece
                if piece:
                    self._kept.append(piece)
