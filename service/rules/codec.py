"""The state of a game, and its events, in few bytes.

A state is one byte with the number of this format, the length of a JSON list, that list, and
then the tiles as plain numbers. An unknown format is refused.
"""

from collections.abc import Iterable, Sequence
from struct import pack as pack_numbers
from struct import unpack_from as unpack_numbers
from typing import Any

import orjson

from service.rules.board import Board, Placement
from service.rules.cells import ACROSS, DOWN
from service.rules.errors import RulesError
from service.rules.events import (
    Bid,
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
from service.rules.lines import Line
from service.rules.setup import Position, Setup
from service.rules.state import Game, Player

FORMAT = 1

_HEAD = "<BH"
_HEAD_BYTES = 3
_SEED_BYTES = 32
_SHORT = 0xFFFF


class UnknownFormat(RulesError):
    """The bytes were written by a different release, in a format that this one cannot read."""


def pack(game: Game) -> bytes:
    """The state as bytes; ``unpack`` reads them."""
    tiles = game.board.tiles
    head = orjson.dumps(
        [
            game.edition,
            game.phase,
            game.version,
            game.seeded,
            game.auto_bid,
            game.positioned,
            game.turn,
            game.mover,
            game.opening,
            game.end,
            game.winners,
            [len(tiles), len(game.bag), len(game.removed)],
            [_player_row(player) for player in game.players],
            _position_row(game.position),
        ]
    )
    count = len(tiles)
    hands = [player.hand for player in game.players if player is not None]
    return b"".join(
        (
            pack_numbers(_HEAD, FORMAT, len(head)),
            head,
            game.seed,
            pack_numbers(f"<{count}i", *tiles),
            pack_numbers(f"<{count}{_turn_code(game.turn)}", *game.laid),
            bytes(tiles.values()),
            bytes(game.bag),
            bytes(game.removed),
            *map(bytes, hands),
        )
    )


def unpack(data: bytes) -> Game:
    """The state in these bytes; UnknownFormat if a different release wrote them."""
    form, length = unpack_numbers(_HEAD, data) if len(data) > _HEAD_BYTES else (None, 0)
    if form != FORMAT:
        raise UnknownFormat(f"a stored game has format {form}; this release reads {FORMAT}")
    at = _HEAD_BYTES + length
    row = orjson.loads(data[_HEAD_BYTES:at])
    edition, phase, version, seeded, auto_bid, positioned, turn, mover, opening, end, winners = row[
        :11
    ]
    (count, in_bag, in_removed), players, position = row[11:]
    seed = data[at : at + _SEED_BYTES]
    at += _SEED_BYTES
    cells = unpack_numbers(f"<{count}i", data, at)
    at += 4 * count
    code = _turn_code(turn)
    laid = unpack_numbers(f"<{count}{code}", data, at)
    at += (2 if code == "H" else 4) * count
    board = Board(zip(cells, data[at : at + count], strict=True))
    at += count
    bag = tuple(data[at : at + in_bag])
    at += in_bag
    removed = tuple(data[at : at + in_removed])
    at += in_removed
    seated: list[Player | None] = []
    for player in players:
        if player is None:
            seated.append(None)
            continue
        name, age, score, bonus, bid, resigned, passed, timeouts, bot, held = player
        hand = tuple(data[at : at + held])
        at += held
        seated.append(Player(name, age, hand, score, bonus, bid, resigned, passed, timeouts, bot))
    if at != len(data):
        # Slicing a truncated state raises no error: the slices are just shorter.
        raise ValueError(f"a stored game has {len(data)} bytes instead of {at}")
    return Game(
        edition,
        tuple(seated),
        seed,
        seeded,
        auto_bid,
        _position(position, board, bag),
        positioned,
        phase,
        version,
        board,
        laid,
        bag,
        removed,
        turn,
        mover,
        opening,
        end,
        tuple(winners),
    )


def _turn_code(turn: int) -> str:
    """Turn numbers take two bytes, or four once a game has had very many turns."""
    return "H" if turn <= _SHORT else "I"


def _player_row(player: Player | None) -> list[object] | None:
    if player is None:
        return None
    return [
        player.name,
        player.age,
        player.score,
        player.bonus,
        player.bid,
        player.resigned,
        player.passed,
        player.timeouts,
        player.bot,
        len(player.hand),
    ]


def _position_row(position: Position | None) -> list[object] | None:
    return None if position is None else [position.hands, position.scores, position.turn]


def _position(row: list[Any] | None, board: Board, bag: tuple[int, ...]) -> Position | None:
    if row is None:
        return None
    hands, scores, turn = row
    return Position(board, tuple(map(tuple, hands)), bag, tuple(scores), turn)


def event_row(event: Event) -> list[object]:  # noqa: PLR0911  # one for each type
    """An event as a short list for JSON; ``event_from`` reads it."""
    match event:
        case Created():
            players = [_entrant_row(entrant) for entrant in event.players]
            return [
                "c",
                event.edition,
                event.seats,
                players,
                event.seed.hex(),
                event.seeded,
                event.auto_bid,
                _setup_row(event.setup),
            ]
        case Joined():
            return ["j", event.seat, _entrant_row(event.player)]
        case Dealt():
            return ["d", event.hands]
        case Bid():
            return ["b", event.seat, event.length, int(event.timeout)]
        case Played():
            lines = [_line_number(line) for line in event.lines]
            placed = _placed_numbers(event.placements)
            row = [event.seat, placed, event.points, lines, event.bonus, event.drew]
            return ["p", *row, int(event.timeout), *_end_row(event)]
        case Exchanged():
            return ["x", event.seat, event.returned, event.drew, int(event.timeout)]
        case Passed():
            return ["s", event.seat, int(event.timeout), *_end_row(event)]
        case _:
            return ["r", event.seat, int(event.timeout), *_end_row(event)]


def event_from(row: Sequence[Any], n: int) -> Event:  # noqa: PLR0911  # one for each type
    """The event of a row of ``event_row``, as number n of its game."""
    match row:
        case ["c", edition, seats, players, seed, seeded, auto_bid, setup]:
            entrants = tuple(Entrant(*player) for player in players)
            given = setup and _setup(setup)
            return Created(
                edition, seats, entrants, bytes.fromhex(seed), seeded, auto_bid, given, n
            )
        case ["j", seat, player]:
            return Joined(n, seat, Entrant(*player))
        case ["d", hands]:
            return Dealt(n, tuple(map(tuple, hands)))
        case ["b", seat, length, timeout]:
            return Bid(n, seat, length, bool(timeout))
        case ["p", seat, placed, points, lines, bonus, drew, timeout, *end]:
            made = tuple(map(_line, lines))
            laid, late = _placed(placed), bool(timeout)
            return Played(n, seat, laid, points, made, bonus, tuple(drew), *_end(end), late)
        case ["x", seat, returned, drew, timeout]:
            return Exchanged(n, seat, tuple(returned), tuple(drew), bool(timeout))
        case ["s", seat, timeout, *end]:
            return Passed(n, seat, *_end(end), bool(timeout))
        case ["r", seat, timeout, *end]:
            return Resigned(n, seat, *_end(end), bool(timeout))
    raise UnknownFormat(f"event {n} of a stored game is of a kind that this release cannot read")


def _entrant_row(entrant: Entrant) -> list[object]:
    return [entrant.name, entrant.age, entrant.bot]


def _end_row(event: Played | Passed | Resigned) -> list[object]:
    return [event.end, event.winners] if event.end else []


def _end(row: Sequence[Any]) -> tuple[Any, tuple[int, ...]]:
    return (row[0], tuple(row[1])) if row else (None, ())


def _placed_numbers(placements: Iterable[Placement]) -> list[int]:
    """Each placement as one number: its cell times 64, plus its tile."""
    return [cell << 6 | tile for cell, tile in placements]


def _placed(numbers: Iterable[int]) -> tuple[Placement, ...]:
    return tuple((number >> 6, number & 63) for number in numbers)


def _line_number(line: Line) -> int:
    """A line as one number: its start times 16, plus 8 for a column, plus its length."""
    return line.start << 4 | (line.step == DOWN) << 3 | line.length


def _line(number: int) -> Line:
    return Line(number >> 4, DOWN if number & 8 else ACROSS, number & 7)


def _setup_row(setup: Setup | None) -> list[object] | None:
    if setup is None:
        return None
    return [
        _placed_numbers(setup.board),
        setup.hands,
        setup.bag,
        setup.scores,
        setup.turn,
    ]


def _setup(row: Sequence[Any]) -> Setup:
    board, hands, bag, scores, turn = row
    return Setup(
        _placed(board),
        None if hands is None else tuple(hand and tuple(hand) for hand in hands),
        None if bag is None else tuple(bag),
        None if scores is None else tuple(scores),
        turn,
    )
