"""The rules of Qwirkle written a second time, as simply as in the rule book, for comparison.

It uses nothing of the service. A tile is its colour and shape, ``("red", "circle")``, a
cell its column and row, a board a dict from cells to tiles. Slow, but simple.
"""

from collections import Counter
from itertools import takewhile

Tile = tuple[str, str]
Cell = tuple[int, int]
Way = tuple[int, int]
Board = dict[Cell, Tile]
Line = frozenset[Cell]

ACROSS = (1, 0)
DOWN = (0, 1)
LEFT = (-1, 0)
UP = (0, -1)


def is_line(tiles: list[Tile]) -> bool:
    """One colour and all shapes different, or one shape and all colours different."""
    colours = {colour for colour, _ in tiles}
    shapes = {shape for _, shape in tiles}
    one_colour = len(colours) == 1 and len(shapes) == len(tiles)
    one_shape = len(shapes) == 1 and len(colours) == len(tiles)
    return one_colour or one_shape


def line_through(table: Board, cell: Cell, axis: Way) -> list[Cell]:
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
    """One point per tile, and six more for every line of six."""
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
    try less: a line that is wrong stays wrong when it grows, and a play must come near a tile.
    """
    found: dict[frozenset[tuple[Cell, Tile]], int] = {}
    near = {(0, 0)} if opening is not None else _open_cells(board)
    alone = {
        (cell, axis): {tile for tile in hand if _stands(board | {cell: tile}, cell, axis)}
        for cell in near
        for axis in (ACROSS, DOWN)
    }
    dead = {cell for cell in near if not alone[cell, ACROSS] & alone[cell, DOWN]}
    table = dict(board)

    def lay(axis: Way, cells: list[Cell], laid: list[tuple[Cell, Tile]]) -> None:
        cell, *onward = cells
        for tile in alone.get((cell, DOWN if axis == ACROSS else ACROSS), set(hand)):
            table[cell] = tile
            if _stands(table, cell, axis):
                more = [*laid, (cell, tile)]
                points = verdict(board, hand, more, opening)
                if points is not None:
                    found[frozenset(more)] = points
                if onward:
                    lay(axis, onward, more)
            del table[cell]

    for axis in (ACROSS, DOWN):
        for cells in _stretches(board, axis, len(hand), near, dead):
            lay(axis, cells, [])
    return found


def _stands(table: Board, cell: Cell, axis: Way) -> bool:
    return is_line([table[covered] for covered in line_through(table, cell, axis)])


def _stretches(
    board: Board, axis: Way, size: int, near: set[Cell], dead: set[Cell]
) -> list[list[Cell]]:
    """From every first cell that can matter the empty cells to be tried, up to a dead one."""
    back = (-axis[0], -axis[1])
    starts = {cell for end in near - dead for cell in _empty_cells(board, end, back, size)}
    stretches = []
    for start in starts:
        cells = _empty_cells(board, start, axis, size)
        alive = list(takewhile(lambda cell: cell not in dead, cells))
        apart = len(list(takewhile(lambda cell: cell not in near, alive)))
        if apart < len(alive):
            # The first cell beside a tile is the hardest to fill, so it is tried first.
            stretches.append([alive[apart], *alive[:apart][::-1], *alive[apart + 1 :]])
    return stretches


def _open_cells(board: Board) -> set[Cell]:
    around = {(x + dx, y + dy) for x, y in board for dx, dy in (LEFT, ACROSS, UP, DOWN)}
    return around - board.keys()


def _empty_cells(board: Board, cell: Cell, way: Way, count: int) -> list[Cell]:
    """The first empty cells from this one on, over whatever tiles lie between."""
    x, y = cell
    cells: list[Cell] = []
    while len(cells) < count:
        if (x, y) not in board:
            cells.append((x, y))
        x, y = x + way[0], y + way[1]
    return cells
