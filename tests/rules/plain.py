"""Qwirkle once more, as plainly as the rule book says it, to check the service's rules by.

Nothing of the service is used here. A tile is its colour and shape, ``("red", "circle")``, a
cell its column and row, a board a dict from cells to tiles. Slow, and meant to be.
"""

from collections import Counter

Tile = tuple[str, str]
Cell = tuple[int, int]
Board = dict[Cell, Tile]
Line = frozenset[Cell]

ACROSS = (1, 0)
DOWN = (0, 1)


def is_line(tiles: list[Tile]) -> bool:
    """One colour and all shapes different, or one shape and all colours different."""
    colours = {colour for colour, _ in tiles}
    shapes = {shape for _, shape in tiles}
    one_colour = len(colours) == 1 and len(shapes) == len(tiles)
    one_shape = len(shapes) == 1 and len(colours) == len(tiles)
    return one_colour or one_shape


def line_through(table: Board, cell: Cell, axis: tuple[int, int]) -> list[Cell]:
    """The cells of the touching tiles through this cell, from first to last."""
    (x, y), (dx, dy) = cell, axis
    while (x - dx, y - dy) in table:
        x, y = x - dx, y - dy
    cells = []
    while (x, y) in table:
        cells.append((x, y))
        x, y = x + dx, y + dy
    return cells


def lines_of(board: Board, placements: dict[Cell, Tile]) -> set[Line]:
    """Every line of two or more tiles that the placed tiles stand in."""
    table = board | placements
    through = [line_through(table, cell, axis) for cell in placements for axis in (ACROSS, DOWN)]
    return {frozenset(cells) for cells in through if len(cells) > 1}


def points_of(lines: set[Line]) -> int:
    """A point a tile, and six more for every line of six."""
    return sum(len(line) + (6 if len(line) == 6 else 0) for line in lines)


def longest(hand: list[Tile]) -> int:
    """The length of the longest line that the hand can form."""
    kinds = set(hand)
    by_colour = Counter(colour for colour, _ in kinds)
    by_shape = Counter(shape for _, shape in kinds)
    return max([*by_colour.values(), *by_shape.values()])


def verdict(
    board: Board, hand: list[Tile], placements: list[tuple[Cell, Tile]], opening: int | None = None
) -> int | None:
    """The points of a play, or None if it is illegal. ``opening``: the length bid, or None."""
    cells = [cell for cell, _ in placements]
    placed = dict(placements)
    if not placements or Counter(tile for _, tile in placements) - Counter(hand):
        return None
    if len(placed) < len(cells) or any(cell in board for cell in cells):
        return None
    if opening is None and not any(touches(board, cell) for cell in cells):
        return None
    if opening is not None and (len(cells) != opening or (0, 0) not in placed):
        return None
    table = board | placed
    first = cells[0]
    if not any(set(cells) <= set(line_through(table, first, axis)) for axis in (ACROSS, DOWN)):
        return None
    lines = lines_of(board, placed)
    if not all(is_line([table[cell] for cell in line]) for line in lines):
        return None
    return points_of(lines)


def touches(board: Board, cell: Cell) -> bool:
    """Whether a tile of the board lies beside this cell."""
    x, y = cell
    return any(beside in board for beside in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)))


def all_plays(
    board: Board, hand: list[Tile], opening: int | None = None
) -> dict[frozenset[tuple[Cell, Tile]], int]:
    """Every legal play with its points, by trying tiles on cells and asking ``verdict``.

    A line without a gap over a first cell can only be laid on the empty cells that follow it,
    so those are tried, with every tile of the hand in turn. Of the rules only this is used to
    try less: a line that is wrong stays wrong when it grows.
    """
    found: dict[frozenset[tuple[Cell, Tile]], int] = {}

    def lay(cells: list[Cell], rest: list[Tile], laid: list[tuple[Cell, Tile]]) -> None:
        for tile in sorted(set(rest)):
            more = [*laid, (cells[0], tile)]
            table = board | dict(more)
            around = (line_through(table, cells[0], axis) for axis in (ACROSS, DOWN))
            if not all(len(line) == 1 or is_line([table[c] for c in line]) for line in around):
                continue
            points = verdict(board, hand, more, opening)
            if points is not None:
                found[frozenset(more)] = points
            left = list(rest)
            left.remove(tile)
            if left and len(cells) > 1:
                lay(cells[1:], left, more)

    for cells in _stretches(board, len(hand), opening):
        lay(cells, hand, [])
    return found


def _stretches(board: Board, size: int, opening: int | None) -> list[list[Cell]]:
    """From every first cell that can matter, in both directions, the empty cells to be tried."""
    near = (
        {(0, 0)}
        if opening is not None
        else {
            beside
            for x, y in board
            for beside in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
            if beside not in board
        }
    )
    return [
        _empty_cells(board, start, axis, size)
        for axis in (ACROSS, DOWN)
        for start in {
            cell
            for beside in near
            for cell in _empty_cells(board, beside, (-axis[0], -axis[1]), size)
        }
    ]


def _empty_cells(board: Board, cell: Cell, way: tuple[int, int], count: int) -> list[Cell]:
    """The first empty cells from this one on, over whatever tiles lie between."""
    x, y = cell
    cells: list[Cell] = []
    while len(cells) < count:
        if (x, y) not in board:
            cells.append((x, y))
        x, y = x + way[0], y + way[1]
    return cells
