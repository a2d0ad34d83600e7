"""Long work is done in pieces: between them others of the same process may go on."""

from collections.abc import Callable

Pause = Callable[[], object]
"""Called after every few milliseconds of long work."""


def no_pause() -> None:
    """For callers who have nobody else to attend to."""
