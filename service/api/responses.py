"""Whole answers: their bytes are there and their headers final, so they are sent as they stand."""

from collections.abc import Iterable
from typing import Any, cast

from flask import Response
from werkzeug.datastructures import Headers

JSON = "application/json"

Header = tuple[str, str]


class Answer(Response):
    """An answer with this body; one without a body says nothing of its type and length.

    Flask's own class would look through the headers again for what may be missing or wrong.
    """

    def __init__(self, body: bytes, status: int, headers: Iterable[Header] = ()) -> None:
        listed = [*headers]
        if body:
            listed += [("Content-Type", JSON), ("Content-Length", str(len(body)))]
        self.headers = _Listed(listed)
        self.status_code = status
        self.response = [body] if body else []
        self.direct_passthrough = False
        self._on_close = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Sends the answer as it stands, or its headers alone if only they are asked for."""
        start_response(self.status, self.headers.to_wsgi_list())
        return () if environ["REQUEST_METHOD"] == "HEAD" else cast("list[bytes]", self.response)


class _Listed(Headers):
    """Headers of ours alone, which need no look at each name and value."""

    def __init__(self, listed: list[Header]) -> None:
        self._list = listed

    def add(self, key: str, value: str, /, **_: Any) -> None:
        """Add a header, whatever else there is of this name."""
        self._list.append((key, value))
