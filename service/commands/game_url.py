"""The address of a game, as commands are given it."""

import re
from urllib.parse import urlsplit

_GAME = re.compile(r"(/.*)?/v1/games/[a-z2-7]{26}")


class NoGameAddress(Exception):
    """The address is not one of a game; the message says what one looks like."""


def game_address(given: str) -> str:
    """The address without a slash at its end, if it can be a game's; nothing is asked of anyone."""
    address = given.rstrip("/")
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise NoGameAddress(f"{given!r:.200} is no address: {error}") from error
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise NoGameAddress("the address of a game begins with http:// or https:// and a host")
    if parts.query or parts.fragment or not _GAME.fullmatch(parts.path):
        raise NoGameAddress(
            f"{given!r:.200} is not the address of a game, which ends with /v1/games/ and the "
            "game's id of 26 characters"
        )
    return address
