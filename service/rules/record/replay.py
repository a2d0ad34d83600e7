"""Replay a record: repeat every action that it lists and compare the results.

The record of a finished game is replayed from its secret, including every draw. That of a running
game is replayed with hidden tiles and lots chosen so that they agree with what everybody saw.
"""

from collections.abc import Iterator
from typing import Any

from service.rules.actions import (
    Step,
    bid,
    create,
    exchange,
    join,
    pass_turn,
    place,
    resign,
)
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.english_texts import describe
from service.rules.errors import Malformed, RulesBroken, Untimely
from service.rules.events import Bid, Created, Entrant, Event, Joined
from service.rules.host_actions import deal, remove, update
from service.rules.lines import LONGEST
from service.rules.record.deal_hidden_tiles import holding, set_up, with_longest_line, without_play
from service.rules.record.read import (
    HEADER,
    ParsedRecord,
    RecordBroken,
    brief,
    parse_record,
    require_same,
)
from service.rules.record.write import (
    age_ranks,
    digest_of,
    entrants_of,
    event_document,
    totals_of,
)
from service.rules.reducer import may_open, reduce
from service.rules.starting_position import MOST_HANDS, MOST_TILES, Setup
from service.rules.state import MOST_SEATS, Game
from service.rules.tiles import HAND_SIZE, Tile, tile_named
from service.rules.yielding import Pause, no_pause


def replay_record(document: object) -> list[Step]:
    """Repeat every action of a finished game's record; RecordBroken at the first mistake."""
    steps = list(replay_steps(document))
    if steps[-1].game.phase != "finished":
        raise RecordBroken(0, "unfinished", "the game is not finished, so its draws are unknown")
    return steps


def replay_steps(document: object, pause: Pause = no_pause) -> Iterator[Step]:
    """Each step of a record once it has been checked; RecordBroken at the first mistake.

    In the record of a running game the hands and draws of the steps are possible ones, not the
    real ones, and the real secret is unknown. ``pause`` is called after every event, and after
    each of those that are compared again at the end.
    """
    record = parse_record(document)
    game: Game | None = None
    events = []
    for n, entry in enumerate(record.events, 1):
        try:
            step = _checked_step(record, entry, game, n)
        except KeyError as error:
            raise RecordBroken(n, "malformed", f"the member {error} is missing") from error
        except (TypeError, ValueError, AttributeError, RecursionError) as error:
            raise RecordBroken(n, "malformed", "the entry cannot be read") from error
        # Ages of a record are ranks already.
        ranks = {chair: who.age for chair, who in entrants_of(step.event).items()}
        expected = event_document(step.event, ranks, revealed=record.revealed, begun=True)
        require_same(n, entry, expected)
        game = step.game
        events.append(step.event)
        yield step
        pause()
        if n == len(record.events):
            _require_totals(record, game, events, pause)


def _checked_step(record: ParsedRecord, entry: Any, game: Game | None, n: int) -> Step:
    """The step of an entry; if the rules refuse it, RecordBroken with their reason."""
    try:
        return _with_opener(record, _repeat(record, entry, game))
    except RulesBroken as error:
        reason = describe(error.violations[0]).rstrip(".")
        raise RecordBroken(n, error.code, f"the rules refuse it: {reason}") from error
    except Untimely as error:
        raise RecordBroken(n, error.code, f"the rules refuse it: {error.detail}") from error
    except Malformed as error:
        raise RecordBroken(n, "malformed", str(error)) from error


def _repeat(record: ParsedRecord, entry: Any, game: Game | None) -> Step:
    """Repeat what an entry says was done."""
    if game is None:
        return _with_declared_bids(record, _create(record, entry))
    match entry["type"]:
        case "joined":
            seat = _integer(entry["seat"])
            return _with_declared_bids(record, join(game, _entrant(entry), seat, entry["entropy"]))
        case "updated":
            return update(game, _integer(entry["seats"]))
        case "dealt":
            return _with_declared_bids(record, deal(game, entry["entropy"]))
    return _repeat_action(record, entry, game)


def _repeat_action(record: ParsedRecord, entry: Any, game: Game) -> Step:
    """Repeat what a player did, or what was done for a player who ran out of time."""
    kind, seat, late = entry["type"], entry["seat"], entry["timeout"]
    if type(seat) is not int or type(late) is not bool:
        raise Malformed("'seat' must be an integer, and 'timeout' true or false")
    match kind:
        case "bid":
            length = _integer(entry["length"])
            wanted = with_longest_line(length, _hand_size(game, seat))
            return bid(_with_hand(record, game, seat, wanted), seat, length, timeout=late)
        case "played":
            placed = _placements(_list(entry["placements"], HAND_SIZE))
            wanted = tuple(tile for _, tile in placed)
            return place(_with_hand(record, game, seat, wanted), seat, placed, timeout=late)
        case "exchanged":
            return exchange(game, seat, _returned(record, entry, game, seat), timeout=late)
        case "passed":
            wanted = without_play(game, seat)
            return pass_turn(_with_hand(record, game, seat, wanted), seat, timeout=late)
        case "resigned":
            return remove(game, seat) if entry["removed"] else resign(game, seat, timeout=late)
    raise Malformed(f"{brief(kind)} is not a type of event")


def _returned(record: ParsedRecord, entry: Any, game: Game, seat: int) -> tuple[Tile, ...]:
    """The tiles set aside; if they are unknown, as many tiles of the hand."""
    if record.revealed:
        return tuple(map(tile_named, _list(entry["returned"], HAND_SIZE)))
    count = _integer(entry["count"])
    if not 1 <= count <= HAND_SIZE:
        raise Malformed(f"an exchange takes 1 to {HAND_SIZE} tiles")
    player = game.active.get(seat)
    return player.hand[:count] if player else ()


def _with_hand(record: ParsedRecord, game: Game, seat: int, wanted: tuple[Tile, ...]) -> Game:
    return game if record.revealed else holding(game, seat, wanted)


def _hand_size(game: Game, seat: int) -> int:
    player = game.active.get(seat)
    return len(player.hand) if player else 0


def _create(record: ParsedRecord, entry: Any) -> Step:
    if entry["type"] != "created":
        raise Malformed("the first event of a game is its creation")
    document = record.document
    given = entry["setup"]
    setup: Setup | None = None
    left: tuple[Tile, ...] = ()
    if given is not None and record.revealed:
        setup = _setup(given)
    elif given is not None:
        setup, left = set_up(
            _placements(_list(given["board"], MOST_TILES)),
            _list(given["hand_counts"], MOST_HANDS),
            given["bag_count"],
            _scores(given),
            given["turn"],
        )
    step = create(
        record.secret,
        [_entrant(player) for player in _list(entry["players"], MOST_SEATS)],
        seats=document["seats"],
        edition=document["edition"],
        seeded=document["seeded"],
        # The bids that the service declared depend on hands that are unknown here.
        auto_bid=document["auto_bid"] and record.revealed,
        setup=setup,
    )
    return Step(step.event, step.game._replace(removed=left))


def _with_declared_bids(record: ParsedRecord, step: Step) -> Step:
    """The step with the bids that the service declared with it, if the hands are unknown."""
    game = step.game
    if record.revealed or not record.document["auto_bid"] or game.phase != "bidding":
        return step
    bids = record.document.get("bids")
    if not isinstance(bids, list) or len(bids) != len(game.players):
        raise RecordBroken(0, "malformed", "'bids' must list a bid for every seat")
    for seat, length in enumerate(bids):
        if type(length) is not int or not 1 <= length <= min(LONGEST, _hand_size(game, seat)):
            raise RecordBroken(0, "malformed", f"'bids' has an impossible bid for seat {seat}")
        game = reduce(game, Bid(game.version, seat, length))
    return Step(step.event, game)


def _with_opener(record: ParsedRecord, step: Step) -> Step:
    """The step with the opener that a lot may have given, if the seed of the lots is unknown.

    That is the seat of the first play, which any lot that could give it has to give.
    """
    game = step.game
    if record.revealed or not game.opening:
        return step
    entries = (entry for entry in record.events if isinstance(entry, dict))
    seats = (entry.get("seat") for entry in entries if entry.get("type") == "played")
    first = next(seats, None)
    return Step(step.event, game._replace(mover=first)) if first in may_open(game) else step


def _require_totals(record: ParsedRecord, game: Game, events: list[Event], pause: Pause) -> None:
    """The rest of the record must agree with its events."""
    document = record.document
    ranks, begun = age_ranks(events), game.phase != "waiting"
    for event in events:
        if isinstance(event, Created | Joined):
            entry = document["events"][event.n - 1]
            expected = event_document(event, ranks, revealed=record.revealed, begun=begun)
            require_same(event.n, entry, expected)
            pause()
    if record.revealed and game.phase != "finished":
        detail = (
            f"the record contains the seed, but after event {game.version} the game is not finished"
        )
        raise RecordBroken(game.version, "cut_short", detail)
    rest = {member: document[member] for member in document if member not in HEADER}
    require_same(0, rest, totals_of(game))
    if document["digest"] != digest_of(document):
        detail = "the digest does not match: something was altered that the rules do not check"
        raise RecordBroken(0, "digest_broken", detail)


def _entrant(document: Any) -> Entrant:
    return Entrant(document["name"], document["age_rank"], document["bot"])


def _integer(value: object) -> int:
    if type(value) is not int:
        raise Malformed(f"{brief(value)} is not an integer")
    return value


def _list(value: object, most: int) -> list[Any]:
    """A list that is not longer than in any real record; checked before its contents."""
    if not isinstance(value, list):
        raise Malformed(f"{brief(value)} was given instead of a list")
    if len(value) > most:
        raise Malformed(f"{brief(value)} was given where at most {most} are allowed")
    return value


def _placements(documents: list[Any]) -> tuple[Placement, ...]:
    return tuple(
        (cell_at(placed["x"], placed["y"]), tile_named(placed["tile"])) for placed in documents
    )


def _setup(document: Any) -> Setup:
    def tiles(names: object, most: int) -> tuple[Tile, ...] | None:
        return None if names is None else tuple(map(tile_named, _list(names, most)))

    hands = document["hands"]
    if hands is not None:
        hands = tuple(tiles(hand, HAND_SIZE) for hand in _list(hands, MOST_HANDS))
    return Setup(
        _placements(_list(document["board"], MOST_TILES)),
        hands,
        tiles(document["bag"], MOST_TILES),
        _scores(document),
        document["turn"],
    )


def _scores(setup: Any) -> tuple[int, ...] | None:
    scores = setup["scores"]
    return None if scores is None else tuple(_list(scores, MOST_HANDS))
