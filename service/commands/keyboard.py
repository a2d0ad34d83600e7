"""Read single keys from a terminal, without Enter."""

import os
import sys
import termios
import tty
from types import TracebackType
from typing import Self

_ARROWS = {b"\x1b[C": "right", b"\x1b[D": "left", b"\x1b[A": "left", b"\x1b[B": "right"}
_STOPS = (b"", b"\x03", b"\x04", b"\x1b")


class Keys:
    """The keyboard of standard input; restores the terminal on exit."""

    def __enter__(self) -> Self:
        self._terminal = sys.stdin.fileno()
        self._saved = termios.tcgetattr(self._terminal)
        self._buffer = b""
        tty.setraw(self._terminal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._saved)

    def next(self) -> str:
        """The next key: a letter, ``left``, ``right``, or an empty string if there are no more."""
        if not self._buffer:
            self._buffer = os.read(self._terminal, 64)
        for written, name in _ARROWS.items():
            if self._buffer.startswith(written):
                self._buffer = self._buffer[len(written) :]
                return name
        pressed, self._buffer = self._buffer[:1], self._buffer[1:]
        return "" if pressed in _STOPS else pressed.decode("latin-1")
