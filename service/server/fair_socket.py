"""A client's connection, which never has the worker to itself."""

from typing import Any

import gevent

from service.rules.pauses import A_MOMENT


class FairClient:
    """A socket that lets others go on before it reads.

    gevent hands over at once what has already come. So whoever sends faster than is read, one
    request after the other or a body without an end, would never let anybody else be served.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._waited = False

    def recv(self, size: int) -> bytes:
        """Read what has come, or wait for it, after everybody else's turn."""
        gevent.sleep(A_MOMENT)
        self._waited = True
        came: bytes = self._client.recv(size)
        return came

    def take_turn(self) -> None:
        """Let others go on, unless that was done already to read since the last turn."""
        if not self._waited:
            gevent.sleep(A_MOMENT)
        self._waited = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)
