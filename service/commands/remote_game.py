"""A game of any service, through the Python client; for `qwirkle bot` and `qwirkle watch`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qwirkle_client import GameClient, ProblemError, Qwirkle, QwirkleError, split_game_url
from service.config import CannotGoOn, CannotRun


@contextmanager
def remote_game(url: str, token: str, patience: float) -> Iterator[GameClient]:
    """The game at a URL, for the holder of a token, which may be empty; sends nothing yet.

    CannotGoOn if a request within the context fails for good.
    """
    try:
        base_url, game_id = split_game_url(url)
        qwirkle = Qwirkle(base_url, patience=patience)
        game = qwirkle.game(game_id, token or None)
    except ValueError as error:
        raise CannotRun(str(error)) from error
    with qwirkle:
        try:
            yield game
        except QwirkleError as error:
            raise CannotGoOn(reason_of(error)) from error


def read_token(file: Path | None, given: str | None = None) -> str:
    """The token in the file, the given one, or that of the environment; empty if there is none."""
    try:
        text = file.read_text() if file else given or os.environ.get("QWIRKLE_TOKEN", "")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRun(f"the token cannot be read: {error}") from error
    return text.strip()


def reason_of(error: QwirkleError) -> str:
    """Why a request has failed, in one sentence."""
    if isinstance(error, ProblemError):
        return f"the service refuses ({error.status}): {printable(error.detail)}"
    return printable(str(error))


def printable(text: str) -> str:
    """Text from another machine, without characters that would control the terminal."""
    return "".join(character for character in text if character.isprintable())
