"""Creating games."""

from flask import Blueprint, Response

from service.api import schemas
from service.api.auth import bearer, require_api_key
from service.api.context import bot_quota, desk, join_code, view, webhook_secret
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
from service.games.service import Done, RetryId, persistently
from service.games.session import Particulars, Table
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
    require_api_key(token, desk().settings.api_keys)
    require_json_wanted()
    query(schemas.NO_QUERY)
    body = read_body(schemas.NEW_GAME)
    _check_webhook(body["webhook_url"])
    require_key_of(LONG_KEY)
    if token is None:
        _bound_bots(body["players"])
    key = retry_key(token)
    retry = RetryId(key, fingerprint()) if key else None
    seed = body["seed"]

    def attempt() -> Done:
        id_, earlier = desk().games.id_for(retry)
        again = desk().games.again(earlier, retry) if earlier and retry else None
        if again:
            return again
        step = actions.create(
            seed_from(seed) if seed is not None else desk().games.entropy(SEED_BYTES),
            [Entrant(player["name"], player["age"], player["bot"]) for player in body["players"]],
            seats=body["seats"],
            edition=body["edition"],
            seeded=seed is not None,
            auto_bid=body["auto_bid"],
            setup=setup_of(body["setup"]),
        )
        refs = tuple(player["ref"] for player in body["players"])
        particulars = Particulars(
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
            return desk().games.create(step, particulars, retry, id_=id_)

    done = persistently(attempt)
    response = answer_done(done, HOST, created_shape, 201)
    response.headers["Location"] = f"/v1/games/{done.table.id}"
    return response


def _bound_bots(players: list[Body]) -> None:
    """Bots cost time: a table made without an API key may have only so many of them."""
    most = desk().settings.anonymous_bots
    bots = [number for number, player in enumerate(players) if player["bot"]]
    if len(bots) > most:
        detail = say("field.bots", most=most)
        raise MalformedBody([FieldError(f"/players/{bots[most]}/bot", detail)])


def _check_webhook(url: str | None) -> None:
    """Refuse a target that the operator has not named."""
    settings = desk().settings
    targets = Targets(settings.webhook_allow, settings.webhook_private)
    refusal = None if url is None else targets.refusal(url)
    if refusal is not None:
        raise MalformedBody([FieldError("/webhook_url", refusal)])


def created_shape(done: Done, viewer: Viewer) -> Shape:
    """A new game with all its tokens."""
    table = done.table
    return {
        "game": view(table, viewer),
        "host_token": desk().keyring.token(table.id, HOST, table.token_generations[0]),
        "join_code": join_code(table),
        "webhook_secret": webhook_secret(table),
        "players": [
            {"seat": seat, "token": None if player.bot else player_token(table, seat)}
            for seat, player in table.game.seated.items()
        ],
    }


def player_token(table: Table, seat: int) -> str:
    """The token of the player on this seat."""
    return desk().keyring.token(table.id, Viewer(seat), table.token_generations[seat + 1])
