"""Goes through all games from time to time and repairs the lists of tenants' games."""

import logging
from collections.abc import Iterator
from time import monotonic
from typing import Final

from service.games.list_repair import repair_lists
from service.games.service import Games
from service.store.base import StoreUnavailable
from service.store.sweep import Sweep
from service.telemetry import metrics

BATCH_EVERY: Final = 1.0
BEGIN_EVERY: Final = 60.0
"""Seconds; how often to see whether a sweep has to begin."""

SWEEP_EVERY_MS: Final = 60 * 60 * 1000
"""The pause between the end of a sweep and the next one."""

log = logging.getLogger("qwirkle")


class ListSweep:
    """The sweeps of one worker; of several workers one sweeps at a time."""

    def __init__(self, games: Games, sweep: Sweep) -> None:
        self._games = games
        self._sweep = sweep
        self._batches: Iterator[list[str]] | None = None
        self._next = 0.0
        self._failing = False

    def run_due(self) -> None:
        """Do the next small part of the work, at most once a second.

        If the store is unavailable, this sweep ends, and a later one starts from the beginning.
        """
        if monotonic() < self._next:
            return
        try:
            if self._batches is None and self._sweep.begin():
                self._batches = self._sweep.batches()
            if self._batches is not None:
                self._repair_next(self._batches)
        except StoreUnavailable as error:
            self._batches = None
            if not self._failing:
                log.warning("The sweep of the tenants' lists was stopped: %s", error.reason)
            self._failing = True
        self._next = monotonic() + (BEGIN_EVERY if self._batches is None else BATCH_EVERY)

    def _repair_next(self, batches: Iterator[list[str]]) -> None:
        batch = next(batches, None)
        if batch is None:
            self._batches, self._failing = None, False
            self._sweep.extend(SWEEP_EVERY_MS)
            return
        self._sweep.extend()
        if restored := repair_lists(self._games, batch):
            log.warning("%d entries were missing in tenants' lists; they are restored", restored)
            metrics.LIST_ENTRIES_RESTORED.inc(restored)
