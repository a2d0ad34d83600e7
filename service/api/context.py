"""What every view has at hand, and the form of every answer about a game."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from typing import Protocol

import orjson
from flask import Response

from service.api.client_address import address_digest
from service.api.flask_app import the_application
from service.api.problems import Problem
from service.api.responses import Answer
from service.api.serializers import Shape, game_shape
from service.api.sse import Places
from service.config import Settings
from service.games.service import Games
from service.games.session import GameSession
from service.games.tokens import Keyring, Viewer
from service.i18n import say
from service.live.event_cache import EventCache
from service.rules.actions import Step
from service.store.anonymous_quota import AnonymousQuota
from service.store.base import StoreUnavailable, VersionConflict
from service.store.join_limits import MOST_JOINS, JoinLimits
from service.telemetry import metrics


class JudgeGuess(Protocol):
    """Is told of every join code and API key, right or wrong, before its sender is.

    It refuses the request, `rate_limited`, while too many wrong ones come from its address.
    """

    def __call__(self, *, right: bool) -> None:
        """Count it if it is wrong."""


@dataclass(frozen=True, slots=True)
class Context:
    """What every request needs: the games, their live logs, the keyring, the settings.

    ``release`` tells the answers of this release from another's.
    """

    games: Games
    keyring: Keyring
    settings: Settings
    release: str
    event_cache: EventCache
    places: Places
    guests: AnonymousQuota
    joins: JoinLimits
    judge_guess: JudgeGuess


def context() -> Context:
    """The desk of the application that serves this request."""
    found: Context = the_application().extensions["qwirkle"]
    return found


def etag_of(session: GameSession, viewer: Viewer, nonce: bytes) -> str:
    """Names what this viewer may know of this state, and of no other that had its number."""
    at = context()
    return at.keyring.etag(at.release, *_state(session, viewer, nonce))


def is_etag_of(etag: str, session: GameSession, viewer: Viewer, nonce: bytes) -> bool:
    """Whether this viewer got the ETag for this state, from whichever release."""
    return context().keyring.is_etag_of(etag, *_state(session, viewer, nonce))


def _state(session: GameSession, viewer: Viewer, nonce: bytes) -> tuple[object, ...]:
    who = "host" if viewer.host else viewer.seat
    return session.id, session.game.version, nonce.hex(), who


def view(session: GameSession, viewer: Viewer) -> Shape:
    """The game view of this viewer."""
    code, secret = (join_code(session), webhook_secret(session)) if viewer.host else (None, None)
    return game_shape(session, viewer, context().games.expires_ms(session), code, secret)


def join_code(session: GameSession) -> str | None:
    """The code of a private game."""
    return context().keyring.join_code(session.id) if session.options.private else None


def webhook_secret(session: GameSession) -> str | None:
    """What the receiver of the game's webhook messages verifies them with, if there is one."""
    has_webhook = session.options.webhook_url is not None
    return context().keyring.webhook_secret(session.id) if has_webhook else None


def answer(shape: Shape, status: int, etag: str | None = None) -> Response:
    """A shape as JSON, with the headers that every answer about a game has."""
    headers = game_headers(etag) if etag else {}
    return Answer(orjson.dumps(shape), status, headers.items())


def as_before(response: Response) -> Response:
    """The answer, marked as one that was given before."""
    response.headers["Idempotency-Replayed"] = "true"
    metrics.IDEMPOTENT_REPLAYS.inc()
    return response


def game_headers(etag: str) -> dict[str, str]:
    """What every answer about a game says of itself."""
    return {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept, Origin",
    }


def admit_join(session: GameSession, step: Step) -> None:
    """Refuse whoever has joined this game too often of late; else the join is counted."""
    _admit(address_digest(), session, step, "limit.joins")


def admit_return(seat: int, session: GameSession, step: Step) -> None:
    """The same for who returns from this seat of the game before, wherever the request is from."""
    _admit(f"seat{seat}", session, step, "limit.returns")


def _admit(caller: str, session: GameSession, step: Step, words: str) -> None:
    now = context().games.clock()
    wait_ms = context().joins.wait_ms(session.id, caller, step.event.n, now)
    if wait_ms:
        wait = ceil(wait_ms / 1000)
        detail = say(words, most=MOST_JOINS, wait=wait)
        raise Problem("rate_limited", detail, headers={"Retry-After": str(wait)})


@contextmanager
def bot_quota(table_id: str, players: Iterable[str | None], *, guest: bool) -> Iterator[None]:
    """Charge a guest for a table with bots that is committed within, or refuse it.

    Whatever may refuse the table comes before. It is counted before the commit, so that the
    quota holds for all who come at once, and no longer if it is not made after all. Where
    another request was first to make the same table, the count is that table's.
    """
    if not (guest and any(players)):
        yield
        return
    guests, address = context().guests, address_digest()
    full = guests.admit(table_id, address, context().games.clock())
    if full:
        whose, wait_ms = full
        detail = (
            say("limit.bot_tables", most=guests.most)
            if whose == "all"
            else say("limit.bot_tables_address", most=guests.most_per_address)
        )
        wait = str(ceil(wait_ms / 1000))
        raise Problem("rate_limited", detail, headers={"Retry-After": wait})
    try:
        yield
    except Exception as error:
        if not isinstance(error, VersionConflict):
            with suppress(StoreUnavailable):
                guests.give_back(table_id, address)
        raise
