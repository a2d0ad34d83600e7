"""Who calls: whose token a request has, and what it allows."""

import hmac
from typing import Literal

from flask import g

from service.api.context import Context
from service.api.problems import Problem
from service.games.keyring import ANYBODY, HOST, Keyring, Viewer
from service.games.session import GameSession
from service.i18n import say
from service.rules.messages import Message

Who = Literal["anyone", "player", "host", "player or host"]

_TOKEN_NEEDED = {
    "player": say("token.player"),
    "host": say("token.host"),
    "player or host": say("token.rematch"),
}


def tenant_of(ctx: Context, token: str | None) -> str | None:
    """The tenant whose API key the token is, or None.

    The time it takes does not reveal how much of a wrong key is right.
    """
    if token is None:
        return None
    given = token.encode()
    found = [
        tenant for tenant, key in ctx.settings.api_keys if hmac.compare_digest(given, key.encode())
    ]
    if not found:
        return None
    ctx.judge_guess(right=True)
    return found[0]


def viewer_of(
    session: GameSession, token: str | None, tenant: str | None, keyring: Keyring
) -> Viewer:
    """Who looks at the game; a token that is neither this game's nor a tenant's is refused.

    A tenant's key makes its holder the host of the tenant's games, and anybody elsewhere.
    """
    if token is None:
        return ANYBODY
    if tenant is not None:
        return HOST if session.options.tenant == tenant else ANYBODY
    viewer = keyring.verify(token, session.id, session.token_generations)
    if viewer is None:
        raise _invalid(token, say("token.not_this_games"))
    g.seat = viewer.seat
    return viewer


def require(viewer: Viewer, token: str | None, who: Who) -> None:
    """Refuse a viewer whom the operation is not for."""
    if who == "anyone":
        return
    if token is None:
        raise Problem("token_missing", _TOKEN_NEEDED[who])
    if who == "host" and not viewer.host:
        raise Problem("host_only", say("only.host"))
    if who == "player" and viewer.seat is None:
        raise Problem("player_only", say("only.player"))
    if viewer == ANYBODY:
        raise Problem("player_only", say("only.player_or_host"))


def require_api_key(ctx: Context, token: str | None, tenant: str | None) -> None:
    """If the service has API keys, refuse a creation without one; refuse unknown ones anyway."""
    if token is None:
        if ctx.settings.api_keys:
            raise Problem("api_key_required", say("only.api_key"))
    else:
        require_tenant(ctx, token, tenant)


def require_tenant(ctx: Context, token: str | None, tenant: str | None) -> str:
    """The tenant; everybody who is not one is refused."""
    if token is None:
        raise Problem("api_key_required", say("only.tenant"))
    if tenant is None:
        ctx.judge_guess(right=False)
        raise _invalid(token, say("token.no_api_key"))
    return tenant


def _invalid(token: str, detail: Message) -> Problem:
    return Problem("token_invalid", detail if token else say("token.form"))
