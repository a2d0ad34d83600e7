"""Who calls: the bearer token of a request, and what it entitles to."""

import hmac
from collections.abc import Sequence
from typing import Literal

from service.api.context import context
from service.api.flask_app import header_of, the_notepad
from service.api.problems import Problem
from service.games.session import GameSession
from service.games.tokens import ANYBODY, Keyring, Viewer
from service.i18n import say
from service.rules.messages import Message

Who = Literal["anyone", "player", "host"]


def bearer() -> str | None:
    """The token that the request carries, or None; a header that holds none is an empty one.

    It is not refused here: that there is no such game comes first.
    """
    header = header_of("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def viewer_of(session: GameSession, token: str | None, keyring: Keyring) -> Viewer:
    """Who looks at the table; a token that is not this game's is refused."""
    if token is None:
        return ANYBODY
    viewer = keyring.verify(token, session.id, session.token_generations)
    if viewer is None:
        raise _invalid(token, say("token.not_this_games"))
    the_notepad().seat = viewer.seat
    return viewer


def require(viewer: Viewer, token: str | None, who: Who) -> None:
    """Refuse a viewer that the operation is not for."""
    if who == "anyone":
        return
    if token is None:
        detail = say("token.host") if who == "host" else say("token.player")
        raise Problem("token_missing", detail)
    if who == "host" and not viewer.host:
        raise Problem("host_only", say("only.host"))
    if who == "player" and viewer.seat is None:
        raise Problem("player_only", say("only.player"))


def require_api_key(token: str | None, keys: Sequence[str]) -> None:
    """Where keys are set, creating a game needs one; an unknown token is refused anyway."""
    if token is None:
        if keys:
            raise Problem("api_key_required", say("only.api_key"))
        return
    known = [hmac.compare_digest(token.encode(), key.encode()) for key in keys]
    context().judge_guess(right=any(known))
    if not any(known):
        raise _invalid(token, say("token.no_api_key"))


def _invalid(token: str, detail: Message) -> Problem:
    return Problem("token_invalid", detail if token else say("token.form"))
