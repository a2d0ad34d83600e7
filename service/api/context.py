"""What every view needs: the games, the settings and the limits of this application."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from flask import current_app

from service.api.client_address import address_digest
from service.api.problems import Problem, rate_limited
from service.api.sse import StreamLimits
from service.config import Settings
from service.games.service import Games
from service.games.session import GameSession
from service.i18n import say
from service.live.event_cache import EventCache
from service.rules.actions import Step
from service.store.base import StoreUnavailable, VersionConflict
from service.store.hourly_limits import MOST_JOINS, HourlyLimits
from service.store.pubsub import PubSub


class JudgeGuess(Protocol):
    """Called with every join code and API key, right or wrong, before the client is answered.

    It refuses the request, `rate_limited`, while too many wrong ones come from its address.
    """

    def __call__(self, *, right: bool) -> None:
        """Count it if it is wrong."""


class JudgeJoinCode(Protocol):
    """The same for join codes, which have a limit of their own.

    A tenant's back end sends what all its users type: those codes count against the tenant.
    """

    def __call__(self, *, right: bool, tenant: str | None) -> None:
        """Count it if it is wrong."""


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of one application; ``release`` keeps ETags of different releases apart."""

    games: Games
    settings: Settings
    release: str
    event_cache: EventCache
    pubsub: PubSub
    stream_limits: StreamLimits
    hourly_limits: HourlyLimits
    judge_guess: JudgeGuess
    judge_join_code: JudgeJoinCode


def context() -> Context:
    """The context of the application that serves this request."""
    found: Context = current_app.extensions["qwirkle"]
    return found


def count_join(
    ctx: Context, session: GameSession, step: Step, old_seat: int | None = None
) -> Problem | None:
    """Count a join; a problem if this address has joined this game too often recently.

    A player of the previous game counts by ``old_seat``, their seat there, whatever their address.
    """
    returning = old_seat is not None
    caller = f"seat{old_seat}" if returning else address_digest()
    now = ctx.games.clock()
    wait_ms = ctx.hourly_limits.count_join(session.id, caller, step.event.n, now)
    if not wait_ms:
        return None
    wait, message_key = ceil(wait_ms / 1000), "limit.returns" if returning else "limit.joins"
    return rate_limited(say(message_key, most=MOST_JOINS, wait=wait), wait)


def admit_join(ctx: Context, session: GameSession, step: Step, old_seat: int | None = None) -> None:
    """Count a join, or refuse it; see ``count_join``."""
    problem = count_join(ctx, session, step, old_seat)
    if problem:
        raise problem


@contextmanager
def bot_quota(
    ctx: Context, game_id: str, bots: Iterable[str | None], *, anonymous: bool
) -> Iterator[None]:
    """Count a game with bots, created within without an API key, or refuse it.

    It is counted before the commit, so that the quota also holds for simultaneous requests, and
    given back if the commit fails. On a version conflict another request has created the same
    game, and the count is that game's.
    """
    if not (anonymous and any(bots)):
        yield
        return
    limits, address = ctx.hourly_limits, address_digest()
    full = limits.count_bot_game(game_id, address, ctx.games.clock())
    if full:
        whose, wait_ms = full
        detail = (
            say("limit.bot_tables", most=limits.most_bot_games)
            if whose == "all"
            else say("limit.bot_tables_address", most=limits.most_per_address)
        )
        raise rate_limited(detail, ceil(wait_ms / 1000))
    try:
        yield
    except Exception as error:
        if not isinstance(error, VersionConflict):
            with suppress(StoreUnavailable):
                limits.uncount_bot_game(game_id, address)
        raise


def settle_bot_quota(ctx: Context, session: GameSession) -> None:
    """Before a game is deleted: count it on, also if a game with the same id is created again.

    The id of a game follows from the key of its creation, or from the game it is a rematch of.
    """
    bots = (player.bot for player in session.game.seated.values())
    if session.options.tenant is None and any(bots):
        ctx.hourly_limits.settle_bot_game(session.id)
