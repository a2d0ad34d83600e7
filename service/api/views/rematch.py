"""Once more with the same players: one new game, whoever asks first."""

from dataclasses import replace
from functools import partial

from flask import Blueprint, Response

from service.api import schemas
from service.api.auth import bearer, viewer_of
from service.api.context import admit_return, answer, as_before, bot_quota, context, etag_of, view
from service.api.pipeline import require_fresh
from service.api.problems import Problem
from service.api.request import (
    SHORT_KEY,
    fingerprint,
    known_id,
    query,
    read_body,
    receive_body,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.games.advance import load_and_advance
from service.games.idempotency import KeyReused, earlier_result
from service.games.rematch import find_rematch, has_returned, open_rematch, seat_after, take_seat
from service.games.service import CommitResult, IdempotencyKey, LoadedGame, retry_on_conflict
from service.games.session import GameSession
from service.games.tokens import ANYBODY, HOST, Viewer
from service.i18n import say
from service.rules.message_texts import message

rematches = Blueprint("rematches", __name__, url_prefix="/v1/games")


@rematches.post("/<game_id>/rematch")
def rematch(game_id: str) -> Response:
    """Play again."""
    token = bearer()
    key = retry_key(token)
    receive_body()
    games = context().games
    old = load_and_advance(games, known_id(game_id), key)
    viewer = viewer_of(old.session, token, context().keyring)
    if token is None:
        raise Problem("token_missing", say("token.rematch"))
    require_json_wanted()
    query(schemas.NO_QUERY)
    read_body(None)
    require_key_of(SHORT_KEY)
    retry = IdempotencyKey(key, fingerprint()) if key else None
    if old.retry:
        # What is remembered with the old game is another request: this one's effect is elsewhere.
        raise KeyReused

    def attempt() -> CommitResult | LoadedGame:
        id_, found = find_rematch(games, old.session, key)
        again = earlier_result(games, found, retry) if found and retry else None
        if again:
            return again
        require_fresh(old, viewer)
        _require_finished(old.session)
        if found is None:
            kinds = [player.bot for player in old.session.game.seated.values()]
            with bot_quota(id_, kinds, guest=old.session.options.guest):
                return open_rematch(games, old.session, viewer.seat, retry, id_=id_)
        if viewer.seat is None or has_returned(found.session, old.session, viewer.seat):
            games.confirm(found)
            return found
        admit = partial(admit_return, viewer.seat)
        return take_seat(games, found, old.session, viewer.seat, retry, admit=admit)

    done = retry_on_conflict(attempt)
    seat = None if viewer.seat is None else seat_after(old.session, viewer.seat)
    response = _answer(done.session, done.nonce, HOST if seat is None else Viewer(seat))
    return as_before(response) if isinstance(done, CommitResult) and done.replayed else response


def _require_finished(old: GameSession) -> None:
    if old.game.phase != "finished":
        now = message(f"phase.{old.game.phase}")
        raise Problem("wrong_phase", say("game.rematch", now=now))


def _answer(session: GameSession, nonce: bytes, holder: Viewer) -> Response:
    """The rematch, and the token that its holder got with it.

    That token may have been renewed since, by somebody whose token of the old game has become
    known to others: then whoever asks sees of the rematch what anybody sees.
    """
    first = replace(session, renewals=()).token_generations[holder.place]
    token = context().keyring.token(session.id, holder, first)
    viewer = ANYBODY if session.renewed(holder.place) else holder
    shape = {"game": view(session, viewer), "seat": holder.seat, "token": token}
    response = answer(shape, 201, etag_of(session, viewer, nonce))
    response.headers["Location"] = f"/v1/games/{session.id}"
    return response
