"""Draw a game in a terminal: tiles as coloured shapes, or as two characters without colour."""

import os
from collections.abc import Iterable, Mapping
from typing import TextIO

from service.rules.board import Board
from service.rules.cells import Cell, cell_at, xy
from service.rules.notation import EMPTY, format_tile
from service.rules.state import Game
from service.rules.tiles import SHAPES, WHOLE_BAG, Tile

# Red, orange, yellow, green, blue and purple in the palette of 256 colours.
_COLOURS = (196, 208, 226, 40, 39, 171)
_SHAPES = "●■◆★♣✚"
LEGEND = (
    "Without colour a tile is two characters: its colour r, o, y, g, b, p (red, orange, yellow, "
    "green, blue, purple) and its shape o, s, d, *, c, x (circle, square, diamond, star, clover, "
    "cross)."
)
"""How to read a tile that is not drawn in colour."""
_LATEST = "\x1b[48;5;238m"
_PLAIN = "\x1b[0m"


def wants_colour(out: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the stream is a terminal that can show colours and shapes."""
    encoding = (getattr(out, "encoding", None) or "").lower().replace("-", "")
    dumb = environ.get("TERM", "dumb") == "dumb" or bool(environ.get("NO_COLOR"))
    return out.isatty() and not dumb and encoding == "utf8"


def drawn_tile(tile: Tile, *, colour: bool, latest: bool = False) -> str:
    """A tile, two characters wide."""
    if not colour:
        return format_tile(tile)
    shade = f"\x1b[38;5;{_COLOURS[tile // len(SHAPES)]}m"
    background = _LATEST if latest else ""
    return f"{background}{shade}{_SHAPES[tile % len(SHAPES)]} {_PLAIN}"


def drawn_tiles(tiles: Iterable[Tile], *, colour: bool) -> str:
    """Tiles side by side."""
    return " ".join(drawn_tile(tile, colour=colour).rstrip() for tile in tiles)


def drawn_board(board: Board, latest: Iterable[Cell] = (), *, colour: bool) -> str:
    """The table with numbered columns and rows; the latest tiles are highlighted."""
    if not len(board):
        return "(the table is empty)"
    marked = set(latest)
    columns, rows = zip(*map(xy, board.tiles), strict=True)
    across = range(min(columns), max(columns) + 1)
    margin = max(len(str(row)) for row in rows)
    width = max(len(str(column)) for column in (across[0], across[-1])) + 1
    width = max(width, 3)
    lines = [" " * margin + "".join(f"{column:>{width}}" for column in across)]
    for row in range(min(rows), max(rows) + 1):
        cells = []
        for column in across:
            cell = cell_at(column, row)
            blank = "· " if colour else EMPTY
            tile = board.tiles.get(cell)
            seen = blank if tile is None else drawn_tile(tile, colour=colour, latest=cell in marked)
            cells.append(" " * (width - 2) + seen)
        lines.append(f"{row:>{margin}}" + "".join(cells))
    return "\n".join(lines)


def counted(number: int, thing: str) -> str:
    """A number of things in words: "1 tile", "2 tiles"."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def drawn_players(game: Game, *, hands: bool, colour: bool) -> str:
    """Everybody's points, whose turn it is, and the hands if they are known."""
    lines = []
    for seat, player in game.seated.items():
        turn = ">" if game.mover == seat else " "
        left = " (left)" if player.resigned else ""
        held = counted(len(player.hand), "tile")
        hand = drawn_tiles(player.hand, colour=colour) if hands else held
        lines.append(f"{turn} {seat} {player.name:<16.40} {player.score:>4}  {hand}{left}")
    # Before the deal the state has no bag yet, but every tile is in it.
    undealt = game.phase == "waiting" and not game.positioned
    return "\n".join([*lines, f"  {len(WHOLE_BAG if undealt else game.bag)} in the bag"])
