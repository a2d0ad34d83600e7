"""Callers take turns, so that nobody has to wait for all that somebody else has asked for."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

from flask import has_request_context

from service.api.client_address import client_address
from service.rules.yielding import A_MOMENT


class RoundRobinLock:
    """One at a time. Of those who wait, the first of each caller, one caller after the other."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._busy = False
        self._waiting: dict[str, deque[threading.Event]] = {}
        """By caller, in the order of their turns; nobody's queue is empty."""

    @contextmanager
    def turn(self, caller: str) -> Iterator[None]:
        """Wait for this caller's turn, and have it until the end of the context."""
        self._wait(caller)
        try:
            yield
        finally:
            with self._mutex:
                self._pass_on()

    def _wait(self, caller: str) -> None:
        with self._mutex:
            if not self._busy:
                self._busy = True
                return
            mine = threading.Event()
            self._waiting.setdefault(caller, deque()).append(mine)
        try:
            mine.wait()
        except BaseException:
            with self._mutex:
                if mine.is_set():
                    self._pass_on()
                else:
                    self._remove(caller, mine)
            raise

    def _remove(self, caller: str, event: threading.Event) -> None:
        queue = self._waiting[caller]
        queue.remove(event)
        if not queue:
            del self._waiting[caller]

    def _pass_on(self) -> None:
        """Give the turn to the next caller, who then becomes the last."""
        if not self._waiting:
            self._busy = False
            return
        caller = next(iter(self._waiting))
        queue = self._waiting.pop(caller)
        queue.popleft().set()
        if queue:
            self._waiting[caller] = queue


_slices = RoundRobinLock()


def pause_in_turn() -> None:
    """Let other requests of the process continue, in the middle of a long computation.

    Of all long computations one continues at a time, so that short requests never wait for more
    than one slice of them, however many there are.
    """
    with _slices.turn(client_address() if has_request_context() else ""):
        sleep(A_MOMENT)
