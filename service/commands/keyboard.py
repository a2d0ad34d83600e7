"""Read single keys from a terminal, without Enter."""

import os
import re
import sys
import termios
import tty
from collections.abc import Generator

_KEY = re.compile(rb"\x1b\[[ABCD]|[\x00-\xff]")
_ARROWS = {b"\x1b[C": "right", b"\x1b[D": "left", b"\x1b[A": "left", b"\x1b[B": "right"}
_STOPS = (b"\x03", b"\x04", b"\x1b")


def pressed_keys() -> Generator[str]:
    """The keys pressed, as letters, ``left`` and ``right``, until one that stops.

    The terminal of standard input is restored at the end.
    """
    terminal = sys.stdin.fileno()
    saved = termios.tcgetattr(terminal)
    # The default would drop keys that were typed before this.
    tty.setraw(terminal, termios.TCSADRAIN)
    try:
        while typed := os.read(terminal, 64):
            for key in _KEY.findall(typed):
                if key in _STOPS:
                    return
                yield _ARROWS.get(key) or key.decode("latin-1")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, saved)
