"""Long computations pause from time to time, so that the process can do other work."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

PAUSE_EVERY: Final = 50

Pause = Callable[[], object]
"""Called every few milliseconds during a long computation."""

A_MOMENT: Final = 1e-6
"""Seconds to sleep in a pause. After sleep(0) gevent would resume fifty times per socket poll."""

T = TypeVar("T")


def no_pause() -> None:
    """For callers that have no other work."""


def paced(items: Iterable[T], pause: Pause) -> Iterator[T]:
    """The items, with a pause after every fifty."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PAUSE_EVERY == 0:
            pause()
