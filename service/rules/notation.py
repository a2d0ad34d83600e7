"""A compact text notation for tiles, boards and plays; parse and format come in pairs.

A tile is two characters, its colour ``r o y g b p`` and its shape ``o s d * c x`` (circle,
square, diamond, star, clover, cross): ``ro`` is the red circle, ``b*`` the blue star.
Tiles are separated by spaces. A placement is ``b*@2,-1`` (column, row). A board
is drawn as rows of tiles with ``..`` on empty cells, below a line ``@x,y`` with the
column and row of the drawing's upper left corner; without that line it is ``@0,0``.
"""

import re
from collections.abc import Iterable

from service.rules.board import Board, Placement
from service.rules.cells import Cell, cell_at, column_of, row_of, xy
from service.rules.errors import Malformed
from service.rules.tiles import TILES, Tile, as_tile

EMPTY = ".."

_COLOURS = "roygbp"
_SHAPES = "osd*cx"
_WRITTEN = tuple(colour + shape for colour in _COLOURS for shape in _SHAPES)
_READ = dict(zip(_WRITTEN, TILES, strict=True))
_CORNER = re.compile(r"@(-?\d{1,4}),(-?\d{1,4})")


def format_tile(tile: Tile) -> str:
    """The two characters of a tile."""
    return _WRITTEN[as_tile(tile)]


def parse_tile(text: object) -> Tile:
    """The tile written with these two characters."""
    tile = _READ.get(text) if isinstance(text, str) else None
    if tile is None:
        raise Malformed(
            f"{text!r:.20} is not a tile; write a colour of {_COLOURS} and a shape of {_SHAPES}"
        )
    return tile


def format_tiles(tiles: Iterable[Tile]) -> str:
    """The tiles in the order given, separated by spaces."""
    return " ".join(map(format_tile, tiles))


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """The tiles in the order written."""
    return tuple(map(parse_tile, text.split()))


def format_play(placements: Iterable[Placement]) -> str:
    """The placements in the order given, separated by spaces."""
    return " ".join(
        f"{format_tile(tile)}@{column_of(cell)},{row_of(cell)}" for cell, tile in placements
    )


def parse_play(text: str) -> tuple[Placement, ...]:
    """The placements in the order written."""
    return tuple(map(_parse_placement, text.split()))


def _parse_placement(text: str) -> Placement:
    return _parse_corner(text[2:]), parse_tile(text[:2])


def _parse_corner(text: str) -> Cell:
    corner = _CORNER.fullmatch(text)
    if corner is None:
        raise Malformed(f"{text!r:.20} is not a place; write @column,row")
    return cell_at(int(corner[1]), int(corner[2]))


def format_board(board: Board) -> str:
    """The drawing of a board, including its corner; an empty string for an empty board."""
    if not len(board):
        return ""
    columns, rows = zip(*map(xy, board.tiles), strict=True)
    drawn = [
        " ".join(
            _WRITTEN[board.tiles[cell]] if (cell := cell_at(x, y)) in board.tiles else EMPTY
            for x in range(min(columns), max(columns) + 1)
        )
        for y in range(min(rows), max(rows) + 1)
    ]
    return "\n".join([f"@{min(columns)},{min(rows)}", *drawn])


def parse_board(text: str) -> Board:
    """The board of a drawing."""
    rows = [row.split() for row in text.strip().splitlines()]
    corner = 0
    if rows and rows[0] and rows[0][0].startswith("@"):
        corner = _parse_corner(" ".join(rows.pop(0)))
    left, top = xy(corner)
    return Board(
        (cell_at(left + x, top + y), parse_tile(tile))
        for y, row in enumerate(rows)
        for x, tile in enumerate(row)
        if tile != EMPTY
    )
