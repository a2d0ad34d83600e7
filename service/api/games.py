"""The operations on games."""

from typing import cast

from flask import Blueprint, Response, g, request

from service.api import schemas
from service.api.body import FieldError, MalformedBody
from service.api.caller import bearer, require, require_api_key, viewer_of
from service.api.conduct import (
    LONG_KEY,
    SHORT_KEY,
    Body,
    Sight,
    act,
    answer,
    answer_done,
    desk,
    etag_of,
    fingerprint,
    join_code,
    known_id,
    query,
    read,
    read_body,
    read_with_log,
    require_fresh,
    require_json_wanted,
    require_key_of,
    retry_key,
    stale,
    view,
    webhook_secret,
)
from service.api.problems import Problem
from service.api.shapes import (
    Shape,
    legal_plays_shape,
    names,
    play_shape,
    score_shape,
    unseen_shape,
)
from service.keyring import HOST, Viewer
from service.rules import actions
from service.rules.actions import Step
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.draw import SEED_BYTES, seed_from
from service.rules.events import Bid, Entrant, Exchanged, Played
from service.rules.legal import by_points
from service.rules.setup import Setup
from service.rules.tiles import Tile, tile_named
from service.store.games import VersionConflict
from service.table import Particulars, Table
from service.usecases import Done, RetryId, persistently
from service.webhooks import Targets

games = Blueprint("games", __name__, url_prefix="/v1/games")


@games.post("")
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
            setup=_setup(body["setup"]),
        )
        refs = tuple(player["ref"] for player in body["players"])
        particulars = Particulars(
            body["private"],
            body["hints"],
            refs,
            body["metadata"],
            body["turn_seconds"],
            body["webhook_url"],
        )
        return desk().games.create(step, particulars, retry, id_=id_)

    done = persistently(attempt)
    response = answer_done(done, HOST, created_shape, 201)
    response.headers["Location"] = f"/v1/games/{done.table.id}"
    return response


@games.get("/<game_id>")
def get_game(game_id: str) -> Response:
    """Look at a game."""
    return read(game_id, "anyone", lambda sight: view(sight.table, sight.viewer))


@games.delete("/<game_id>")
def delete_game(game_id: str) -> Response:
    """Delete a game."""
    token = bearer()
    seen = desk().games.find(known_id(game_id))
    viewer = viewer_of(seen.table, token, desk().keyring)
    require(viewer, token, "host")
    query(schemas.NO_QUERY)
    conditional = require_fresh(seen, viewer)
    try:
        desk().games.delete(seen, as_seen=conditional)
    except VersionConflict as conflict:
        raise stale(conflict.current) from conflict
    return Response(status=204)


@games.post("/<game_id>/players")
def take_seat(game_id: str) -> Response:
    """Take a seat."""

    def require_join_code(table: Table, body: Body) -> None:
        code = body["join_code"]
        if not table.particulars.private:
            return
        if code is None:
            raise Problem("join_code_wrong", "This game is private; joining it needs join_code.")
        if not desk().keyring.is_join_code(code, table.id):
            raise Problem("join_code_wrong", "The join_code is not that of this private game.")

    def join(table: Table, _seat: int, body: Body) -> Step:
        return actions.join(table.game, Entrant(body["name"], body["age"]))

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
        game_id, "host", lambda table, _seat, _body: actions.deal(table.game), _dealt, status=200
    )


@games.post("/<game_id>/bids")
def bid(game_id: str) -> Response:
    """Bid the longest line."""

    def declare(table: Table, seat: int, body: Body) -> Step:
        if body["tiles"] is not None:
            return actions.bid_line(table.game, seat, _tiles(body["tiles"]))
        return actions.bid(table.game, seat, body["length"])

    return act(game_id, "player", declare, _bid, schema=schemas.BID)


@games.post("/<game_id>/plays")
def play(game_id: str) -> Response:
    """Place tiles, or try it."""
    if request.args.get("dry_run") == "true":
        return _try_play(game_id)
    return act(
        game_id,
        "player",
        lambda table, seat, body: actions.place(table.game, seat, _placements(body["placements"])),
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
        lambda table, seat, body: actions.exchange(table.game, seat, _tiles(body["tiles"])),
        _exchanged,
        schema=schemas.EXCHANGE,
    )


@games.post("/<game_id>/passes")
def pass_turn(game_id: str) -> Response:
    """Pass."""
    return act(
        game_id, "player", lambda table, seat, _: actions.pass_turn(table.game, seat), _game_after
    )


@games.post("/<game_id>/resignations")
def resign(game_id: str) -> Response:
    """Leave the game."""
    return act(
        game_id, "player", lambda table, seat, _: actions.resign(table.game, seat), _game_after
    )


@games.get("/<game_id>/score")
def get_score(game_id: str) -> Response:
    """Read the score sheet."""
    return read_with_log(game_id, lambda sight, log: score_shape(sight.table, log))


@games.get("/<game_id>/hand")
def get_hand(game_id: str) -> Response:
    """Look at your hand."""

    def hand(sight: Sight) -> Shape:
        seat = _seat(sight.viewer)
        return {"seat": seat, "tiles": names(sight.table.game.player(seat).hand)}

    return read(game_id, "player", hand)


@games.get("/<game_id>/legal-plays")
def get_legal_plays(game_id: str) -> Response:
    """List your legal plays."""

    def require_hints(sight: Sight) -> None:
        if not sight.table.particulars.hints:
            raise Problem("hints_off", "This game was created without hints.")

    def plays(sight: Sight) -> Shape:
        game, seat = sight.table.game, _seat(sight.viewer)
        found = actions.plays_of(game, seat)
        found.sort(key=by_points if g.query["sort"] == "points" else None)
        return legal_plays_shape(game, seat, found, g.query["limit"])

    return read(game_id, "player", plays, schema=schemas.LEGAL_PLAYS_QUERY, check=require_hints)


@games.get("/<game_id>/unseen")
def get_unseen(game_id: str) -> Response:
    """Count the tiles that you do not see."""
    return read(game_id, "anyone", lambda sight: unseen_shape(sight.table.game, sight.viewer))


def _try_play(game_id: str) -> Response:
    """Judge and score a play with the caller's hand; nothing is drawn, nothing changes."""
    token = bearer()
    key = retry_key(token)
    seen = desk().games.find(known_id(game_id), key)
    viewer = viewer_of(seen.table, token, desk().keyring)
    require(viewer, token, "player")
    require_json_wanted()
    query(schemas.PLAY_QUERY)
    body = read_body(schemas.PLAY)
    require_key_of(SHORT_KEY)
    if key:
        # Nothing is kept of a trial, so a key that is known here is another request's.
        desk().games.again(seen, RetryId(key, fingerprint()))
    require_fresh(seen, viewer)
    game, seat = seen.table.game, _seat(viewer)
    play = actions.try_play(game, seat, _placements(body["placements"]))
    shape = play_shape(play, actions.ending_bonus(game, seat, play), None)
    return answer({"play": shape}, 200, etag_of(seen.table, viewer, seen.mark))


def _bound_bots(players: list[Body]) -> None:
    """Bots cost time: a table made without an API key may have only so many of them."""
    most = desk().settings.anonymous_bots
    bots = [number for number, player in enumerate(players) if player["bot"]]
    if len(bots) > most:
        detail = f"is one bot too many: without an API key a table has at most {most}"
        raise MalformedBody([FieldError(f"/players/{bots[most]}/bot", detail)])


def _check_webhook(url: str | None) -> None:
    """Refuse a target that the operator has not named."""
    settings = desk().settings
    targets = Targets(settings.webhook_allow, settings.webhook_private)
    refusal = None if url is None else targets.refusal(url)
    if refusal is not None:
        raise MalformedBody([FieldError("/webhook_url", refusal)])


# What came of an action, as its viewer is shown it.


def created_shape(done: Done, viewer: Viewer) -> Shape:
    """A new game with all its tokens."""
    table = done.table
    return {
        "game": view(table, viewer),
        "host_token": desk().keyring.token(table.id, HOST, table.generations[0]),
        "join_code": join_code(table),
        "webhook_secret": webhook_secret(table),
        "players": [
            {"seat": seat, "token": None if player.bot else player_token(table, seat)}
            for seat, player in table.game.seated.items()
        ],
    }


def _seated(done: Done, viewer: Viewer) -> Shape:
    seat = _seat(viewer)
    token = player_token(done.table, seat)
    return {"seat": seat, "token": token, "game": view(done.table, viewer)}


def _dealt(done: Done, viewer: Viewer) -> Shape:
    return view(done.table, viewer)


def _bid(done: Done, viewer: Viewer) -> Shape:
    event = cast("Bid", done.entry.event)
    bid = {"seat": event.seat, "length": event.length}
    return {"bid": bid, "game": view(done.table, viewer)}


def _played(done: Done, viewer: Viewer) -> Shape:
    event = cast("Played", done.entry.event)
    play = play_shape(event, event.bonus, event.drew)
    return {"play": play, "game": view(done.table, viewer)}


def _exchanged(done: Done, viewer: Viewer) -> Shape:
    event = cast("Exchanged", done.entry.event)
    exchange = {"count": len(event.returned), "drew": names(event.drew)}
    return {"exchange": exchange, "game": view(done.table, viewer)}


def _game_after(done: Done, viewer: Viewer) -> Shape:
    return {"game": view(done.table, viewer)}


def player_token(table: Table, seat: int) -> str:
    """The token of the player on this seat."""
    return desk().keyring.token(table.id, Viewer(seat), table.generations[seat + 1])


def _seat(viewer: Viewer) -> int:
    """The seat of a viewer that is a player."""
    if viewer.seat is None:
        raise LookupError("the viewer has no seat")
    return viewer.seat


# What a body means


def _tiles(tiles: list[str]) -> tuple[Tile, ...]:
    return tuple(map(tile_named, tiles))


def _placements(placements: list[Body]) -> tuple[Placement, ...]:
    return tuple(
        (cell_at(placed["x"], placed["y"]), tile_named(placed["tile"])) for placed in placements
    )


def _setup(setup: Body | None) -> Setup | None:
    if setup is None:
        return None
    hands, bag, scores = setup["hands"], setup["bag"], setup["scores"]
    return Setup(
        _placements(setup["board"] or []),
        None if hands is None else tuple(hand if hand is None else _tiles(hand) for hand in hands),
        None if bag is None else _tiles(bag),
        None if scores is None else tuple(scores),
        setup["turn"],
    )
