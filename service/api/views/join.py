"""Taking a seat."""

from flask import Blueprint

from service.api.context import admit_join
from service.api.pipeline import Call, write
from service.api.problems import Problem
from service.api.request import LONG_KEY
from service.api.schemas import TakeSeatSchema
from service.api.serializers import Document, serialize_game
from service.games.service import CommitResult
from service.games.session import GameSession
from service.i18n import say
from service.rules import actions
from service.rules.events import Entrant

joins = Blueprint("joins", __name__, url_prefix="/v1/games")


def free_seat(session: GameSession) -> int | None:
    """The seat for a newcomer, None if all are taken; seats of returning players are refused."""
    seat = next(iter(session.free_seats), None)
    if seat is None and session.reserved_seats:
        raise Problem("table_full", say("join.reserved"))
    return seat


def _require_join_code(call: Call) -> None:
    code = call.body["join_code"]
    if not call.session.options.private:
        return
    if code is None:
        raise Problem("join_code_wrong", say("join.code_needed"))
    right = call.games.keyring.is_join_code(code, call.session.id)
    call.context.judge_guess(right=right)
    if not right:
        raise Problem("join_code_wrong", say("join.code_wrong"))


def _seat(call: Call, result: CommitResult) -> Document:
    token = call.games.token(result.session, call.viewer)
    game = serialize_game(call.games, result.session, call.viewer)
    return {"seat": call.seat, "token": token, "game": game}


@joins.post("/<game_id>/players")
@write(
    "anyone",
    body=TakeSeatSchema(),
    key_length=LONG_KEY,
    check=_require_join_code,
    returns=_seat,
)
def take_seat(call: Call) -> CommitResult:
    """Take a seat."""
    body, seat = call.body, free_seat(call.session)
    player = Entrant(body["name"], body["age"])
    step = actions.join(call.game, player, seat, body["entropy"])
    admit_join(call.context, call.session, step)
    return call.games.commit_step(call.loaded, step, call.key, ref=body["ref"])
