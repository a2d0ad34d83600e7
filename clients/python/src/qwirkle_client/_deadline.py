"""A time limit for all that a thread waits for while it sends a request.

httpx limits each read on its own, so a server that sends a byte now and then could hold a request
for ever. Here every wait of a connection ends at the deadline of the thread that waits.
"""

import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any

import httpcore

_WRITTEN_AT_ONCE = 65_536


class _Thread(threading.local):
    deadline = inf


_thread = _Thread()


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit everything that this thread waits for in this context."""
    _thread.deadline = monotonic() + seconds
    try:
        yield
    finally:
        _thread.deadline = inf


def is_late() -> bool:
    """Whether the deadline of this thread has passed."""
    return monotonic() >= _thread.deadline


def _left(timeout: float | None, late: type[Exception]) -> float | None:
    """How long a socket may wait; None is without end."""
    if is_late():
        raise late("the time is up")
    left = min(inf if timeout is None else timeout, _thread.deadline - monotonic())
    return None if left == inf else max(left, 0.001)  # 0 would mean not to wait at all


class DeadlineStream(httpcore.NetworkStream):
    """A connection whose every wait ends at the deadline."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come."""
        return self._stream.read(max_bytes, _left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        for at in range(0, len(buffer), _WRITTEN_AT_ONCE):
            left = _left(timeout, httpcore.WriteTimeout)
            self._stream.write(buffer[at : at + _WRITTEN_AT_ONCE], left)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """The same connection, encrypted."""
        left = _left(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """Details such as the socket."""
        return self._stream.get_extra_info(info)


class DeadlineBackend(httpcore.SyncBackend):
    """Opens connections whose every wait ends at the deadline."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection to a server."""
        left = _left(timeout, httpcore.ConnectTimeout)
        return DeadlineStream(super().connect_tcp(host, port, left, local_address, socket_options))
