"""The commands of the engine: what each takes, what it does, and what it answers."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, NamedTuple

from marshmallow import Schema

from service.api import fields
from service.api.legal_plays import serialize_legal_plays
from service.api.problems import Problem, malformed
from service.api.rules_json import (
    Document,
    names,
    serialize_placements,
    serialize_play,
    serialize_position,
    serialize_unseen,
)
from service.api.schemas import (
    EVENT_NUMBER_MOST,
    LEGAL_PLAYS_MOST,
    BidSchema,
    ExchangeSchema,
    NewGameSchema,
    PlaySchema,
    StrictSchema,
)
from service.bots import BOTS, BUDGET, choose
from service.bots.actions import Action, Exchange, Place
from service.bots.observation import observe
from service.engine.table import Table, new_table
from service.i18n import say
from service.rules import actions
from service.rules.actions import Step
from service.rules.events import Bid, Exchanged, Played
from service.rules.lines import longest_line
from service.rules.record.verify import verify
from service.rules.record.write import record_of
from service.rules.state import MOST_SEATS, Game
from service.rules.yielding import no_pause

MOST_BUDGET = 1 << 20

Body = dict[str, Any]
Tables = dict[str, Table]


class OfSeatSchema(StrictSchema):
    """A command for one seat; without one, for the seat that has to act."""

    seat = fields.WholeNumber(0, MOST_SEATS - 1, load_default=None)


class PlayOfSeatSchema(OfSeatSchema, PlaySchema):
    """A play."""


class BidOfSeatSchema(OfSeatSchema, BidSchema):
    """A bid."""


class ExchangeOfSeatSchema(OfSeatSchema, ExchangeSchema):
    """An exchange."""


class LegalPlaysSchema(OfSeatSchema):
    """Which legal plays to list."""

    limit = fields.WholeNumber(0, LEGAL_PLAYS_MOST, load_default=100)
    sort = fields.Choice(("points",), load_default=None)


class UndoSchema(StrictSchema):
    """How far to go back."""

    after = fields.WholeNumber(1, EVENT_NUMBER_MOST, load_default=None)


class ForkSchema(UndoSchema):
    """From where to copy, and the name of the copy."""

    to = fields.Text(1, 64, required=True)


class ChooseSchema(StrictSchema):
    """Which bot is to choose."""

    bot = fields.Choice(BOTS, required=True)
    seed = fields.Text(0, 64, load_default="")
    budget = fields.WholeNumber(1, MOST_BUDGET, load_default=BUDGET)


class VerifySchema(StrictSchema):
    """The record to verify."""

    record = fields.JsonObject(1 << 20, required=True)


# Commands about all games


def _create(tables: Tables, name: str, body: Body) -> Document:
    tables[name] = table = new_table(body)
    return _view(name, table, None)


def _verify(_tables: Tables, _name: str, body: Body) -> Document:
    return {"report": asdict(verify(body["record"]))}


def _delete(tables: Tables, name: str, _: Body) -> Document:
    _table(tables, name)
    del tables[name]
    return {}


def _fork(tables: Tables, name: str, body: Body) -> Document:
    tables[body["to"]] = copy = _earlier(_table(tables, name), body["after"], 0)
    return _view(body["to"], copy, None)


def _undo(tables: Tables, name: str, body: Body) -> Document:
    tables[name] = table = _earlier(_table(tables, name), body["after"], 1)
    return _view(name, table, None)


def _earlier(table: Table, after: int | None, steps: int) -> Table:
    """The table after this event or, if none is given, so many events ago."""
    version = table.game.version
    number = version - steps if after is None else after
    if not table.start <= number <= version:
        raise malformed("/after", say("field.integer", low=table.start, high=version))
    return table.up_to(number)


# Commands that ask


def _state(tables: Tables, name: str, body: Body) -> Document:
    """As one seat sees it or, without a seat, with everything that is hidden."""
    table, seat = _table(tables, name), body["seat"]
    game = table.game
    if seat is not None:
        return _view(name, table, _seated(game, seat))
    hands = [names(player.hand) for player in game.seated.values()]
    return _view(name, table, None) | {"hands": hands, "bag": names(game.bag)}


def _legal_plays(tables: Tables, name: str, body: Body) -> Document:
    game = _table(tables, name).game
    seat = _acting(game, body)
    by_points = body["sort"] == "points"
    return serialize_legal_plays(game, seat, body["limit"], no_pause, points=by_points)


def _preview(tables: Tables, name: str, body: Body) -> Document:
    game = _table(tables, name).game
    seat = _acting(game, body)
    play = actions.try_play(game, seat, body["placements"])
    return {"play": serialize_play(play, actions.ending_bonus(game, seat, play), None)}


def _unseen(tables: Tables, name: str, body: Body) -> Document:
    game = _table(tables, name).game
    return serialize_unseen(game, None if body["seat"] is None else _seated(game, body["seat"]))


def _choose(tables: Tables, name: str, body: Body) -> Document:
    game = _table(tables, name).game
    if game.phase == "bidding":
        seat = _acting(game, {"seat": None})
        longest = longest_line(game.player(seat).hand)
        return {"action": {"command": "bid", "seat": seat, "length": longest}}
    actions.require_phase(game, "playing")
    seat = _acting(game, {"seat": None})
    seed = f"{body['seed']}/{game.version}".encode()
    action = choose(body["bot"], observe(game, seat), seed, body["budget"])
    return {"action": serialize_action(action)}


def serialize_action(action: Action) -> Document:
    """What a bot does in its turn, as the command that does it."""
    match action:
        case Place(placements):
            return {"command": "play", "placements": serialize_placements(placements)}
        case Exchange(tiles):
            return {"command": "exchange", "tiles": names(tiles)}
    return {"command": "pass"}


def _record(tables: Tables, name: str, _: Body) -> Document:
    table = _table(tables, name)
    return {"record": record_of(table.events, table.game)}


# Commands that act


def _acts(rule: Callable[[Game, int, Body], Step]) -> "Run":
    """The command that continues a game with a step of the rules."""

    def run(tables: Tables, name: str, body: Body) -> Document:
        table = _table(tables, name)
        seat = _acting(table.game, body)
        event = table.add(rule(table.game, seat, body)).event
        view = _view(name, table, seat)
        match event:
            case Played():
                return {"play": serialize_play(event, event.bonus, event.drew), **view}
            case Exchanged():
                return {
                    "exchange": {"count": len(event.returned), "drew": names(event.drew)},
                    **view,
                }
            case Bid():
                return {"bid": {"seat": seat, "length": event.length}, **view}
        return view

    return run


def _bid(game: Game, seat: int, body: Body) -> Step:
    if body["tiles"] is not None:
        return actions.bid_line(game, seat, body["tiles"])
    return actions.bid(game, seat, body["length"])


def _table(tables: Tables, name: str) -> Table:
    table = tables.get(name)
    if table is None:
        raise Problem("game_not_found", say("found.no_game"))
    return table


def _view(name: str, table: Table, seat: int | None) -> Document:
    return {"game": {"id": name, **serialize_position(table.game, table.newest, seat)}}


def _seated(game: Game, seat: int) -> int:
    if seat >= len(game.players):
        raise malformed("/seat", say("field.seat", last=len(game.players) - 1))
    return seat


def _acting(game: Game, body: Body) -> int:
    """The seat that is named or, without one, the one to move or the first that has yet to bid."""
    seat: int | None = body["seat"]
    if seat is not None:
        return _seated(game, seat)
    if game.mover is not None:
        return game.mover
    return next((at for at, player in game.active.items() if player.bid is None), 0)


Run = Callable[[Tables, str, Body], Document]


class Command(NamedTuple):
    """What a command takes, and what it does."""

    schema: Schema
    run: Run


COMMANDS = {
    "create": Command(
        NewGameSchema(only=("edition", "seats", "players", "auto_bid", "seed", "setup")), _create
    ),
    "state": Command(OfSeatSchema(), _state),
    "legal_plays": Command(LegalPlaysSchema(), _legal_plays),
    "unseen": Command(OfSeatSchema(), _unseen),
    "preview": Command(PlayOfSeatSchema(), _preview),
    "bid": Command(BidOfSeatSchema(), _acts(_bid)),
    "play": Command(
        PlayOfSeatSchema(),
        _acts(lambda game, seat, body: actions.place(game, seat, body["placements"])),
    ),
    "exchange": Command(
        ExchangeOfSeatSchema(),
        _acts(lambda game, seat, body: actions.exchange(game, seat, body["tiles"])),
    ),
    "pass": Command(OfSeatSchema(), _acts(lambda game, seat, _: actions.pass_turn(game, seat))),
    "resign": Command(OfSeatSchema(), _acts(lambda game, seat, _: actions.resign(game, seat))),
    "choose": Command(ChooseSchema(), _choose),
    "undo": Command(UndoSchema(), _undo),
    "fork": Command(ForkSchema(), _fork),
    "record": Command(StrictSchema(), _record),
    "verify": Command(VerifySchema(), _verify),
    "delete": Command(StrictSchema(), _delete),
}
