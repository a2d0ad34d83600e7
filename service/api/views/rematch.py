"""A rematch: one new game for all who ask for it."""

from dataclasses import replace

from flask import Blueprint

from service.api.context import admit_join, bot_quota
from service.api.pipeline import Call, Result, retry_on_conflict, write
from service.api.problems import Problem
from service.api.rules_json import Document
from service.api.schemas import RematchSchema
from service.api.serializers import serialize_game
from service.games.idempotency import earlier_result
from service.games.keyring import ANYBODY, HOST, Viewer
from service.games.rematch import (
    find_rematch,
    has_returned,
    join_rematch,
    offer_rematch,
    open_rematch,
    seat_after,
)
from service.games.service import CommitResult, LoadedGame
from service.i18n import say
from service.rules.english_texts import message

rematches = Blueprint("rematches", __name__, url_prefix="/v1/games")


def _replay(call: Call) -> CommitResult | None:
    """What the same request came to before, in the rematch."""
    key = call.key.key if call.key else None
    game_id, found = find_rematch(call.games, call.session, key)
    call.target = call.viewer.seat, game_id, found
    earlier = earlier_result(call.games, found, call.key)
    if earlier:
        # The first time, it may have failed between the two commits.
        _tell_the_others(call, game_id)
    return earlier


def _tell_the_others(call: Call, rematch_id: str) -> None:
    retry_on_conflict(lambda: offer_rematch(call.games, call.session.id, rematch_id))


def _own_seat(call: Call, result: Result) -> Document:
    """The rematch, and the token that the caller has there.

    That token may have been renewed since, by a player whose token of the old game has become
    known to others: then the caller sees of the rematch only what anybody sees.
    """
    session, (seat, *_) = result.session, call.target
    holder = HOST if seat is None else Viewer(seat_after(call.session, seat))
    call.viewer = ANYBODY if session.renewed(holder.place) else holder
    return {
        "game": serialize_game(call.games, session, call.viewer),
        "seat": holder.seat,
        "token": call.games.token(replace(session, renewals=()), holder),
    }


@rematches.post("/<game_id>/rematch")
@write("player or host", body=RematchSchema(), replay=_replay, returns=_own_seat)
def rematch(call: Call) -> Result:
    """Play again."""
    result = _take_seat(call)
    _tell_the_others(call, result.session.id)
    return result


def _take_seat(call: Call) -> Result:
    games, old, entropy = call.games, call.session, call.body["entropy"]
    if old.game.phase != "finished":
        now = message(f"phase.{old.game.phase}")
        raise Problem("wrong_phase", say("game.rematch", now=now))
    target: tuple[int | None, str, LoadedGame | None] = call.target
    seat, game_id, found = target
    if found is None:
        bots = [player.bot for player in old.game.seated.values()]
        with bot_quota(call.context, game_id, bots, anonymous=old.options.tenant is None):
            return open_rematch(games, old, seat, entropy, call.key, id_=game_id)
    if seat is None or has_returned(found.session, old, seat):
        games.confirm(found)
        return found
    step = join_rematch(found.session.game, old, seat, entropy)
    admit_join(call.context, found.session, step, old_seat=seat)
    return games.commit_step(found, step, call.key, ref=old.options.ref(seat), returning=True)
