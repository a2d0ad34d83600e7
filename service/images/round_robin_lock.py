"""Who waits for the same thing gets it in turn, whatever somebody else has asked for."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count


class RoundRobinLock:
    """One at a time; of those who wait each caller's first, one caller after the other."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._busy = False
        self._round = 0
        self._numbers = count()
        self._waiting: list[tuple[int, int, str]] = []
        """Rounds, numbers and callers: each caller has one turn in a round."""

    @contextmanager
    def turn(self, caller: str) -> Iterator[None]:
        """Wait for this caller's turn, and have it until the end of the context."""
        with self._changed:
            taken = (round_ for round_, _, name in self._waiting if name == caller)
            mine = max(taken, default=self._round) + 1, next(self._numbers), caller
            self._waiting.append(mine)
            try:
                self._changed.wait_for(lambda: not self._busy and mine == min(self._waiting))
                self._busy, self._round = True, mine[0]
            finally:
                self._waiting.remove(mine)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
