"""Creating games."""

from flask import Blueprint, Response

from service.api import schemas
from service.api.auth import bearer, require_api_key
from service.api.context import bot_quota, context, join_code, view, webhook_secret
from service.api.json_body import FieldError, MalformedBody
from service.api.parsers import setup_of
from service.api.pipeline import answer_done
from service.api.request import (
    LONG_KEY,
    Body,
    fingerprint,
    query,
    read_body,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.api.serializers import (
    Shape,
)
from service.games.idempotency import earlier_result, new_game_id
from service.games.service import CommitResult, IdempotencyKey, retry_on_conflict
from service.games.session import GameOptions, GameSession
from service.games.tokens import HOST, Viewer
from service.games.webhook_urls import Targets
from service.i18n import say
from service.rules import actions
from service.rules.events import Entrant
from service.rules.shuffle import SEED_BYTES, seed_from

creation = Blueprint("creation", __name__, url_prefix="/v1/games")


@creation.post("")
def create_game() -> Response:
    """Create a game."""
    token = bearer()
    require_api_key(token, context().settings.api_keys)
    require_json_wanted()
    query(schemas.NO_QUERY)
    body = read_body(schemas.NEW_GAME)
    _check_webhook(body["webhook_url"])
    require_key_of(LONG_KEY)
    if token is None:
        _bound_bots(body["players"])
    key = retry_key(token)
    retry = IdempotencyKey(key, fingerprint()) if key else None
    seed = body["seed"]

    def attempt() -> CommitResult:
        id_, earlier = new_game_id(context().games, retry)
        again = earlier_result(context().games, earlier, retry) if earlier and retry else None
        if again:
            return again
        step = actions.create(
            seed_from(seed) if seed is not None else context().games.entropy(SEED_BYTES),
            [Entrant(player["name"], player["age"], player["bot"]) for player in body["players"]],
            seats=body["seats"],
            edition=body["edition"],
            seeded=seed is not None,
            auto_bid=body["auto_bid"],
            setup=setup_of(body["setup"]),
        )
        refs = tuple(player["ref"] for player in body["players"])
        options = GameOptions(
            body["private"],
            body["hints"],
            refs,
            body["metadata"],
            body["turn_seconds"],
            body["webhook_url"],
            guest=token is None,
        )
        kinds = [player["bot"] for player in body["players"]]
        with bot_quota(id_, kinds, guest=token is None):
            return context().games.create(step, options, retry, id_=id_)

    done = retry_on_conflict(attempt)
    response = answer_done(done, HOST, created_shape, 201)
    response.headers["Location"] = f"/v1/games/{done.session.id}"
    return response


def _bound_bots(players: list[Body]) -> None:
    """Bots cost time: a table made without an API key may have only so many of them."""
    most = context().settings.anonymous_bots
    bots = [number for number, player in enumerate(players) if player["bot"]]
    if len(bots) > most:
        detail = say("field.bots", most=most)
        raise MalformedBody([FieldError(f"/players/{bots[most]}/bot", detail)])


def _check_webhook(url: str | None) -> None:
    """Refuse a target that the operator has not named."""
    settings = context().settings
    targets = Targets(settings.webhook_allow, settings.webhook_private)
    refusal = None if url is None else targets.refusal(url)
    if refusal is not None:
        raise MalformedBody([FieldError("/webhook_url", refusal)])


def created_shape(done: CommitResult, viewer: Viewer) -> Shape:
    """A new game with all its tokens."""
    session = done.session
    return {
        "game": view(session, viewer),
        "host_token": context().keyring.token(session.id, HOST, session.token_generations[0]),
        "join_code": join_code(session),
        "webhook_secret": webhook_secret(session),
        "players": [
            {"seat": seat, "token": None if player.bot else player_token(session, seat)}
            for seat, player in session.game.seated.items()
        ],
    }


def player_token(session: GameSession, seat: int) -> str:
    """The token of the player on this seat."""
    return context().keyring.token(session.id, Viewer(seat), session.token_generations[seat + 1])
