"""The tiles on a board as JSON, put together from cached parts.

A running game has about fifty tiles, and every view shows them all: making and serializing a
dictionary for each of them was the most expensive part of a view.
"""

from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from service.rules.cells import Cell, column_of, row_of
from service.rules.tiles import NAMES, Tile

KEPT_REACH: Final = 50
"""How far from the centre a cell's part is cached; boards rarely reach further."""

KEPT_TURNS: Final = 200

_HEAD: Final = b'{"tile":"'


def board_text(tiles: Mapping[Cell, Tile], laid: Sequence[int]) -> bytes:
    """A list of the tiles with their cells and the turns in which they were placed.

    ValueError unless there are as many turns as tiles.
    """
    parts = [b""] * (3 * len(tiles))
    parts[0::3] = _each(_TILES, tiles.values())
    parts[1::3] = _each(_CELLS, tiles)
    parts[2::3] = _each(_TURNS, laid)
    return b"[" + b"".join(parts)[1:] + b"]"


def _each(parts: Any, which: Collection[int]) -> Collection[bytes]:
    """The part of each. `itemgetter` is the fastest way, but returns no tuple for a single key."""
    if len(which) > 1:
        found: tuple[bytes, ...] = itemgetter(*which)(parts)
        return found
    return [parts[each] for each in which]


class _Cells(dict[Cell, bytes]):
    """The part of each cell; those near the centre are cached."""

    def __missing__(self, cell: Cell) -> bytes:
        x, y = column_of(cell), row_of(cell)
        part = b'","x":%d,"y":%d,"turn":' % (x, y)
        if max(abs(x), abs(y)) <= KEPT_REACH:
            self[cell] = part
        return part


class _Turns(dict[int, bytes]):
    """The part of each turn; those of an endless game are not cached."""

    def __missing__(self, turn: int) -> bytes:
        part = b"%d}" % turn
        if turn <= KEPT_TURNS:
            self[turn] = part
        return part


_TILES: Final = tuple(b"," + _HEAD + name.encode() for name in NAMES)
_CELLS: Final = _Cells()
_TURNS: Final = _Turns()
