"""The operations on games."""

from typing import cast

from flask import Blueprint, Response, g

from service.api import schemas
from service.api.auth import bearer, require, viewer_of
from service.api.context import admit_join, answer, context, etag_of, view
from service.api.flask_app import the_request
from service.api.legal_plays import legal_plays_shape
from service.api.parsers import placements_of, tiles_of
from service.api.pipeline import Sight, act, read, read_with_log, require_fresh
from service.api.problems import Problem
from service.api.request import (
    LONG_KEY,
    SHORT_KEY,
    Body,
    fingerprint,
    known_id,
    query,
    read_body,
    receive_body,
    require_json_wanted,
    require_key_of,
    retry_key,
)
from service.api.serializers import (
    Shape,
    names,
    play_shape,
    score_shape,
    unseen_shape,
)
from service.api.views.create import player_token
from service.games.advance import load_and_advance
from service.games.idempotency import earlier_result
from service.games.service import CommitResult, IdempotencyKey, LoggedEntry, retry_on_conflict
from service.games.session import GameSession
from service.games.tokens import Viewer
from service.i18n import say
from service.rules import actions
from service.rules.actions import Step
from service.rules.events import Bid, Entrant, Exchanged, Played

games = Blueprint("games", __name__, url_prefix="/v1/games")


@games.get("/<game_id>")
def get_game(game_id: str) -> Response:
    """Look at a game."""
    return read(game_id, "anyone", lambda sight: view(sight.session, sight.viewer))


@games.delete("/<game_id>")
def delete_game(game_id: str) -> Response:
    """Delete a game."""
    token = bearer()

    def attempt() -> None:
        seen = context().games.load_to_delete(known_id(game_id))
        viewer = viewer_of(seen.session, token, context().keyring)
        require(viewer, token, "host")
        query(schemas.NO_QUERY)
        require_fresh(seen, viewer)
        context().games.delete(seen)

    retry_on_conflict(attempt)
    return Response(status=204)


@games.post("/<game_id>/players")
def take_seat(game_id: str) -> Response:
    """Take a seat."""

    def require_join_code(session: GameSession, body: Body) -> None:
        code = body["join_code"]
        if not session.options.private:
            return
        if code is None:
            raise Problem("join_code_wrong", say("join.code_needed"))
        right = context().keyring.is_join_code(code, session.id)
        context().judge_guess(right=right)
        if not right:
            raise Problem("join_code_wrong", say("join.code_wrong"))

    def join(session: GameSession, _seat: int, body: Body) -> Step:
        seat = next(iter(session.free_seats), None)
        if seat is None and session.reserved_seats:
            raise Problem("table_full", say("join.reserved"))
        step = actions.join(session.game, Entrant(body["name"], body["age"]), seat)
        admit_join(session, step)
        return step

    return act(
        game_id,
        "anyone",
        join,
        _seated,
        schema=schemas.TAKE_SEAT,
        key_length=LONG_KEY,
        check=require_join_code,
    )


@games.post("/<game_id>/deal")
def deal(game_id: str) -> Response:
    """Mix and deal."""
    return act(
        game_id,
        "host",
        lambda session, _seat, _body: actions.deal(session.game),
        _dealt,
        status=200,
    )


@games.post("/<game_id>/bids")
def bid(game_id: str) -> Response:
    """Bid the longest line."""

    def declare(session: GameSession, seat: int, body: Body) -> Step:
        if body["tiles"] is not None:
            return actions.bid_line(session.game, seat, tiles_of(body["tiles"]))
        return actions.bid(session.game, seat, body["length"])

    return act(game_id, "player", declare, _bid, schema=schemas.BID)


@games.post("/<game_id>/plays")
def play(game_id: str) -> Response:
    """Place tiles, or try it."""
    asked = the_request()
    if asked.query_string and asked.args.get("dry_run") == "true":
        return _try_play(game_id)
    return act(
        game_id,
        "player",
        lambda session, seat, body: actions.place(
            session.game, seat, placements_of(body["placements"])
        ),
        _played,
        schema=schemas.PLAY,
        query_schema=schemas.PLAY_QUERY,
    )


@games.post("/<game_id>/exchanges")
def exchange(game_id: str) -> Response:
    """Exchange tiles."""
    return act(
        game_id,
        "player",
        lambda session, seat, body: actions.exchange(session.game, seat, tiles_of(body["tiles"])),
        _exchanged,
        schema=schemas.EXCHANGE,
    )


@games.post("/<game_id>/passes")
def pass_turn(game_id: str) -> Response:
    """Pass."""
    return act(
        game_id,
        "player",
        lambda session, seat, _: actions.pass_turn(session.game, seat),
        _game_after,
    )


@games.post("/<game_id>/resignations")
def resign(game_id: str) -> Response:
    """Leave the game."""
    return act(
        game_id, "player", lambda session, seat, _: actions.resign(session.game, seat), _game_after
    )


@games.get("/<game_id>/score")
def get_score(game_id: str) -> Response:
    """Read the score sheet."""

    def score(sight: Sight, log: list[LoggedEntry]) -> Shape:
        return score_shape(sight.session, log, g.query["after"], g.query["limit"])

    return read_with_log(game_id, score, schema=schemas.SCORE_QUERY)


@games.get("/<game_id>/hand")
def get_hand(game_id: str) -> Response:
    """Look at your hand."""

    def hand(sight: Sight) -> Shape:
        seat = _seat(sight.viewer)
        return {"seat": seat, "tiles": names(sight.session.game.player(seat).hand)}

    return read(game_id, "player", hand)


@games.get("/<game_id>/legal-plays")
def get_legal_plays(game_id: str) -> Response:
    """List your legal plays."""

    def require_hints(sight: Sight) -> None:
        if not sight.session.options.hints:
            raise Problem("hints_off", say("only.hints"))

    def plays(sight: Sight) -> Shape:
        game, seat = sight.session.game, _seat(sight.viewer)
        limit, points = g.query["limit"], g.query["sort"] == "points"
        return legal_plays_shape(game, seat, limit, context().games.pause, points=points)

    return read(game_id, "player", plays, schema=schemas.LEGAL_PLAYS_QUERY, check=require_hints)


@games.get("/<game_id>/unseen")
def get_unseen(game_id: str) -> Response:
    """Count the tiles that you do not see."""
    return read(game_id, "anyone", lambda sight: unseen_shape(sight.session.game, sight.viewer))


def _try_play(game_id: str) -> Response:
    """Judge and score a play with the caller's hand; nothing is drawn, nothing changes."""
    token = bearer()
    key = retry_key(token)
    receive_body()
    seen = load_and_advance(context().games, known_id(game_id), key)
    viewer = viewer_of(seen.session, token, context().keyring)
    require(viewer, token, "player")
    require_json_wanted()
    query(schemas.PLAY_QUERY)
    body = read_body(schemas.PLAY)
    require_key_of(SHORT_KEY)
    if key:
        # Nothing is kept of a trial, so a key that is known here is another request's.
        earlier_result(context().games, seen, IdempotencyKey(key, fingerprint()))
    require_fresh(seen, viewer)
    game, seat = seen.session.game, _seat(viewer)
    play = actions.try_play(game, seat, placements_of(body["placements"]))
    shape = play_shape(play, actions.ending_bonus(game, seat, play), None)
    return answer({"play": shape}, 200, etag_of(seen.session, viewer, seen.nonce))


# What came of an action, as its viewer is shown it.


def _seated(done: CommitResult, viewer: Viewer) -> Shape:
    seat = _seat(viewer)
    token = player_token(done.session, seat)
    return {"seat": seat, "token": token, "game": view(done.session, viewer)}


def _dealt(done: CommitResult, viewer: Viewer) -> Shape:
    return view(done.session, viewer)


def _bid(done: CommitResult, viewer: Viewer) -> Shape:
    event = cast("Bid", done.entry.event)
    bid = {"seat": event.seat, "length": event.length}
    return {"bid": bid, "game": view(done.session, viewer)}


def _played(done: CommitResult, viewer: Viewer) -> Shape:
    event = cast("Played", done.entry.event)
    play = play_shape(event, event.bonus, event.drew)
    return {"play": play, "game": view(done.session, viewer)}


def _exchanged(done: CommitResult, viewer: Viewer) -> Shape:
    event = cast("Exchanged", done.entry.event)
    exchange = {"count": len(event.returned), "drew": names(event.drew)}
    return {"exchange": exchange, "game": view(done.session, viewer)}


def _game_after(done: CommitResult, viewer: Viewer) -> Shape:
    return {"game": view(done.session, viewer)}


def _seat(viewer: Viewer) -> int:
    """The seat of a viewer that is a player."""
    if viewer.seat is None:
        raise LookupError("the viewer has no seat")
    return viewer.seat
