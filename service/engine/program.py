"""A program that answers line by line, whatever it does: within a time limit, or not at all."""

import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from threading import Thread
from time import monotonic
from typing import IO

from service.bots.actions import Forfeit

LONGEST_ANSWER = 1 << 16
_MOST_SHOWN = 100  # lines of its errors
_LONGEST_SHOWN = 1000


class Program:
    """A running program in a process group of its own, so that its children end with it."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # the user named the program
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if not (self._process.stdin and self._process.stdout and self._process.stderr):
            raise AssertionError("all three are pipes")
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._read = b""
        errors = self._process.stderr
        Thread(target=_show, args=(errors, f"{command:.40}"), daemon=True).start()

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line that it answers; Forfeit if it ends, talks out of turn or takes longer."""
        if self._read:
            raise Forfeit("illegal action", "it wrote a line before it was asked")
        deadline = monotonic() + seconds
        unsent = memoryview(line + b"\n")
        with DefaultSelector() as selector:
            selector.register(self._input, EVENT_WRITE)
            selector.register(self._output, EVENT_READ)
            while b"\n" not in self._read:
                left = deadline - monotonic()
                ready = selector.select(left) if left > 0 else []
                if not ready:
                    raise Forfeit("timeout", f"it gave no answer within {seconds:g} s")
                if any(key.fd == self._output for key, _ in ready):
                    self._receive()
                elif unsent:
                    unsent = self._send(unsent)
                if not unsent and self._input in selector.get_map():
                    selector.unregister(self._input)
        answer, _, self._read = self._read.partition(b"\n")
        return answer

    def _send(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._input, unsent) :]
        except BrokenPipeError:
            raise self._crash() from None

    def _receive(self) -> None:
        piece = os.read(self._output, LONGEST_ANSWER)
        if not piece:
            raise self._crash()
        self._read += piece
        if len(self._read) > LONGEST_ANSWER and b"\n" not in self._read[:LONGEST_ANSWER]:
            raise Forfeit("illegal action", f"its line has more than {LONGEST_ANSWER} bytes")

    def _crash(self) -> Forfeit:
        """What to say of a program that has closed its pipes."""
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return Forfeit("crash", "it closed its input or its output")
        if code < 0:
            return Forfeit("crash", f"it was ended by {signal.Signals(-code).name}")
        return Forfeit("crash", f"it ended with exit code {code}")

    def close(self, patience: float = 0.0) -> None:
        """End the program and all its children.

        With patience, its input ends first, and it has so many seconds to end by itself.
        """
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _show(errors: IO[bytes], name: str) -> None:
    """Copy what the program writes as errors, line by line; of a flood only the first lines."""
    with errors:
        for number, line in enumerate(iter(lambda: errors.readline(_LONGEST_SHOWN), b"")):
            if number < _MOST_SHOWN:
                print(f"{name}: {line.decode(errors='replace').rstrip()}", file=sys.stderr)  # noqa: T201  # shown as it comes
            elif number == _MOST_SHOWN:
                print(f"{name}: further output is not shown", file=sys.stderr)  # noqa: T201  # as above
