"""A token that others may know is made void, and its holder gets the next one."""

from hashlib import sha256

from flask import Blueprint, Response

from service.api import schemas
from service.api.auth import bearer, viewer_of
from service.api.context import answer, as_before, context, etag_of
from service.api.json_body import FieldError, MalformedBody
from service.api.pipeline import require_fresh
from service.api.problems import Problem
from service.api.request import (
    LONG_KEY,
    Body,
    fingerprint,
    known_id,
    query,
    raw_body,
    read_body,
    receive_body,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.games.advance import load_and_advance
from service.games.fork import forkable
from service.games.idempotency import earlier_rotation
from service.games.service import IdempotencyKey, LoadedGame, retry_on_conflict
from service.games.session import GameSession, with_renewal
from service.games.tokens import Viewer, claimed_viewer
from service.i18n import say
from service.store.base import FINGERPRINT_BYTES, IdempotencyFull

NO_ROOM_WAIT = "3600"

tokens = Blueprint("tokens", __name__, url_prefix="/v1/games")


@tokens.post("/<game_id>/tokens")
def renew_token(game_id: str) -> Response:
    """Renew a token."""
    games = context().games
    id_ = known_id(game_id)
    token = bearer()
    key = retry_key(token)
    receive_body()

    def attempt() -> Response:
        seen = load_and_advance(games, id_, key)
        caller = _caller(seen, token)
        require_json_wanted()
        query(schemas.NO_QUERY)
        holder = _holder(seen, caller, _read()["seat"])
        require_key_of(LONG_KEY)
        retry = IdempotencyKey(key, _fingerprint(seen.session, holder)) if key else None
        renewed = earlier_rotation(games, seen, holder.place, retry) if retry else None
        if renewed is None:
            require_fresh(seen, caller)
            renewed = _renewed(seen, holder.place, retry)
        return _answer(renewed, holder, etag_of(seen.session, caller, seen.nonce), seen.retry)

    return retry_on_conflict(attempt)


def _renewed(seen: LoadedGame, holder: int, retry: IdempotencyKey | None) -> GameSession:
    try:
        return context().games.rotate_token(seen, holder, retry)
    except IdempotencyFull as full:
        headers = {"Retry-After": NO_ROOM_WAIT}
        raise Problem("rate_limited", say("limit.keys"), headers=headers) from full


def _caller(seen: LoadedGame, token: str | None) -> Viewer:
    """Whose token it is; for a repetition of its own renewal it counts as it did then."""
    if token is None:
        raise Problem("token_missing", say("token.renewal"))
    session, named = seen.session, claimed_viewer(token)
    if (
        seen.retry
        and named
        and seen.retry.fingerprint == _fingerprint(session, named)
        and _read()["seat"] in {None, named.seat}
    ):
        then = with_renewal(session, named.place, seen.retry.version - 1)
        if context().keyring.verify(token, session.id, then.token_generations):
            return named
    return viewer_of(session, token, context().keyring)


def _fingerprint(session: GameSession, holder: Viewer) -> bytes:
    """Tells a renewal from all others under its key: also from that of who sat there before."""
    generation = "".join(map(str, session.generations[holder.place : holder.place + 1]))
    return sha256(fingerprint() + generation.encode()).digest()[:FINGERPRINT_BYTES]


def _read() -> Body:
    return read_body(schemas.RENEWAL) if raw_body().strip() else Body(seat=None)


def _holder(seen: LoadedGame, caller: Viewer, seat: int | None) -> Viewer:
    """Whose token is renewed: the caller's own, or a seat's where that tells the host nothing."""
    if seat is None or seat == caller.seat:
        return caller
    if not caller.host:
        raise Problem("player_only", say("only.own_token", seat=caller.seat))
    player = seen.session.game.seated.get(seat)
    if player is None or player.bot:
        raise MalformedBody([FieldError("/seat", say("field.seated"))])
    if seen.session.game.phase == "finished":
        # Its player may have a seat in the rematch by now, where hands are secret again.
        raise Problem("player_only", say("only.before_end"))
    log = context().games.entries_up_to(seen, seen.session.game.version)
    if not forkable(log, context().games.pause):
        raise Problem("player_only", say("only.open_game"))
    return Viewer(seat)


def _answer(session: GameSession, holder: Viewer, etag: str, retry: object) -> Response:
    token = context().keyring.token(session.id, holder, session.token_generations[holder.place])
    response = answer({"seat": holder.seat, "token": token}, 201, etag)
    return response if retry is None else as_before(response)
