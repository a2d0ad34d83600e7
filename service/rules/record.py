"""A record: a small versioned document from which anybody can replay a whole game.

It holds the seed, who sat where, every action and what came of it, but of the ages only
their order and no times. Hands, draws and seed are in it once the game is finished; before
that they are null, and the record tells only what everybody saw. ``replaying`` reads it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from service.rules.board import Placement
from service.rules.cells import column_of, row_of
from service.rules.draw import commitment
from service.rules.events import (
    Bid,
    ByPlayer,
    Created,
    Dealt,
    Entrant,
    Event,
    Exchanged,
    Joined,
    Passed,
    Played,
    Resigned,
)
from service.rules.fold import replay
from service.rules.game import Game
from service.rules.setup import lay_out
from service.rules.tiles import NAMES, Tile

RECORD_VERSION = 1

Document = dict[str, Any]


def record_of(events: Sequence[Event], game: Game | None = None) -> Document:
    """The record of a game's events so far; secrets are in it only if they end the game.

    ``game``, the state after them, spares a replay where it is known.
    """
    game = game or replay(events)
    revealed = game.phase == "finished"
    ranks = age_ranks(events)
    document: Document = {
        "record_version": RECORD_VERSION,
        "edition": game.edition,
        "seats": len(game.players),
        "auto_bid": game.auto_bid,
        "seeded": game.seeded,
        "commitment": commitment(game.seed),
        "seed": game.seed.hex() if revealed else None,
        "events": [event_document(event, ranks, revealed=revealed) for event in events],
        **totals_of(game),
    }
    return document | {"digest": digest_of(document)}


def totals_of(game: Game) -> Document:
    """What a record sums up after its events: bids and scores by seat, and how it ended."""
    return {
        "bids": [player and player.bid for player in game.players],
        "scores": [player and player.score for player in game.players],
        "end": game.end,
        "winners": list(game.winners) if game.end else None,
    }


def digest_of(document: Document) -> str:
    """The SHA-256 of everything else in a record, written as RFC 8785 says.

    A record holds no fractions, and the names of its members are ASCII: so it is enough to
    sort the members, to leave out blanks, and to escape nothing that need not be.
    """
    rest = {member: value for member, value in document.items() if member != "digest"}
    written = json.dumps(rest, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return "sha256:" + sha256(written.encode(errors="surrogatepass")).hexdigest()


def age_ranks(events: Iterable[Event]) -> dict[int, int]:
    """The rank of every known age: 0 for the youngest, the same for equal ages."""
    ages = set()
    for event in events:
        if isinstance(event, Created):
            ages |= {entrant.age for entrant in event.players}
        elif isinstance(event, Joined):
            ages.add(event.player.age)
    return {age: rank for rank, age in enumerate(sorted(age for age in ages if age is not None))}


def event_document(  # noqa: PLR0911  # one return for each type of event
    event: Event, ranks: Mapping[int, int], *, revealed: bool
) -> Document:
    """The entry of an event; without ``revealed`` only what everybody saw."""

    def names(tiles: Iterable[Tile]) -> list[str] | None:
        return [NAMES[tile] for tile in tiles] if revealed else None

    head = _head(event)
    match event:
        case Created():
            players = [_entrant_document(player, ranks) for player in event.players]
            return head | {
                "players": players,
                "setup": _setup_document(event, revealed=revealed),
            }
        case Joined():
            return head | _entrant_document(event.player, ranks)
        case Dealt():
            return head | {"hands": [names(hand) for hand in event.hands]}
        case Bid():
            return head | {"length": event.length}
        case Played():
            placements = [placement_document(placement) for placement in event.placements]
            outcome = {"points": event.points, "bonus": event.bonus, "drew": names(event.drew)}
            return head | {"placements": placements} | outcome | _ending(event)
        case Exchanged():
            returned, drew = names(event.returned), names(event.drew)
            return head | {"count": len(event.returned), "returned": returned, "drew": drew}
        case Passed() | Resigned():
            return head | _ending(event)


def _head(event: Event) -> Document:
    """What the entries of all events have."""
    head: Document = {"n": event.n, "type": type(event).__name__.lower()}
    head["seat"] = None if isinstance(event, Created | Dealt) else event.seat
    return head | ({"timeout": event.timeout} if isinstance(event, ByPlayer) else {})


def _entrant_document(who: Entrant, ranks: Mapping[int, int]) -> Document:
    rank = None if who.age is None else ranks[who.age]
    return {"name": who.name, "age_rank": rank, "bot": who.bot}


def _ending(event: Played | Passed | Resigned) -> Document:
    return {"end": event.end, "winners": list(event.winners) if event.end else None}


def placement_document(placement: Placement) -> Document:
    """A placement with its tile by name and its cell by column and row."""
    cell, tile = placement
    return {"tile": NAMES[tile], "x": column_of(cell), "y": row_of(cell)}


def _setup_document(created: Created, *, revealed: bool) -> Document | None:
    setup = created.setup
    if setup is None:
        return None
    position = lay_out(setup, created.seats, created.seed)
    hands = bag = None
    if revealed and setup.hands is not None:
        hands = [hand and [NAMES[tile] for tile in hand] for hand in setup.hands]
    if revealed and setup.bag is not None:
        bag = [NAMES[tile] for tile in setup.bag]
    return {
        "board": [placement_document(placement) for placement in setup.board],
        "hands": hands,
        "bag": bag,
        "hand_counts": [len(hand) for hand in position.hands],
        "bag_count": len(position.bag),
        "scores": setup.scores and list(setup.scores),
        "turn": setup.turn,
    }
