"""Long work is done in pieces: between them others of the same process may go on."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

PAUSE_EVERY = 50

Pause = Callable[[], object]
"""Called after every few milliseconds of long work."""

T = TypeVar("T")


def no_pause() -> None:
    """For callers who have nobody else to attend to."""


def paced(items: Iterable[T], pause: Pause) -> Iterator[T]:
    """The items, with a pause after every fiftieth."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PAUSE_EVERY == 0:
            pause()
