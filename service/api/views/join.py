"""Taking a seat."""

from flask import Blueprint

from service.api.context import admit_join
from service.api.pipeline import Call, write
from service.api.problems import Problem
from service.api.request import LONG_KEY
from service.api.rules_json import Document
from service.api.schemas import JoinByCodeSchema, TakeSeatSchema
from service.api.serializers import serialize_game
from service.games.advance import find_by_join_code
from service.games.join_codes import is_join_code
from service.games.keyring import HOST
from service.games.service import CommitResult, LoadedGame
from service.games.session import GameSession
from service.i18n import say
from service.rules import actions
from service.rules.events import Entrant

joins = Blueprint("joins", __name__, url_prefix="/v1")

_BY_CODE = JoinByCodeSchema()


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
    right = is_join_code(call.games.keyring, call.session, code)
    call.context.judge_join_code(right=right, tenant=call.tenant)
    if not right:
        raise Problem("join_code_wrong", say("join.code_wrong"))


def _load_by_code(call: Call, retry_key: bytes | None) -> LoadedGame:
    """The game with the code in the body; where it has begun, only for a repeated request."""
    code = call.sent.read(_BY_CODE)["join_code"]
    loaded = find_by_join_code(call.games, code, retry_key)
    if loaded and loaded.retry is None and loaded.session.game.phase != "waiting":
        loaded = None
    call.context.judge_join_code(right=loaded is not None, tenant=call.tenant)
    if loaded is None:
        raise Problem("join_code_unknown", say("join.code_unknown"))
    return loaded


def seat_taken(call: Call, result: CommitResult) -> Document:
    """A player's own seat, with its token."""
    token = call.games.token(result.session, call.viewer)
    game = serialize_game(call.games, result.session, call.viewer)
    return {"seat": call.seat, "token": token, "game": game}


def _take_seat(call: Call) -> CommitResult:
    body, seat = call.body, free_seat(call.session)
    player = Entrant(body["name"], body["age"])
    step = actions.join(call.game, player, seat, body["entropy"])
    if call.viewer != HOST:
        admit_join(call.context, call.session, step)
    return call.games.commit_step(call.loaded, step, call.key, ref=body["ref"])


@joins.post("/games/<game_id>/players")
@write(
    "anyone",
    body=TakeSeatSchema(),
    key_length=LONG_KEY,
    check=_require_join_code,
    returns=seat_taken,
)
def take_seat(call: Call) -> CommitResult:
    """Take a seat."""
    return _take_seat(call)


@joins.post("/joins")
@write("anyone", load=_load_by_code, body=_BY_CODE, key_length=LONG_KEY, returns=seat_taken)
def join_by_code(call: Call) -> CommitResult:
    """Take a seat at the table with this join code."""
    return _take_seat(call)
