"""Open tables, and a seat at one of them."""

from flask import Blueprint, Response

from service.api.auth import require_tenant, tenant_of
from service.api.context import context, count_join
from service.api.fields import cursor_text
from service.api.lobby_schemas import LobbyQuerySchema, MatchSchema
from service.api.pipeline import Call, write
from service.api.request import LONG_KEY, bearer, query
from service.api.rules_json import Document
from service.api.views.join import seat_taken
from service.api.views.tenant import private_json
from service.games.idempotency import earlier_result
from service.games.lobby_pages import LobbyCursor, read_lobby
from service.games.matching import Wish, find_match, match
from service.games.service import CommitResult
from service.games.session import GameSession, timestamp
from service.rules.actions import Step
from service.rules.editions import EDITIONS
from service.rules.events import Entrant
from service.rules.state import FEWEST_SEATS, MOST_SEATS
from service.store.lobby_index import Room

lobby = Blueprint("lobby", __name__, url_prefix="/v1/lobby")

_QUERY = LobbyQuerySchema()
_SEATS = range(FEWEST_SEATS, MOST_SEATS + 1)


def _table(session: GameSession) -> Document:
    """The table as the lobby shows it to people who may take a seat."""
    game = session.game
    return {
        "id": session.id,
        "edition": game.edition,
        "seats": len(game.players),
        "taken": len(game.players) - len(session.free_seats),
        "names": [player.name for player in game.seated.values()],
        "turn_seconds": session.options.turn_seconds,
        "seeded": game.seeded,
        "setup": game.positioned,
        "created_at": timestamp(session.created_ms),
    }


@lobby.get("")
def list_open_tables() -> Response:
    """List open tables, newest first: those of the API key's tenant, or of guests."""
    ctx, token = context(), bearer()
    tenant = None if token is None else require_tenant(ctx, token, tenant_of(ctx, token))
    asked = query(_QUERY)
    rooms = [
        Room(tenant, seats, edition)
        for seats in ([asked["seats"]] if asked["seats"] else _SEATS)
        for edition in ([asked["edition"]] if asked["edition"] else EDITIONS)
    ]
    cursor = LobbyCursor.unpack(asked["cursor"]) if asked["cursor"] else None
    page = read_lobby(ctx.games, rooms, asked["limit"], cursor)
    following = cursor_text(page.following.pack()) if page.following else None
    shown = [_table(session) for session in page.sessions]
    return private_json({"games": shown, "next": following})


def _replay(call: Call) -> CommitResult | None:
    return earlier_result(call.games, find_match(call.games, call.key), call.key)


@lobby.post("/match")
@write(
    "anyone",
    load=None,
    body=MatchSchema(),
    key_length=LONG_KEY,
    replay=_replay,
    returns=seat_taken,
)
def match_player(call: Call) -> CommitResult:
    """Take a seat at an open table, or open one."""
    body = call.body
    wish = Wish(
        Room(call.tenant, body["seats"], body["edition"]),
        body["turn_seconds"],
        Entrant(body["name"], body["age"]),
        body["ref"],
        body["entropy"],
    )

    def admit(session: GameSession, step: Step) -> bool:
        return call.tenant is not None or count_join(call.context, session, step) is None

    return match(call.games, wish, call.key, admit)
