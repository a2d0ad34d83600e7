"""The operations on a game."""

from typing import cast

from flask import Blueprint, Response

from service.api import schemas
from service.api.auth import require
from service.api.context import context, settle_bot_quota
from service.api.legal_plays import serialize_legal_plays
from service.api.pipeline import Call, read, require_fresh, retry_on_conflict, write
from service.api.problems import Problem
from service.api.request import bearer, known_id, query
from service.api.rules_json import Document, names, serialize_play, serialize_unseen
from service.api.serializers import serialize_game, serialize_score
from service.games.service import CommitResult, LoadedGame
from service.i18n import say
from service.rules import actions, host_actions
from service.rules.actions import Step
from service.rules.events import Bid, Exchanged, Played
from service.rules.plays import Play

games = Blueprint("games", __name__, url_prefix="/v1/games")


# What goes out after a write


def _game(call: Call, result: CommitResult) -> Document:
    return serialize_game(call.games, result.session, call.viewer)


def _game_member(call: Call, result: CommitResult) -> Document:
    return {"game": _game(call, result)}


def _bid(call: Call, result: CommitResult) -> Document:
    event = cast("Bid", result.entry.event)
    bid = {"seat": event.seat, "length": event.length}
    return {"bid": bid, "game": _game(call, result)}


def _play(call: Call, result: CommitResult) -> Document:
    event = cast("Played", result.entry.event)
    play = serialize_play(event, event.bonus, event.drew)
    return {"play": play, "game": _game(call, result)}


def _exchange(call: Call, result: CommitResult) -> Document:
    event = cast("Exchanged", result.entry.event)
    exchange = {"count": len(event.returned), "drew": names(event.drew)}
    return {"exchange": exchange, "game": _game(call, result)}


def _preview(call: Call, _: LoadedGame) -> Document:
    play: Play = call.target
    return {"play": serialize_play(play, actions.ending_bonus(call.game, call.seat, play), None)}


# Checks


def _require_hints(call: Call) -> None:
    if not call.session.options.hints:
        raise Problem("hints_off", say("only.hints"))


# The game itself


@games.get("/<game_id>")
@read("anyone")
def get_game(call: Call) -> Document:
    """Look at a game."""
    if call.viewer.host and call.game.phase == "waiting" and call.games.keyring.rotates:
        # The code is another one under a new secret, and nothing may have been committed since.
        call.games.hold_join_code(call.session)
    return serialize_game(call.games, call.session, call.viewer)


@games.delete("/<game_id>")
def delete_game(game_id: str) -> Response:
    """Delete a game."""
    call = Call(context(), bearer())

    def attempt() -> None:
        call.about(call.games.load_to_delete(known_id(game_id)))
        call.viewer = call.viewer_of(call.session)
        require(call.viewer, call.token, "host")
        query()
        require_fresh(call)
        settle_bot_quota(call.context, call.session)
        call.games.delete(call.loaded)

    retry_on_conflict(attempt)
    return Response(status=204)


# Actions


@games.post("/<game_id>/deal")
@write("host", body=schemas.DealSchema(), returns=_game, status=200)
def deal(call: Call) -> Step:
    """Mix and deal."""
    return host_actions.deal(call.game, call.body["entropy"])


@games.post("/<game_id>/bids")
@write("player", body=schemas.BidSchema(), returns=_bid)
def bid(call: Call) -> Step:
    """Bid the longest line."""
    tiles = call.body["tiles"]
    if tiles is not None:
        return actions.bid_line(call.game, call.seat, tiles)
    return actions.bid(call.game, call.seat, call.body["length"])


@games.post("/<game_id>/plays")
@write("player", body=schemas.PlaySchema(), returns=_play)
def play(call: Call) -> Step:
    """Place tiles."""
    return actions.place(call.game, call.seat, call.body["placements"])


@games.post("/<game_id>/plays/preview")
@write("player", body=schemas.PlaySchema(), returns=_preview, status=200)
def preview_play(call: Call) -> LoadedGame:
    """Check and score a play with the caller's hand; nothing is drawn, nothing changes."""
    call.target = actions.try_play(call.game, call.seat, call.body["placements"])
    return call.loaded


@games.post("/<game_id>/exchanges")
@write("player", body=schemas.ExchangeSchema(), returns=_exchange)
def exchange(call: Call) -> Step:
    """Exchange tiles."""
    return actions.exchange(call.game, call.seat, call.body["tiles"])


@games.post("/<game_id>/passes")
@write("player", returns=_game_member)
def pass_turn(call: Call) -> Step:
    """Pass."""
    return actions.pass_turn(call.game, call.seat)


@games.post("/<game_id>/resignations")
@write("player", returns=_game_member)
def resign(call: Call) -> Step:
    """Leave the game."""
    return actions.resign(call.game, call.seat)


# Reads


@games.get("/<game_id>/score")
@read("anyone", query_schema=schemas.ScoreQuerySchema(), with_log=True)
def get_score(call: Call) -> Document:
    """Read the score sheet."""
    return serialize_score(call.session, call.log, call.query["after"], call.query["limit"])


@games.get("/<game_id>/hand")
@read("player")
def get_hand(call: Call) -> Document:
    """Look at your hand."""
    return {"seat": call.seat, "tiles": names(call.game.player(call.seat).hand)}


@games.get("/<game_id>/legal-plays")
@read("player", query_schema=schemas.LegalPlaysQuerySchema(), check=_require_hints)
def get_legal_plays(call: Call) -> Document:
    """List your legal plays."""
    limit, by_points = call.query["limit"], call.query["sort"] == "points"
    pause = call.games.pause
    return serialize_legal_plays(call.game, call.seat, limit, pause, points=by_points)


@games.get("/<game_id>/unseen")
@read("anyone")
def get_unseen(call: Call) -> Document:
    """Count the tiles that you do not see."""
    return serialize_unseen(call.game, call.viewer.seat)
