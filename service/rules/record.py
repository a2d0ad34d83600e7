"""A record: a small versioned document from which anybody can replay a whole game.

It holds the seed, who sat where, every action and what came of it, but of the ages only
their order. Hands, draws and seed are in it once the game is finished; before that they
are null, and the record tells only what everybody saw.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from service.rules.actions import (
    Step,
    bid,
    create,
    deal,
    exchange,
    join,
    pass_turn,
    place,
    resign,
)
from service.rules.board import Placement
from service.rules.cells import cell_at, column_of, row_of
from service.rules.draw import commitment
from service.rules.errors import Malformed, RulesError
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
from service.rules.setup import Setup
from service.rules.tiles import NAMES, Tile, tile_named

RECORD_VERSION = 1

Document = dict[str, Any]


class RecordBroken(RulesError):
    """The record does not replay: event ``n`` is the first that is wrong, ``detail`` how."""

    def __init__(self, n: int, code: str, detail: str) -> None:
        super().__init__(f"event {n}: {detail}")
        self.n = n
        self.code = code
        self.detail = detail


def record_of(events: Sequence[Event]) -> Document:
    """The record of a game's events so far; secrets are in it only if they end the game."""
    game = replay(events)
    return _document(events, game, revealed=game.phase == "finished")


def _document(events: Sequence[Event], game: Game, *, revealed: bool) -> Document:
    ranks = _age_ranks(events)
    return {
        "record_version": RECORD_VERSION,
        "edition": game.edition,
        "seats": len(game.players),
        "auto_bid": game.auto_bid,
        "seeded": game.seeded,
        "commitment": commitment(game.seed),
        "seed": game.seed.hex() if revealed else None,
        "events": [_event_document(event, ranks, revealed=revealed) for event in events],
        "scores": [player and player.score for player in game.players],
        "end": game.end,
        "winners": list(game.winners) if game.end else None,
    }


def replay_record(document: Document) -> list[Step]:
    """Carry out every action of a finished game's record; RecordBroken where it goes wrong.

    What comes of each action is compared with what the record says of it.
    """
    try:
        version = document["record_version"]
        told = list(document["events"])
        seed = bytes.fromhex(document["seed"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordBroken(0, "malformed", "this is no record of a finished game") from error
    if version != RECORD_VERSION:
        raise RecordBroken(0, "unknown_version", f"record version {version!r:.20} is not known")
    steps: list[Step] = []
    for n, entry in enumerate(told, 1):
        try:
            step = _carry_out(document, entry, seed, steps[-1].game if steps else None)
        except RulesError as error:
            raise RecordBroken(n, "refused", str(error)) from error
        except (KeyError, TypeError, ValueError, LookupError) as error:
            raise RecordBroken(n, "malformed", f"the entry cannot be read: {error!r}") from error
        steps.append(step)
    _compare(document, [step.event for step in steps])
    return steps


def _compare(document: Document, events: Sequence[Event]) -> None:
    """Every figure of the record must be what the replay gives."""
    if not events:
        raise RecordBroken(0, "malformed", "a game has at least one event, its creation")
    expected = _document(events, replay(events), revealed=True)
    for n, (told, true) in enumerate(zip(document["events"], expected["events"], strict=True), 1):
        for member in sorted(true.keys() | told.keys()):
            if member not in told or member not in true or told[member] != true[member]:
                raise RecordBroken(n, "differs", f"{member!r} is not what the replay gives")
    for member in sorted(expected.keys() | document.keys()):
        if member not in document or document[member] != expected.get(member):
            raise RecordBroken(len(events), "differs", f"{member!r} is not what the replay gives")


def _carry_out(  # noqa: PLR0911  # one return for each type of event
    document: Document, entry: Document, seed: bytes, game: Game | None
) -> Step:
    """Do again what an entry says was done."""
    kind = entry["type"]
    if game is None:
        if kind != "created":
            raise Malformed("the first event of a game is its creation")
        return create(
            seed,
            [
                Entrant(player["name"], player["age_rank"], player["bot"])
                for player in entry["players"]
            ],
            seats=document["seats"],
            edition=document["edition"],
            seeded=document["seeded"],
            auto_bid=document["auto_bid"],
            setup=_setup(entry["setup"]),
        )
    match kind:
        case "joined":
            return join(game, Entrant(entry["name"], entry["age_rank"], entry["bot"]))
        case "dealt":
            return deal(game)
    seat, late = entry["seat"], entry["timeout"]
    match kind:
        case "bid":
            return bid(game, seat, entry["length"], timeout=late)
        case "played":
            return place(game, seat, _placements(entry["placements"]), timeout=late)
        case "exchanged":
            return exchange(game, seat, map(tile_named, entry["returned"]), timeout=late)
        case "passed":
            return pass_turn(game, seat, timeout=late)
        case "resigned":
            return resign(game, seat, timeout=late)
    raise Malformed(f"{kind!r:.40} is no type of event")


def _age_ranks(events: Iterable[Event]) -> dict[int, int]:
    """The rank of every known age: 0 for the youngest, the same for equal ages."""
    ages = set()
    for event in events:
        if isinstance(event, Created):
            ages |= {entrant.age for entrant in event.players}
        elif isinstance(event, Joined):
            ages.add(event.player.age)
    return {age: rank for rank, age in enumerate(sorted(age for age in ages if age is not None))}


def _event_document(  # noqa: PLR0911  # one return for each type of event
    event: Event, ranks: Mapping[int, int], *, revealed: bool
) -> Document:
    def names(tiles: Iterable[Tile]) -> list[str] | None:
        return [NAMES[tile] for tile in tiles] if revealed else None

    head = _head(event)
    match event:
        case Created():
            players = [_entrant_document(player, ranks) for player in event.players]
            return head | {
                "players": players,
                "setup": _setup_document(event.setup, revealed=revealed),
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


def _placements(documents: Iterable[Document]) -> tuple[Placement, ...]:
    return tuple(
        (cell_at(placed["x"], placed["y"]), tile_named(placed["tile"])) for placed in documents
    )


def _setup_document(setup: Setup | None, *, revealed: bool) -> Document | None:
    if setup is None:
        return None
    hands = bag = None
    if revealed and setup.hands is not None:
        hands = [hand and [NAMES[tile] for tile in hand] for hand in setup.hands]
    if revealed and setup.bag is not None:
        bag = [NAMES[tile] for tile in setup.bag]
    return {
        "board": [placement_document(placement) for placement in setup.board],
        "hands": hands,
        "bag": bag,
        "scores": setup.scores and list(setup.scores),
        "turn": setup.turn,
    }


def _setup(document: Document | None) -> Setup | None:
    if document is None:
        return None

    def tiles(names: Iterable[str] | None) -> tuple[Tile, ...] | None:
        return None if names is None else tuple(map(tile_named, names))

    hands, scores = document["hands"], document["scores"]
    return Setup(
        _placements(document["board"]),
        None if hands is None else tuple(map(tiles, hands)),
        tiles(document["bag"]),
        None if scores is None else tuple(scores),
        document["turn"],
    )
