"""Counts the games that the store has forgotten."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from service.store.expiries import Expiries
from service.telemetry.metrics import METER

EVERY_SECONDS: Final = 5.0


class Sweeper:
    """Looks every few seconds, however often it is asked to."""

    def __init__(self, expiries: Expiries, clock: Callable[[], int]) -> None:
        self._expiries = expiries
        self._clock = clock
        self._swept = -EVERY_SECONDS

    def sweep(self) -> None:
        """Count what has gone since the last look; `StoreUnavailable` if the store is away."""
        if monotonic() - self._swept < EVERY_SECONDS:
            return
        self._swept = monotonic()
        for _ in self._expiries.forgotten(self._clock()):
            METER.count("games_expired_total")
