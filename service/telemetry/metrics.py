"""Counting, cheaply enough for every request and every call to the store.

Each process has one `METER`. It counts in memory of its own until `Meter.share` gives it a
slot on a board that other processes share (see `service.telemetry.shared_counters`).
"""

from bisect import bisect_left
from typing import Final

from service.telemetry.metric_definitions import METRICS
from service.telemetry.shared_counters import LOST, OF_NOW, Slot

APART: Final = "\t"

_OF_NOW: Final = frozenset(metric.name for metric in METRICS if metric.kind == "gauge")
_BOUNDS: Final = {metric.name: metric.bounds for metric in METRICS if metric.bounds}


class Timing:
    """How often something happened, and how long it took, by buckets."""

    __slots__ = ("_also", "_bounds", "_buckets", "_slot")

    def __init__(
        self, slot: Slot, name: str, bounds: tuple[float, ...], also: str | None = None
    ) -> None:
        """``also`` names a number that counts the same things, by finer labels."""
        self._slot = slot
        self._also = slot.place(also) if also else None
        self._bounds = bounds
        self._buckets = [slot.place(f"{name}{APART}{at}") for at in range(len(bounds) + 1)]

    def note(self, seconds: float) -> None:
        """Count one."""
        cells = self._slot.cells
        cells[self._buckets[bisect_left(self._bounds, seconds)]] += 1.0
        if self._also is not None:
            cells[self._also] += 1.0


class Meter:
    """The numbers of this process, by metric (without its prefix) and values of its labels."""

    def __init__(self) -> None:
        self._slot = Slot()
        self._places: dict[tuple[str, ...], int] = {}
        self._timings: dict[tuple[str, ...], Timing] = {}
        self._introduced = False

    def share(self, path: str | None, kind: str) -> None:
        """Count as a process of this kind, on the board at ``path`` if there is one.

        Timings made before count no longer. OSError if it is impossible.
        """
        if path is not None and self._slot.share(path):
            # Cells have other places there; what was counted so far was taken along.
            self._places.clear()
            self._timings.clear()
        if not self._introduced:
            self._introduced = True
            self.count("processes", kind)

    def count(self, *metric: str, by: float = 1.0) -> None:
        """Add to a number; a gauge takes negative ones too."""
        place = self._places.get(metric)
        if place is None:
            place = self._places[metric] = self._slot.place(_name(metric))
        self._slot.cells[place] += by

    def took(self, seconds: float, *metric: str) -> None:
        """Note a duration."""
        timing = self._timings.get(metric)
        if timing is None:
            timing = self._timings[metric] = self.timing(*metric)
        timing.note(seconds)

    def timing(self, *metric: str, also: tuple[str, ...] = ()) -> Timing:
        """The durations of this metric and labels, to be kept by whoever notes many of them."""
        bounds = _BOUNDS[metric[0]]
        return Timing(self._slot, _name(metric), bounds, _name(also) if also else None)

    def sums(self) -> dict[tuple[str, ...], float]:
        """All numbers, added up over all processes of the board."""
        return {
            tuple(name.removeprefix(OF_NOW).split(APART)): value
            for name, value in self._slot.sums().items()
            if name != LOST or value
        }


def _name(metric: tuple[str, ...]) -> str:
    return (OF_NOW if metric[0] in _OF_NOW else "") + APART.join(metric)


METER: Final = Meter()
