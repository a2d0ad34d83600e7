"""Renewing a token: the old one becomes void, and its holder gets the next one."""

from hashlib import sha256

from flask import Blueprint

from service.api.pipeline import Call, write
from service.api.problems import Problem, malformed
from service.api.request import LONG_KEY
from service.api.rules_json import Document
from service.api.schemas import RenewalSchema
from service.games.fork import forkable
from service.games.keyring import Viewer, claimed_viewer
from service.games.service import LoadedGame
from service.games.session import with_renewal
from service.i18n import say
from service.store.base import FINGERPRINT_BYTES

tokens = Blueprint("tokens", __name__, url_prefix="/v1/games")


_BODY = RenewalSchema()


def _identify(call: Call) -> Viewer:
    """Who calls; for the repetition of its own renewal a token is valid as it was then."""
    if call.token is None:
        raise Problem("token_missing", say("token.renewal"))
    named, earlier = claimed_viewer(call.token), call.loaded.retry
    if named and earlier and earlier.fingerprint == _fingerprint(call, named):
        seat = call.sent.read(_BODY)["seat"]
        before = with_renewal(call.session, named.place, earlier.version - 1)
        own = seat is None or seat == named.seat
        if own and call.games.keyring.verify(call.token, before.id, before.token_generations):
            return named
    return call.viewer_of(call.session)


def _fingerprint(call: Call, holder: Viewer) -> bytes:
    """What distinguishes this renewal, also from one by the seat's previous player."""
    generation = "".join(map(str, call.session.generations[holder.place : holder.place + 1]))
    return sha256(call.sent.fingerprint + generation.encode()).digest()[:FINGERPRINT_BYTES]


def _find_holder(call: Call) -> None:
    """Find whose token is renewed: the caller's or, where nothing is secret, any seat's."""
    caller, seat = call.viewer, call.body["seat"]
    call.target = caller
    if seat is None or seat == caller.seat:
        return
    if not caller.host:
        raise Problem("player_only", say("only.own_token", seat=caller.seat))
    player = call.game.seated.get(seat)
    if player is None or player.bot:
        raise malformed("/seat", say("field.seated"))
    if call.game.phase == "finished":
        # Its player may have a seat in the rematch by now, where hands are secret again.
        raise Problem("player_only", say("only.before_end"))
    log = call.games.entries_up_to(call.loaded, call.game.version)
    if not forkable(log, call.games.pause):
        raise Problem("player_only", say("only.open_game"))
    call.target = Viewer(seat)


def _replay(call: Call) -> LoadedGame | None:
    """The game right after the same request renewed the token."""
    earlier = call.loaded.retry
    if earlier is None:
        return None
    call.games.confirm(call.loaded)
    renewed = with_renewal(call.session, call.target.place, earlier.version)
    return LoadedGame(renewed, call.loaded.nonce)


def _token(call: Call, result: LoadedGame) -> Document:
    return {"seat": call.target.seat, "token": call.games.token(result.session, call.target)}


@tokens.post("/<game_id>/tokens")
@write(
    "player or host",
    body=_BODY,
    key_length=LONG_KEY,
    identify=_identify,
    check=_find_holder,
    fingerprint=lambda call: _fingerprint(call, call.target),
    replay=_replay,
    returns=_token,
)
def renew_token(call: Call) -> LoadedGame:
    """Renew a token."""
    count = call.session.renewed(call.target.place) + 1
    session = with_renewal(call.session, call.target.place, count)
    return call.games.update_state(call.loaded, session, call.key, count)
