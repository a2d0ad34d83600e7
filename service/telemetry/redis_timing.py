"""What is kept of a round trip to the store: its time, and its part in a trace if one is made."""

from collections.abc import Callable

from service.telemetry.metrics import METER

Listener = Callable[[str, float], None]

_listeners: list[Listener] = []


def note_trip(operation: str, seconds: float) -> None:
    """Take note of a round trip that has just ended."""
    METER.took(seconds, "store_seconds", operation)
    for listener in _listeners:
        listener(operation, seconds)


def tell_of_trips(listener: Listener) -> None:
    """Have every round trip told from now on; nobody is told of any by default."""
    _listeners.append(listener)
