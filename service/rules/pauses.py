"""Long work is done in pieces: between them others of the same process may go on."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

PAUSE_EVERY: Final = 50

Pause = Callable[[], object]
"""Called after every few milliseconds of long work."""

A_MOMENT: Final = 1e-6
"""Seconds to sleep in a pause: after none, gevent runs fifty pieces before it looks at sockets."""

T = TypeVar("T")


def no_pause() -> None:
    """For callers who have nobody else to attend to."""


def paced(items: Iterable[T], pause: Pause) -> Iterator[T]:
    """The items, with a pause after every fiftieth."""
    for number, item in enumerate(items, 1):
        yield item
        if number % PAUSE_EVERY == 0:
            pause()
