"""Does again what a record says was done, and compares what comes of it with what it says.

The record of a finished game is replayed from its seed, every draw included. That of a game
still going on is replayed with tiles handed out so that they agree with what everybody saw.
"""

from collections.abc import Iterator
from dataclasses import replace
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
from service.rules.cells import cell_at
from service.rules.errors import Malformed, RulesBroken, Untimely
from service.rules.events import Bid, Created, Entrant, Event, Joined
from service.rules.hidden_tiles import holding, set_up, with_longest_line, without_play
from service.rules.lines import LONGEST
from service.rules.message_texts import describe
from service.rules.pauses import Pause, no_pause
from service.rules.record.read import HEADING, RecordBroken, Told, brief, opened, require_same
from service.rules.record.write import (
    age_ranks,
    digest_of,
    event_document,
    sat_down,
    totals_of,
)
from service.rules.reducer import reduce
from service.rules.setup import MOST_HANDS, MOST_TILES, Setup
from service.rules.state import MOST_SEATS, Game
from service.rules.tiles import HAND_SIZE, Tile, tile_named


def replay_record(document: object) -> list[Step]:
    """Carry out every action of a finished game's record; RecordBroken where it goes wrong."""
    steps = list(replayed(document))
    if steps[-1].game.phase != "finished":
        raise RecordBroken(0, "unfinished", "the game is still going on, so its draws are unknown")
    return steps


def replayed(document: object, pause: Pause = no_pause) -> Iterator[Step]:
    """Each step of a record once it has proved right; RecordBroken at the first that has not.

    In the record of a game still going on hands and draws of the steps are only possible
    ones, and the true seed is not known. ``pause`` is called after every event, and after each
    of those that are compared again at the end.
    """
    told = opened(document)
    game: Game | None = None
    events = []
    for n, entry in enumerate(told.events, 1):
        try:
            step = _carried_out(told, entry, game, n)
        except KeyError as error:
            raise RecordBroken(n, "malformed", f"the member {error} is missing") from error
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise RecordBroken(n, "malformed", "the entry cannot be read") from error
        # Ages of a record are ranks already.
        ranks = {chair: who.age for chair, who in sat_down(step.event).items()}
        require_same(n, entry, event_document(step.event, ranks, revealed=told.revealed))
        game = step.game
        events.append(step.event)
        yield step
        pause()
        if n == len(told.events):
            _require_totals(told, game, events, pause)


def _carried_out(told: Told, entry: Any, game: Game | None, n: int) -> Step:
    """The step of an entry; what the rules have against it is told in their words."""
    try:
        return _carry_out(told, entry, game)
    except RulesBroken as error:
        reason = describe(error.violations[0]).rstrip(".")
        raise RecordBroken(n, error.code, f"the rules refuse it: {reason}") from error
    except Untimely as error:
        raise RecordBroken(n, error.code, f"the rules refuse it: {error.detail}") from error
    except Malformed as error:
        raise RecordBroken(n, "malformed", str(error)) from error


def _carry_out(told: Told, entry: Any, game: Game | None) -> Step:
    """Do again what an entry says was done."""
    if game is None:
        return _bids_declared(told, _create(told, entry))
    match entry["type"]:
        case "joined":
            return _bids_declared(told, join(game, _entrant(entry), _whole(entry["seat"])))
        case "dealt":
            return _bids_declared(told, deal(game))
    return _act(told, entry, game)


def _act(told: Told, entry: Any, game: Game) -> Step:
    """Do again what a player did, or what was done in the player's place."""
    kind, seat, late = entry["type"], entry["seat"], entry["timeout"]
    if type(seat) is not int or type(late) is not bool:
        raise Malformed("'seat' must be a whole number, and 'timeout' true or false")
    match kind:
        case "bid":
            length = _whole(entry["length"])
            wanted = with_longest_line(length, _held(game, seat))
            return bid(_fitted(told, game, seat, wanted), seat, length, timeout=late)
        case "played":
            placed = _placements(_few(entry["placements"], HAND_SIZE))
            wanted = tuple(tile for _, tile in placed)
            return place(_fitted(told, game, seat, wanted), seat, placed, timeout=late)
        case "exchanged":
            return exchange(game, seat, _returned(told, entry, game, seat), timeout=late)
        case "passed":
            wanted = without_play(game, seat)
            return pass_turn(_fitted(told, game, seat, wanted), seat, timeout=late)
        case "resigned":
            return resign(game, seat, timeout=late)
    raise Malformed(f"{brief(kind)} is no type of event")


def _returned(told: Told, entry: Any, game: Game, seat: int) -> tuple[Tile, ...]:
    """The tiles set aside; where they are not known, as many of the hand."""
    if told.revealed:
        return tuple(map(tile_named, _few(entry["returned"], HAND_SIZE)))
    count = _whole(entry["count"])
    if not 1 <= count <= HAND_SIZE:
        raise Malformed(f"an exchange is of 1 to {HAND_SIZE} tiles")
    player = game.active.get(seat)
    return player.hand[:count] if player else ()


def _fitted(told: Told, game: Game, seat: int, wanted: tuple[Tile, ...]) -> Game:
    return game if told.revealed else holding(game, seat, wanted)


def _held(game: Game, seat: int) -> int:
    player = game.active.get(seat)
    return len(player.hand) if player else 0


def _create(told: Told, entry: Any) -> Step:
    if entry["type"] != "created":
        raise Malformed("the first event of a game is its creation")
    document = told.document
    given = entry["setup"]
    setup: Setup | None = None
    left: tuple[Tile, ...] = ()
    if given is not None and told.revealed:
        setup = _setup(given)
    elif given is not None:
        setup, left = set_up(
            _placements(_few(given["board"], MOST_TILES)),
            _few(given["hand_counts"], MOST_HANDS),
            given["bag_count"],
            _scores(given),
            given["turn"],
        )
    step = create(
        told.seed,
        [_entrant(player) for player in _few(entry["players"], MOST_SEATS)],
        seats=document["seats"],
        edition=document["edition"],
        seeded=document["seeded"],
        # The bids that the service declared follow from hands that are not known.
        auto_bid=document["auto_bid"] and told.revealed,
        setup=setup,
    )
    return Step(step.event, replace(step.game, removed=left))


def _bids_declared(told: Told, step: Step) -> Step:
    """The step with the bids that the service declared with it, where the hands are not known."""
    game = step.game
    if told.revealed or not told.document["auto_bid"] or game.phase != "bidding":
        return step
    bids = told.document.get("bids")
    if not isinstance(bids, list) or len(bids) != len(game.players):
        raise RecordBroken(0, "malformed", "'bids' must have the bid of every seat")
    for seat, length in enumerate(bids):
        if type(length) is not int or not 1 <= length <= min(LONGEST, _held(game, seat)):
            raise RecordBroken(0, "malformed", f"'bids' has no possible bid of seat {seat}")
        game = reduce(game, Bid(game.version, seat, length))
    return Step(step.event, game)


def _require_totals(told: Told, game: Game, events: list[Event], pause: Pause) -> None:
    """What stands beside the events must agree with them."""
    document = told.document
    ranks = age_ranks(events)
    for event in events:
        if isinstance(event, Created | Joined):
            entry = document["events"][event.n - 1]
            require_same(event.n, entry, event_document(event, ranks, revealed=told.revealed))
            pause()
    if told.revealed and game.phase != "finished":
        detail = f"the record reveals the seed, but after event {game.version} the game goes on"
        raise RecordBroken(game.version, "cut_short", detail)
    if (document["commitment"] is None) != (game.phase == "waiting"):
        detail = "'commitment' must be null while the game is waiting, and told from its start on"
        raise RecordBroken(0, "differs", detail)
    rest = {member: document[member] for member in document if member not in HEADING}
    require_same(0, rest, totals_of(game))
    if document["digest"] != digest_of(document):
        detail = "the digest is not that of the rest: something was altered that no rule decides"
        raise RecordBroken(0, "digest_broken", detail)


def _entrant(document: Any) -> Entrant:
    return Entrant(document["name"], document["age_rank"], document["bot"])


def _whole(value: object) -> int:
    if type(value) is not int:
        raise Malformed(f"{brief(value)} is no whole number")
    return value


def _few(value: object, most: int) -> list[Any]:
    """A list that no true record exceeds: refused before anything in it costs time."""
    if not isinstance(value, list):
        raise Malformed(f"{brief(value)} stands where a list must be")
    if len(value) > most:
        raise Malformed(f"{brief(value)} stands where there are at most {most}")
    return value


def _placements(documents: list[Any]) -> tuple[Placement, ...]:
    return tuple(
        (cell_at(placed["x"], placed["y"]), tile_named(placed["tile"])) for placed in documents
    )


def _setup(document: Any) -> Setup:
    def tiles(names: object, most: int) -> tuple[Tile, ...] | None:
        return None if names is None else tuple(map(tile_named, _few(names, most)))

    hands = document["hands"]
    if hands is not None:
        hands = tuple(tiles(hand, HAND_SIZE) for hand in _few(hands, MOST_HANDS))
    return Setup(
        _placements(_few(document["board"], MOST_TILES)),
        hands,
        tiles(document["bag"], MOST_TILES),
        _scores(document),
        document["turn"],
    )


def _scores(setup: Any) -> tuple[int, ...] | None:
    scores = setup["scores"]
    return None if scores is None else tuple(_few(scores, MOST_HANDS))
