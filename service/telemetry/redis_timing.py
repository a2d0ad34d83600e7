"""What is kept of a round trip to the store: its time, and its part in a trace if one is made."""

from collections.abc import Callable
from functools import cache

from service.telemetry.metrics import STORE_SECONDS

Listener = Callable[[str, float], None]

_listeners: list[Listener] = []


@cache
def _observer(operation: str) -> Callable[[float], None]:
    return STORE_SECONDS.labels(operation).observe


def note_trip(operation: str, seconds: float) -> None:
    """Take note of a round trip that has just ended."""
    _observer(operation)(seconds)
    for listener in _listeners:
        listener(operation, seconds)


def tell_of_trips(listener: Listener) -> None:
    """Have every round trip told from now on; nobody is told of any by default."""
    _listeners.append(listener)
