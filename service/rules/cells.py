"""Cells of the unbounded table, each represented by one number.

``x`` grows to the right, ``y`` grows down. ``cell + ACROSS`` is the cell to the right,
``cell + DOWN`` the one below. The 108 tiles, all
connected, cannot reach the limits of the numbering if a set-up board stays within
``SETUP_REACH``.
"""

from service.rules.errors import Malformed

Cell = int

ACROSS = 1
DOWN = 4096
AXES = (ACROSS, DOWN)
CENTRE: Cell = 0

REACH = 1000
SETUP_REACH = 500

_HALF = DOWN // 2


def cell_at(x: int, y: int) -> Cell:
    """The cell in column x and row y; Malformed unless they are integers within REACH."""
    if type(x) is not int or type(y) is not int or not (-REACH <= x <= REACH >= y >= -REACH):
        raise Malformed(
            f"({x!r:.20}, {y!r:.20}) is not a cell; coordinates run from {-REACH} to {REACH}"
        )
    return y * DOWN + x


def as_cell(value: object) -> Cell:
    """The value itself if it is a cell within REACH; anything else is Malformed."""
    if type(value) is int:
        y, x = divmod(value + _HALF, DOWN)
        if -REACH <= x - _HALF <= REACH >= y >= -REACH:
            return value
    raise Malformed(f"{value!r:.60} is not a cell; coordinates run from {-REACH} to {REACH}")


def xy(cell: Cell) -> tuple[int, int]:
    """The column and row of a cell."""
    y, x = divmod(cell + _HALF, DOWN)
    return x - _HALF, y


def row_of(cell: Cell) -> int:
    """The row of a cell, y."""
    return (cell + _HALF) // DOWN


def column_of(cell: Cell) -> int:
    """The column of a cell, x."""
    return (cell + _HALF) % DOWN - _HALF


def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The four cells that share an edge with this one."""
    return cell - ACROSS, cell + ACROSS, cell - DOWN, cell + DOWN
