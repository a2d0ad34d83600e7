"""A process that is started again when it dies, unless it keeps dying."""

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

READY: Final = b"\0"
"""What a web worker writes to the supervisor when it has loaded; signals have other numbers."""

METRICS_PREFIX: Final = "qwirkle-metrics-"
"""Starts the name of the folder that a supervisor makes for its metrics."""

MAX_DEATHS: Final = 5
DEATHS_WITHIN: Final = 10.0
"""Seconds. A process that dies this often in this time is not started again."""

_RESTART_DELAYS: Final = (0.0, 0.1, 0.2, 0.4, 0.8)


def memory_dir() -> str | None:
    """Returns a folder whose files are kept in memory, or None where there is none."""
    shared = Path("/dev/shm")  # noqa: S108  # used for files with unpredictable names only
    return str(shared) if shared.is_dir() and os.access(shared, os.W_OK) else None


class KeepsDying(RuntimeError):
    """A process died too often in too short a time."""


class ManagedProcess:
    """One process to keep alive."""

    def __init__(
        self,
        name: str,
        launch: Callable[[], ChildProcess],
        *,
        stop_timeout: float,
        hurry: signal.Signals = signal.SIGTERM,
    ) -> None:
        """Starts it. `hurry` is the signal that makes it stop without finishing its work."""
        self.name = name
        self.stop_timeout = stop_timeout
        self.child = launch()
        self._launch = launch
        self._stop_signals = (signal.SIGTERM, hurry, signal.SIGKILL)
        self._deaths: deque[float] = deque(maxlen=MAX_DEATHS)
        self._restart_at: float | None = None

    def check(self) -> int | None:
        """Starts a dead process again when it is time; returns the exit code of a new death.

        Raises KeepsDying when it died five times within ten seconds.
        """
        code = self.child.poll() if self._restart_at is None else None
        if code is not None:
            self._schedule_restart()
        if self.restart_delay() == 0.0:
            self._restart_at = None
            self.child = self._launch()
        return code

    def restart_delay(self) -> float | None:
        """Returns the seconds until it is started again, or None while it runs."""
        return None if self._restart_at is None else max(0.0, self._restart_at - time.monotonic())

    def stop(self, attempt: int) -> None:
        """Asks it to finish and stop the first time, to hurry the second; then kills it."""
        self.child.send_signal(self._stop_signals[min(attempt, len(self._stop_signals)) - 1])

    def ended(self) -> bool:
        """Returns whether the process does not run."""
        return self.child.poll() is not None

    def _schedule_restart(self) -> None:
        now = time.monotonic()
        self._deaths.append(now)
        recent = sum(death > now - DEATHS_WITHIN for death in self._deaths)
        if recent >= MAX_DEATHS:
            often = f"{MAX_DEATHS} times within {DEATHS_WITHIN:.0f} seconds"
            raise KeepsDying(f"{self.name} died {often}: giving up.")
        self._restart_at = now + _RESTART_DELAYS[recent - 1]
