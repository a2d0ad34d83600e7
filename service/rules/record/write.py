"""Write a record: a small versioned document from which anybody can replay a whole game.

It holds the secret, who sat where, and every action with its result, but no times, and only the
order of the ages. Hands, draws and the secret are in it once the game is finished; until then
they are null, and the record contains only what everybody saw.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from service.rules.board import Placement
from service.rules.cells import column_of, row_of
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
    Updated,
)
from service.rules.reducer import replay
from service.rules.shuffle import commitment
from service.rules.starting_position import lay_out
from service.rules.state import Game
from service.rules.tiles import NAMES, Tile
from service.rules.yielding import Pause, no_pause, paced

RECORD_VERSION = 1

Document = dict[str, Any]

# Who took which seat when: the number of the event, and the seat.
Chair = tuple[int, int]


def record_of(
    events: Sequence[Event], game: Game | None = None, pause: Pause = no_pause
) -> Document:
    """The record of a game's events so far, with its secrets only if the game is finished.

    Pass ``game``, the state after the events, if it is known, to save a replay. ``pause`` is
    called from time to time, so that a long record does not block other work.
    """
    game = game or replay(events)
    revealed, begun = game.phase == "finished", game.phase != "waiting"
    ranks = age_ranks(events)
    document: Document = {
        "record_version": RECORD_VERSION,
        "edition": game.edition,
        "seats": _seats_at_creation(events),
        "auto_bid": game.auto_bid,
        "seeded": game.seeded,
        "commitment": commitment(game.secret),
        "seed": game.secret.hex() if revealed else None,
        "events": [
            event_document(event, ranks, revealed=revealed, begun=begun)
            for event in paced(events, pause)
        ],
        **totals_of(game),
    }
    return document | {"digest": digest_of(document)}


def _seats_at_creation(events: Iterable[Event]) -> int:
    return next(event.seats for event in events if isinstance(event, Created))


def totals_of(game: Game) -> Document:
    """The totals of a record: bids and scores by seat, and how the game ended."""
    return {
        "bids": [player and player.bid for player in game.players],
        "scores": [player and player.score for player in game.players],
        "end": game.end,
        "winners": list(game.winners) if game.end else None,
    }


def digest_of(document: Document) -> str:
    """The SHA-256 of everything else in a record, serialized as RFC 8785 says.

    A record holds no fractions, and the names of its members are ASCII. So it is enough to
    sort the members, write no whitespace, and escape only what must be escaped.
    """
    rest = {member: value for member, value in document.items() if member != "digest"}
    written = json.dumps(rest, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return "sha256:" + sha256(written.encode(errors="surrogatepass")).hexdigest()


def age_ranks(events: Iterable[Event]) -> dict[Chair, int]:
    """The ranks of the known ages: 0 for the youngest, the same for equal ages.

    Only players seated when the game started have one. If players who leave before were ranked
    too, anybody could find out a player's age by joining repeatedly with different ages.
    """
    seated = _seated_at_the_start(events)
    ages = {chair: who.age for chair, who in seated.items() if who.age is not None}
    in_order = sorted(set(ages.values()))
    return {chair: in_order.index(age) for chair, age in ages.items()}


def entrants_of(event: Event) -> dict[Chair, Entrant]:
    """Who takes a seat with this event."""
    match event:
        case Created():
            return {(event.n, seat): who for seat, who in enumerate(event.players)}
        case Joined():
            return {(event.n, event.seat): event.player}
    return {}


def _seated_at_the_start(events: Iterable[Event]) -> dict[Chair, Entrant]:
    """The players when the game started; nobody while it is waiting.

    It starts with the deal or, if it has a set-up, when its last seat is taken.
    """
    seated: dict[Chair, Entrant] = {}
    enough: int | None = None
    for event in events:
        if isinstance(event, Dealt):
            return seated
        if isinstance(event, Created) and event.setup is not None:
            enough = event.seats
        if isinstance(event, Resigned):
            seated = {chair: who for chair, who in seated.items() if chair[1] != event.seat}
        seated |= entrants_of(event)
        if len(seated) == enough:
            return seated
    return {}


def event_document(  # noqa: C901, PLR0911  # one return for each type of event
    event: Event, ranks: Mapping[Chair, int | None], *, revealed: bool, begun: bool
) -> Document:
    """The entry of an event; without ``revealed`` only what everybody saw.

    Entropy is shown once the game has ``begun``.
    """

    def names(tiles: Iterable[Tile]) -> list[str] | None:
        return [NAMES[tile] for tile in tiles] if revealed else None

    head = _head(event)
    entrants = [
        _entrant_document(who, ranks.get(chair)) for chair, who in entrants_of(event).items()
    ]
    match event:
        case Created():
            return head | {
                "players": entrants,
                "setup": _setup_document(event, revealed=revealed),
            }
        case Joined():
            return head | entrants[0] | {"entropy": event.entropy if begun else None}
        case Updated():
            return head | {"seats": event.seats}
        case Dealt():
            hands = [names(hand) for hand in event.hands]
            return head | {"hands": hands, "entropy": event.entropy}
        case Bid():
            return head | {"length": event.length}
        case Played():
            placements = [placement_document(placement) for placement in event.placements]
            outcome = {"points": event.points, "bonus": event.bonus, "drew": names(event.drew)}
            return head | {"placements": placements} | outcome | _ending(event)
        case Exchanged():
            returned, drew = names(event.returned), names(event.drew)
            return head | {"count": len(event.returned), "returned": returned, "drew": drew}
        case Resigned():
            return head | {"removed": event.removed} | _ending(event)
        case Passed():
            return head | _ending(event)


def _head(event: Event) -> Document:
    """The members that all events have."""
    head: Document = {"n": event.n, "type": type(event).__name__.lower()}
    head["seat"] = None if isinstance(event, Created | Updated | Dealt) else event.seat
    return head | ({"timeout": event.timeout} if isinstance(event, ByPlayer) else {})


def _entrant_document(who: Entrant, rank: int | None) -> Document:
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
    position = lay_out(setup, created.seats, created.secret)
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
