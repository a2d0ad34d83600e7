"""A play: whether its placements follow the rules, its lines and its points."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from service.rules.board import Board, Placement, run_of
from service.rules.cells import (
    ACROSS,
    AXES,
    CENTRE,
    DOWN,
    Cell,
    as_cell,
    column_of,
    neighbours,
    row_of,
)
from service.rules.errors import Malformed, Violation, refuse
from service.rules.lines import LONGEST, POINTS, ROOM, Line
from service.rules.tiles import HAND_SIZE, Kinds, Tile, as_tile, missing_from


class Play(NamedTuple):
    """Tiles placed in one turn, in reading order, with the lines they form or extend.

    Lines are in the reading order of their first cells, a row before a column.
    """

    placements: tuple[Placement, ...]
    points: int
    lines: tuple[Line, ...]


def judge(
    board: Board,
    placements: Iterable[Placement],
    hand: Sequence[Tile],
    opening: int | None = None,
) -> Play:
    """The play that these placements make, or RulesBroken with every rule they break.

    ``opening`` is the length that the opener has bid, or None after the opening. The
    order of the placements does not matter. Malformed if they are not placements at all.
    """
    placed = in_reading_order(placements)
    laid: dict[Cell, Tile] = dict(placed)
    tiles = board.tiles
    violations = _physical(tiles, placed, hand)
    violations += _geometry(tiles, laid)
    violations += _not_touching(tiles, laid) if opening is None else _unlike_bid(laid, opening)
    lines = _lines(tiles, laid, violations)
    refuse(violations)
    points = 0
    for line in lines:
        points += POINTS[line.length]
    return Play(placed, points, tuple(sorted(lines)))


def in_reading_order(placements: Iterable[Placement]) -> tuple[Placement, ...]:
    """The placements sorted by cell; Malformed if they are not one to six tiles on cells."""
    if not isinstance(placements, Iterable):
        raise Malformed(f"{placements!r:.60} is not a list of placements")
    placed = tuple(placements)
    if not 1 <= len(placed) <= HAND_SIZE:
        raise Malformed(f"a play has 1 to {HAND_SIZE} tiles, not {len(placed)}")
    return tuple(sorted(map(as_placement, placed)))


def as_placement(pair: object) -> Placement:
    """The value itself if it is a cell and a tile; anything else is Malformed."""
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise Malformed(f"{pair!r:.60} is not a placement; a placement is a cell and a tile")
    return as_cell(pair[0]), as_tile(pair[1])


def _physical(
    tiles: Mapping[Cell, Tile], placed: Sequence[Placement], hand: Sequence[Tile]
) -> list[Violation]:
    """The hand must hold the tiles, and each needs an empty cell of its own."""
    broken = []
    missing = missing_from(hand, [tile for _, tile in placed])
    if missing:
        broken.append(Violation("tiles_not_in_hand", tiles=missing))
    occupied = [(cell, tile) for cell, tile in placed if cell in tiles]
    if occupied:
        broken.append(_violation("cell_occupied", occupied))
    cells = [cell for cell, _ in placed]
    if len(set(cells)) < len(cells):
        repeated = [(cell, tile) for cell, tile in placed if cells.count(cell) > 1]
        broken.append(_violation("cell_repeated", repeated))
    return broken


def _geometry(tiles: Mapping[Cell, Tile], laid: Mapping[Cell, Tile]) -> list[Violation]:
    """All tiles placed in a turn must be in the same line, without a gap."""
    if len(laid) == 1:
        return []
    first, last = min(laid), max(laid)
    if row_of(first) == row_of(last):
        step = ACROSS
    elif len({column_of(cell) for cell in laid}) == 1:
        step = DOWN
    else:
        return [_violation("not_in_one_line", laid.items())]
    gap = [cell for cell in range(first, last, step) if cell not in laid and cell not in tiles]
    return [Violation("line_has_gap", cells=tuple(gap))] if gap else []


def _not_touching(tiles: Mapping[Cell, Tile], laid: Mapping[Cell, Tile]) -> list[Violation]:
    """At least one placed tile must share an edge with a tile already on the table."""
    for cell in laid:
        for beside in neighbours(cell):
            if beside in tiles:
                return []
    return [_violation("not_touching", laid.items())]


def _unlike_bid(laid: Mapping[Cell, Tile], opening: int) -> list[Violation]:
    """The opening line must be exactly as long as the bid and cover the middle of the table."""
    broken = []
    if len(laid) != opening:
        facts = {"bid": opening, "laid": len(laid)}
        broken.append(Violation("opening_not_longest", tuple(laid), tuple(laid.values()), facts))
    if CENTRE not in laid:
        broken.append(_violation("opening_off_centre", laid.items()))
    return broken


def _lines(
    tiles: Mapping[Cell, Tile], laid: Mapping[Cell, Tile], violations: list[Violation]
) -> list[Line]:
    """Every line that the placed tiles form or extend; broken rules are added to ``violations``."""
    table = {**laid, **tiles}
    lines = []
    seen = set()
    for cell in laid:
        for step in AXES:
            start = cell
            while start - step in table:
                start -= step
            if (start, step) in seen or start + step not in table:
                continue
            seen.add((start, step))
            length, kinds = run_of(table, start, step)
            line = Line(start, step, length)
            lines.append(line)
            if kinds not in ROOM or kinds.bit_count() != length:
                violations += _faults(line, table, kinds)
    return lines


def _faults(line: Line, table: Mapping[Cell, Tile], kinds: Kinds) -> list[Violation]:
    """All tiles of a line must share a colour or share a shape, and no kind may occur twice."""
    broken = []
    whole = [(cell, table[cell]) for cell in line.cells]
    tiles = [tile for _, tile in whole]
    if line.length > LONGEST:
        broken.append(_violation("line_too_long", whole, length=line.length))
    repeats = [(cell, tile) for cell, tile in whole if tiles.count(tile) > 1]
    if repeats:
        broken.append(_violation("line_repeats_tile", repeats))
    if kinds not in ROOM:
        broken.append(_violation("line_mixed", whole))
    return broken


def _violation(code: str, where: Collection[Placement], **facts: int) -> Violation:
    return Violation(
        code, tuple(cell for cell, _ in where), tuple(tile for _, tile in where), facts
    )


def faults_of(board: Board) -> tuple[Violation, ...]:
    """What is wrong with the lines of a board, however it came about."""
    violations: list[Violation] = []
    _lines({}, dict(sorted(board.tiles.items())), violations)
    return tuple(violations)
