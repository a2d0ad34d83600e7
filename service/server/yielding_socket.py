"""A client's socket that does not starve other connections."""

from typing import Any

import gevent

from service.rules.yielding import A_MOMENT


class YieldingSocket:
    """A socket that lets other greenlets run before it reads.

    gevent does not switch to another greenlet while there is data to read. A client that sends
    faster than the server reads, request after request or an endless body, would keep the worker
    to itself.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._yielded = False

    def recv(self, size: int) -> bytes:
        """Reads after all other greenlets that are ready have run."""
        gevent.sleep(A_MOMENT)
        self._yielded = True
        received: bytes = self._client.recv(size)
        return received

    def yield_once(self) -> None:
        """Lets other greenlets run, unless reading has done so since the last call."""
        if not self._yielded:
            gevent.sleep(A_MOMENT)
        self._yielded = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)
