"""Who waits for the same thing gets it in turn, whatever somebody else has asked for."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class FairLock:
    """One at a time; of those who wait each caller's first, one caller after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy = False
        self._waiting: dict[str, deque[threading.Event]] = {}

    @contextmanager
    def turn(self, caller: str) -> Iterator[None]:
        """Wait for this caller's turn, and have it until the end of the context."""
        mine = self._enter(caller)
        try:
            if mine is not None:
                mine.wait()
        except BaseException:
            self._give_up(caller, mine)
            raise
        try:
            yield
        finally:
            self._pass_on()

    def _enter(self, caller: str) -> threading.Event | None:
        """What to wait for; None if it is this caller's turn already."""
        with self._lock:
            if not self._busy:
                self._busy = True
                return None
            mine = threading.Event()
            self._waiting.setdefault(caller, deque()).append(mine)
            return mine

    def _pass_on(self) -> None:
        with self._lock:
            caller = next(iter(self._waiting), None)
            if caller is None:
                self._busy = False
                return
            # Taken out and put back, the caller comes after all others.
            queue = self._waiting.pop(caller)
            queue.popleft().set()
            if queue:
                self._waiting[caller] = queue

    def _give_up(self, caller: str, mine: threading.Event | None) -> None:
        with self._lock:
            queue = self._waiting.get(caller, deque())
            if mine is not None and mine in queue:
                queue.remove(mine)
                if not queue:
                    del self._waiting[caller]
                return
        self._pass_on()
