"""Requests that arrive at the same moment."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """What each call gives; none begins before all are ready."""
    start = Barrier(len(calls))

    def call(each: Callable[[], T]) -> T:
        start.wait()
        return each()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(call, calls))
