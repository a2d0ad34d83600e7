"""The duration of round trips to the store, for metrics and traces."""

from collections.abc import Callable
from functools import cache

from service.telemetry.metrics import STORE_SECONDS

Listener = Callable[[str, float], None]

_listeners: list[Listener] = []


@cache
def _observer(operation: str) -> Callable[[float], None]:
    return STORE_SECONDS.labels(operation).observe


def record_round_trip(operation: str, seconds: float) -> None:
    """Record a round trip that has just ended."""
    _observer(operation)(seconds)
    for listener in _listeners:
        listener(operation, seconds)


def on_round_trip(listener: Listener) -> None:
    """Call the listener after every round trip from now on."""
    _listeners.append(listener)
