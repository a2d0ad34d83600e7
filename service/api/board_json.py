"""The tiles on a board as JSON, put together from cached parts.

A running game has about fifty tiles, and every view shows them all: making and serializing a
dictionary for each of them was the most expensive part of a view.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from service.rules.cells import Cell, xy
from service.rules.tiles import NAMES, Tile

_TILES: Final = tuple(b',{"tile":"' + name.encode() for name in NAMES)


def board_text(tiles: Mapping[Cell, Tile], laid: Sequence[int]) -> bytes:
    """A list of the tiles with their cells and the turns in which they were placed.

    ValueError unless there are as many turns as tiles.
    """
    parts = [b""] * (3 * len(tiles))
    parts[0::3] = [_TILES[tile] for tile in tiles.values()]
    parts[1::3] = map(_cell, tiles)
    parts[2::3] = map(_turn, laid)
    return b"[" + b"".join(parts)[1:] + b"]"


@lru_cache(8192)
def _cell(cell: Cell) -> bytes:
    return b'","x":%d,"y":%d,"turn":' % xy(cell)


@lru_cache(256)
def _turn(turn: int) -> bytes:
    return b"%d}" % turn
