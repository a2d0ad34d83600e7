"""Pauses in long work, so that whoever else shares the process gets on meanwhile."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

PAUSE_EVERY = 50

Pause = Callable[[], object]
T = TypeVar("T")


def no_pause() -> None:
    """For whoever has nobody else to attend to."""


def paced(items: Iterable[T], pause: Pause) -> Iterator[T]:
    """The items, with a pause after every fiftieth."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PAUSE_EVERY == 0:
            pause()
