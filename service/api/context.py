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
from service.games.session import Table
from service.games.tokens import Keyring, Viewer
from service.i18n import say
from service.live.event_cache import Feeds
from service.rules.actions import Step
from service.store.anonymous_quota import GuestTables
from service.store.base import StoreUnavailable, VersionConflict
from service.store.join_limits import MOST_JOINS, Joins
from service.telemetry.metrics import METER


class JudgeGuess(Protocol):
    """Is told of every join code and API key, right or wrong, before its sender is.

    It refuses the request, `rate_limited`, while too many wrong ones come from its address.
    """

    def __call__(self, *, right: bool) -> None:
        """Count it if it is wrong."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What every request needs: the games, their live logs, the keyring, the settings.

    ``release`` tells the answers of this release from another's.
    """

    games: Games
    keyring: Keyring
    settings: Settings
    release: str
    feeds: Feeds
    places: Places
    guests: GuestTables
    joins: Joins
    judge_guess: JudgeGuess


def desk() -> Desk:
    """The desk of the application that serves this request."""
    found: Desk = the_application().extensions["qwirkle"]
    return found


def etag_of(table: Table, viewer: Viewer, mark: bytes) -> str:
    """Names what this viewer may know of this state, and of no other that had its number."""
    at = desk()
    return at.keyring.etag(at.release, *_state(table, viewer, mark))


def is_etag_of(etag: str, table: Table, viewer: Viewer, mark: bytes) -> bool:
    """Whether this viewer got the ETag for this state, from whichever release."""
    return desk().keyring.names(etag, *_state(table, viewer, mark))


def _state(table: Table, viewer: Viewer, mark: bytes) -> tuple[object, ...]:
    who = "host" if viewer.host else viewer.seat
    return table.id, table.game.version, mark.hex(), who


def view(table: Table, viewer: Viewer) -> Shape:
    """The game view of this viewer."""
    code, secret = (join_code(table), webhook_secret(table)) if viewer.host else (None, None)
    return game_shape(table, viewer, desk().games.expires_ms(table), code, secret)


def join_code(table: Table) -> str | None:
    """The code of a private game."""
    return desk().keyring.join_code(table.id) if table.particulars.private else None


def webhook_secret(table: Table) -> str | None:
    """What the receiver of the game's webhook messages verifies them with, if there is one."""
    has_webhook = table.particulars.webhook_url is not None
    return desk().keyring.webhook_secret(table.id) if has_webhook else None


def answer(shape: Shape, status: int, etag: str | None = None) -> Response:
    """A shape as JSON, with the headers that every answer about a game has."""
    headers = game_headers(etag) if etag else {}
    return Answer(orjson.dumps(shape), status, headers.items())


def as_before(response: Response) -> Response:
    """The answer, marked as one that was given before."""
    response.headers["Idempotency-Replayed"] = "true"
    METER.count("idempotent_replays_total")
    return response


def game_headers(etag: str) -> dict[str, str]:
    """What every answer about a game says of itself."""
    return {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept, Origin",
    }


def admit_join(table: Table, step: Step) -> None:
    """Refuse whoever has joined this game too often of late; else the join is counted."""
    _admit(address_digest(), table, step, "limit.joins")


def admit_return(seat: int, table: Table, step: Step) -> None:
    """The same for who returns from this seat of the game before, wherever the request is from."""
    _admit(f"seat{seat}", table, step, "limit.returns")


def _admit(caller: str, table: Table, step: Step, words: str) -> None:
    now = desk().games.clock()
    wait_ms = desk().joins.wait_ms(table.id, caller, step.event.n, now)
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
    guests, address = desk().guests, address_digest()
    full = guests.admit(table_id, address, desk().games.clock())
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
