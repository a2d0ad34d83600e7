"""The state of a game in few bytes, and its events as short lists for JSON.

A state is the number of this format, the length of a JSON list, that list, the secret, cells and
turns, and then tiles, the seed if it differs from the secret, and the entropy, all as plain
numbers. An unknown format is refused.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, fields
from operator import attrgetter
from struct import Struct
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
    Updated,
)
from service.rules.lines import Line
from service.rules.shuffle import SECRET_BYTES
from service.rules.starting_position import Setup
from service.rules.state import Game, Player

FORMAT = 3

_HEAD = Struct("<BH")

# What JSON can hold as it is, in the order in which Game and Player take it. mypy cannot count
# the members of a list.
_game: Callable[..., Game] = Game
_player: Callable[..., Player] = Player
_PLAIN = attrgetter(
    "seeded", "auto_bid", "positioned", "phase", "version", "turn", "mover", "opening", "end"
)
_PLAYER = attrgetter("name", "age", "bot", "score", "bonus", "bid", "resigned", "timeouts")


class UnknownFormat(RulesError):
    """The bytes were written by a different release, in a format that this one cannot read."""


def pack(game: Game) -> bytes:
    """The state as bytes; ``unpack`` reads them."""
    tiles = game.board.tiles
    seed = b"" if game.seed == game.secret else game.seed
    parts = [tiles.values(), game.bag, game.removed, seed, game.entropy]
    parts += [player.hand for player in game.players if player]
    head = orjson.dumps(
        [
            game.edition,
            [player and _PLAYER(player) for player in game.players],
            _PLAIN(game),
            game.winners,
            game.passed,
            game.setup and astuple(game.setup),
            [len(part) for part in parts],
        ]
    )
    numbers = _numbers(len(tiles)).pack(*tiles, *game.laid)
    return b"".join((_HEAD.pack(FORMAT, len(head)), head, game.secret, numbers, *map(bytes, parts)))


def unpack(data: bytes) -> Game:
    """The state in these bytes; UnknownFormat if a different release wrote them."""
    form, length = _HEAD.unpack_from(data) if len(data) > _HEAD.size else (None, 0)
    if form != FORMAT:
        raise UnknownFormat(f"a stored game has format {form}; this release reads {FORMAT}")
    at = _HEAD.size + length
    edition, rows, plain, winners, passed, setup, lengths = orjson.loads(data[_HEAD.size : at])
    secret = data[at : at + SECRET_BYTES]
    at += SECRET_BYTES
    count = lengths[0]
    numbers = _numbers(count)
    cells_and_turns = numbers.unpack_from(data, at)
    at += numbers.size
    parts = []
    for length in lengths:
        parts.append(tuple(data[at : at + length]))
        at += length
    if at != len(data):
        # Slicing a truncated state raises no error: the slices are just shorter.
        raise ValueError(f"a stored game has {len(data)} bytes instead of {at}")
    on_table, bag, removed, seed, entropy, *hands = parts
    board = Board(zip(cells_and_turns[:count], on_table, strict=True))
    held = iter(hands)
    return _game(
        edition,
        tuple(row and _player(*row, next(held)) for row in rows),
        secret,
        bytes(seed) or secret,
        *plain,
        tuple(winners),
        tuple(passed),
        setup and _setup(setup),
        board,
        cells_and_turns[count:],
        bag,
        removed,
        bytes(entropy),
    )


def _numbers(count: int) -> Struct:
    """So many cells, then the turns in which their tiles were placed."""
    return Struct(f"<{count}i{count}H")


def _setup(row: list[Any]) -> Setup:
    return Setup(*_tuples(row))


def event_row(event: Event) -> list[object]:
    """An event as a short list for JSON; ``event_from`` reads it.

    It has the letter of its type and its fields but ``n``; those at the end that have their
    default value are left out.
    """
    columns = _COLUMNS[type(event)]
    values = [getattr(event, name) for name, _ in columns]
    while values and values[-1] == columns[len(values) - 1][1]:
        values.pop()
    row: list[object] = [_LETTERS[type(event)]]
    for (name, _), value in zip(columns, values, strict=False):
        row.append(_WRITE[name](value) if name in _WRITE else value)
    return row


def event_from(row: Sequence[Any], n: int) -> Event:
    """The event of a row of ``event_row``, as number n of its game."""
    kind = _TYPES.get(row[0]) if row else None
    if kind is None:
        raise UnknownFormat(
            f"event {n} of a stored game is of a type that this release cannot read"
        )
    values: dict[str, object] = {"n": n}
    for (name, _), value in zip(_COLUMNS[kind], row[1:], strict=False):
        values[name] = _READ[name](value) if name in _READ else value
    event: Event = kind(**values)
    return event


def _placed_numbers(placements: Iterable[Placement]) -> list[int]:
    """Each placement as one number: its cell times 64, plus its tile."""
    return [cell << 6 | tile for cell, tile in placements]


def _placed(numbers: Iterable[int]) -> tuple[Placement, ...]:
    return tuple((number >> 6, number & 63) for number in numbers)


def _line_numbers(lines: Iterable[Line]) -> list[int]:
    """Each line as one number: its start times 16, plus 8 for a column, plus its length."""
    return [line.start << 4 | (line.step == DOWN) << 3 | line.length for line in lines]


def _lines(numbers: Iterable[int]) -> tuple[Line, ...]:
    return tuple(
        Line(number >> 4, DOWN if number & 8 else ACROSS, number & 7) for number in numbers
    )


def _tuples(value: Any) -> Any:
    """The value with tuples in place of lists."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


_TYPES: dict[str, type] = {
    "c": Created,
    "j": Joined,
    "u": Updated,
    "d": Dealt,
    "b": Bid,
    "p": Played,
    "x": Exchanged,
    "s": Passed,
    "r": Resigned,
}
_LETTERS = {kind: letter for letter, kind in _TYPES.items()}

# The fields of each type of event, with their default values.
_COLUMNS = {
    kind: [(field.name, field.default) for field in fields(kind) if field.name != "n"]
    for kind in _LETTERS
}

# How the fields are written and read that are not the same in JSON.
_WRITE: dict[str, Callable[[Any], object]] = {
    "lines": _line_numbers,
    "placements": _placed_numbers,
    "player": astuple,
    "players": lambda entrants: [astuple(entrant) for entrant in entrants],
    "secret": bytes.hex,
    "setup": astuple,
}
_READ: dict[str, Callable[[Any], object]] = {
    "drew": tuple,
    "hands": _tuples,
    "lines": _lines,
    "placements": _placed,
    "player": lambda row: Entrant(*row),
    "players": lambda rows: tuple(Entrant(*row) for row in rows),
    "returned": tuple,
    "secret": bytes.fromhex,
    "setup": _setup,
    "winners": tuple,
}
