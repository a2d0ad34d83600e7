"""A child of the supervisor: started again when it dies, unless it keeps dying."""

import os
import signal
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from service.store.child_process import ChildProcess

GRACE: Final = 30
"""Seconds that running requests have to finish when the web server stops."""

CANNOT_LOAD: Final = (3, 4)
"""Exit codes of the web server when a worker or the application in it cannot start."""

MOST_DEATHS: Final = 5
WITHIN: Final = 10.0
"""Seconds: more than this many deaths in this time mean that starting again is no use."""

_PAUSES: Final = (0.0, 0.1, 0.2, 0.4, 0.8)


def memory_dir() -> str | None:
    """Returns a folder whose files do not wait for a disk, or None for the default."""
    shared = Path("/dev/shm")  # noqa: S108  # only files that nobody else can predict or open
    return str(shared) if shared.is_dir() and os.access(shared, os.W_OK) else None


class KeepsDying(RuntimeError):
    """A child died too often in too short a time."""


class Child:
    """One process to keep alive, and when it is due to be started again."""

    def __init__(
        self,
        name: str,
        launch: Callable[[], ChildProcess],
        *,
        patience: float,
        hurry: signal.Signals = signal.SIGTERM,
        reloads: bool = False,
    ) -> None:
        """Describes it.

        `patience` is how many seconds it may take to stop, `hurry` the signal that speeds it
        up, and `reloads` whether a SIGHUP is meant for it.
        """
        self.name = name
        self.patience = patience
        self.reloads = reloads
        self._launch = launch
        self._farewells = (signal.SIGTERM, hurry, signal.SIGKILL)
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)
        self._due: float | None = None
        self.running: ChildProcess | None = None

    def start(self) -> None:
        """Starts the process."""
        self._due = None
        self.running = self._launch()

    def tend(self) -> int | None:
        """Notices a death and starts again what is due; returns the exit code of a death.

        Raises KeepsDying when it died five times within ten seconds.
        """
        code = None
        if self.running is not None and self.running.ended():
            code = self.running.process.returncode
            self.running = None
            self._bury()
        if self._due is not None and time.monotonic() >= self._due:
            self.start()
        return code

    def pause(self) -> float | None:
        """Returns the seconds until it is to be started again, or None while it runs."""
        return None if self._due is None else max(0.0, self._due - time.monotonic())

    def ask_to_stop(self, times: int) -> None:
        """Asks it to end: politely the first time, in a hurry the second, then with force."""
        self.signal(self._farewells[min(times, len(self._farewells)) - 1])

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal if the process runs."""
        if self.running is not None:
            self.running.signal(number)

    def ended(self) -> bool:
        """Tells whether no process runs."""
        if self.running is not None and self.running.ended():
            self.running = None
        return self.running is None

    def _bury(self) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        recent = sum(death > now - WITHIN for death in self._deaths)
        if recent >= MOST_DEATHS:
            raise KeepsDying(
                f"{self.name} died {MOST_DEATHS} times within {WITHIN:.0f} seconds: giving up."
            )
        self._due = now + _PAUSES[recent - 1]
