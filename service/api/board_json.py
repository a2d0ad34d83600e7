"""The tiles on a board as JSON, put together from parts that are written once.

A game in full swing has some fifty tiles, and every view of it shows them all: a dictionary for
each of them, written out anew every time, was the dearest part of a view.
"""

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from service.rules.cells import Cell, column_of, row_of
from service.rules.tiles import NAMES, Tile

KEPT_REACH: Final = 50
"""How far from the middle a cell's part is kept; boards that reach further are hardly ever seen."""

KEPT_TURNS: Final = 200

_HEAD: Final = b'{"tile":"'


def board_text(tiles: Mapping[Cell, Tile], laid: Sequence[int]) -> bytes:
    """A list of what lies where, each tile with the number of the turn in which it was laid.

    ValueError unless there are as many turns as tiles.
    """
    parts = [b""] * (3 * len(tiles))
    parts[0::3] = _each(_TILES, tiles.values())
    parts[1::3] = _each(_CELLS, tiles)
    parts[2::3] = _each(_TURNS, laid)
    return b"[" + b"".join(parts)[1:] + b"]"


def _each(parts: Any, which: Collection[int]) -> Collection[bytes]:
    """The part of each. An `itemgetter` is the quickest way to several, and gives one as itself."""
    if len(which) > 1:
        found: tuple[bytes, ...] = itemgetter(*which)(parts)
        return found
    return [parts[each] for each in which]


class _Cells(dict[Cell, bytes]):
    """The part of each cell; those near the middle are kept once they have been asked for."""

    def __missing__(self, cell: Cell) -> bytes:
        x, y = column_of(cell), row_of(cell)
        part = b'","x":%d,"y":%d,"turn":' % (x, y)
        if max(abs(x), abs(y)) <= KEPT_REACH:
            self[cell] = part
        return part


class _Turns(dict[int, bytes]):
    """The part of each turn; those of an endless game are not kept."""

    def __missing__(self, turn: int) -> bytes:
        part = b"%d}" % turn
        if turn <= KEPT_TURNS:
            self[turn] = part
        return part


_TILES: Final = tuple(b"," + _HEAD + name.encode() for name in NAMES)
_CELLS: Final = _Cells()
_TURNS: Final = _Turns()
