"""Creating games."""

from flask import Blueprint

from service.api.context import bot_quota
from service.api.pipeline import Call, write
from service.api.problems import malformed
from service.api.request import LONG_KEY
from service.api.rules_json import Document
from service.api.schemas import NewGameSchema
from service.api.serializers import serialize_game
from service.games.idempotency import earlier_result, new_game_id
from service.games.keyring import HOST, Viewer
from service.games.service import CommitResult
from service.games.session import GameOptions
from service.games.webhook_urls import Targets
from service.i18n import say
from service.rules import actions
from service.rules.events import Entrant
from service.rules.shuffle import SECRET_BYTES, secret_from

creation = Blueprint("creation", __name__, url_prefix="/v1/games")


def new_game(call: Call, result: CommitResult) -> Document:
    """A new game with all its tokens."""
    session = result.session
    call.viewer = HOST  # also where the last event of a fork is somebody's join
    game = serialize_game(call.games, session, HOST)
    return {
        "game": game,
        "host_token": call.games.token(session, HOST),
        "join_code": game["host"]["join_code"],
        "webhook_secret": game["host"]["webhook_secret"],
        "players": [
            {"seat": seat, "token": None if player.bot else call.games.token(session, Viewer(seat))}
            for seat, player in session.game.seated.items()
        ],
    }


def replay_creation(call: Call) -> CommitResult | None:
    """What the same request created before; else the id of the new game is found."""
    call.target, earlier = new_game_id(call.games, call.key)
    return earlier_result(call.games, earlier, call.key)


def _check(call: Call) -> None:
    """Refuse a webhook that the operator does not allow, and too many bots without an API key."""
    settings, url = call.context.settings, call.body["webhook_url"]
    targets = Targets(settings.webhook_allow, settings.webhook_private)
    refusal = None if url is None else targets.refusal(url)
    if refusal is not None:
        raise malformed("/webhook_url", refusal)
    most = settings.anonymous_bots
    bots = [number for number, player in enumerate(call.body["players"]) if player["bot"]]
    if call.tenant is None and len(bots) > most:
        detail = say("field.bots", most=most)
        raise malformed(f"/players/{bots[most]}/bot", detail)


@creation.post("")
@write(
    "anyone",
    load=None,
    body=NewGameSchema(),
    key_length=LONG_KEY,
    check=_check,
    replay=replay_creation,
    returns=new_game,
)
def create_game(call: Call) -> CommitResult:
    """Create a game."""
    games, body = call.games, call.body
    seed, players = body["seed"], body["players"]
    step = actions.create(
        secret_from(seed) if seed is not None else games.entropy(SECRET_BYTES),
        [Entrant(player["name"], player["age"], player["bot"]) for player in players],
        seats=body["seats"],
        edition=body["edition"],
        seeded=seed is not None,
        auto_bid=body["auto_bid"],
        setup=body["setup"],
    )
    options = GameOptions(
        body["private"],
        body["hints"],
        tuple(player["ref"] for player in players),
        body["metadata"],
        body["turn_seconds"],
        body["webhook_url"],
        tenant=call.tenant,
        auto_deal=body["auto_deal"],
        listed=body["listed"],
    )
    bots = [player["bot"] for player in players]
    with bot_quota(call.context, call.target, bots, anonymous=call.tenant is None):
        return games.create(step, options, call.key, id_=call.target)
