"""What the host does to the table: change it, seat bots, remove players."""

from dataclasses import replace
from typing import cast

from flask import Blueprint

from service.api.context import bot_quota
from service.api.pipeline import Call, Result, write
from service.api.problems import Problem, malformed
from service.api.rules_json import Document
from service.api.schemas import AddBotSchema, UpdateGameSchema
from service.api.serializers import serialize_game
from service.api.views.join import free_seat
from service.games.idempotency import earlier_result, save_request
from service.games.service import CommitResult, LoadedGame
from service.games.session import with_metadata
from service.i18n import say
from service.rules import actions, host_actions
from service.rules.actions import Step
from service.rules.events import Entrant, Joined

table = Blueprint("table", __name__, url_prefix="/v1/games")


def _game(call: Call, result: Result) -> Document:
    return serialize_game(call.games, result.session, call.viewer)


def _bot_seat(call: Call, result: CommitResult) -> Document:
    event = cast("Joined", result.entry.event)
    return {"seat": event.seat, "game": serialize_game(call.games, result.session, call.viewer)}


def _replay_update(call: Call) -> LoadedGame | None:
    """The game right after the same update, with the metadata that it gave."""
    earlier = earlier_result(call.games, call.loaded, call.key)
    if earlier is None:
        return None
    session = earlier.session
    if "metadata" in call.body:
        session = with_metadata(session, call.body["metadata"])
    return LoadedGame(session, earlier.nonce)


@table.patch("/<game_id>")
@write("host", body=UpdateGameSchema(), replay=_replay_update, returns=_game, status=200)
def update_game(call: Call) -> Result:
    """Change the table while it is waiting, or the metadata at any time."""
    games, before = call.games, call.session.options
    changes = dict(call.body)
    seats = changes.pop("seats", None)
    options = replace(before, **changes)
    step = host_actions.update(call.game, seats) if call.body.keys() - {"metadata"} else None
    table_options = replace(options, metadata=before.metadata)
    if step and (table_options != before or len(step.game.players) != len(call.game.players)):
        return games.commit_step(call.loaded, step, call.key, options=options)
    if options != before:
        session = with_metadata(call.session, options.metadata)
        return games.update_state(call.loaded, session, call.key, call.game.version)
    if call.key:
        save_request(games, call.loaded, call.key)
    return call.loaded


@table.post("/<game_id>/bots")
@write("host", body=AddBotSchema(), returns=_bot_seat)
def add_bot(call: Call) -> CommitResult:
    """Seat a bot."""
    kind, name = call.body["bot"], call.body["name"]
    bots = [player.bot for player in call.game.seated.values() if player.bot]
    anonymous, most = call.session.options.tenant is None, call.context.settings.anonymous_bots
    if anonymous and len(bots) >= most:
        raise malformed("/bot", say("field.bots", most=most))
    bot = Entrant(name or kind.capitalize(), bot=kind)
    step = actions.join(call.game, bot, free_seat(call.session))
    # A game counts once, with its first bot.
    with bot_quota(call.context, call.session.id, [kind], anonymous=anonymous and not bots):
        return call.games.commit_step(call.loaded, step, call.key)


@table.delete("/<game_id>/players/<int:seat>")
@write("host", returns=lambda *_: None)
def remove_player(call: Call) -> Step:
    """Remove a player while the game is waiting."""
    seat = call.path["seat"]
    if call.game.phase == "waiting" and seat not in call.game.seated:
        raise Problem("not_found", say("found.no_player", seat=seat))
    return host_actions.remove(call.game, seat)
