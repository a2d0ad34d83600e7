"""A game of any service, over its public HTTP interface; for `qwirkle bot` and `qwirkle watch`."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

View = dict[str, Any]

TRANSIENT = (429, 500, 502, 503, 504)
"""Statuses after which the same request may succeed later."""

_TIMEOUT = 40.0
"""Seconds without a byte after which a connection is dead: a live stream sends one every 15."""

_GAME = re.compile(r"(/.*)?/v1/games/[a-z2-7]{26}")


class NotAGameUrl(Exception):
    """The URL is not that of a game; the message says what one looks like."""


class GameUnavailable(Exception):
    """The game cannot be played or watched (any more); the message says why."""


def game_url(given: str) -> str:
    """The URL without a slash at its end, if it can be a game's; sends no request."""
    url = given.rstrip("/")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise NotAGameUrl(f"{given!r:.200} is not a URL: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise NotAGameUrl("the URL of a game begins with http:// or https:// and a host")
    if parts.query or parts.fragment or not _GAME.fullmatch(parts.path):
        raise NotAGameUrl(
            f"{given!r:.200} is not the URL of a game, which ends with /v1/games/ and the game's "
            "id of 26 characters"
        )
    return url


def read_token(file: Path | None, given: str | None = None) -> str:
    """The token in the file, the given one, or that of the environment; empty if there is none."""
    text = file.read_text() if file else given or os.environ.get("QWIRKLE_TOKEN", "")
    return text.strip()


@dataclass
class GameClient:
    """Sends requests about one game; ``url`` is a `game_url`, ``token`` may be empty."""

    url: str
    token: str

    def open(
        self,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Any:
        """The response to a GET, or to a POST if there is a body; HTTPError if it is refused."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, data, dict(headers or {}))  # noqa: S310  # http(s), as checked
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        return urlopen(request, timeout=_TIMEOUT)  # noqa: S310  # http(s), as checked


def reason_of(error: HTTPError) -> str:
    """What the service says is wrong, or the status if it says nothing useful."""
    try:
        return printable(str(json.load(error)["detail"]))
    except (OSError, ValueError, KeyError, TypeError):
        return f"the service answers {error.code}"


def printable(text: str) -> str:
    """Text from another machine, without characters that would control the terminal."""
    return "".join(character for character in text if character.isprintable())
