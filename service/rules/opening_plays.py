"""The plays of the opener: lines of the length bid, over the middle of the table."""

from collections.abc import Iterator
from itertools import combinations, permutations

from service.rules.cells import ACROSS, AXES, CENTRE
from service.rules.lines import FAMILIES, Line
from service.rules.plays import Play
from service.rules.tiles import Kinds, Tile, in_kind_order


def openings(kinds: Kinds, length: int) -> Iterator[list[Play]]:
    """Every opening play, a list for each line of cells: first those in the row."""
    choices = sorted(_choices(kinds, length))
    for line in _lines(length):
        yield [_play(line, order) for some in choices for order in permutations(some)]


def least_openings(kinds: Kinds, length: int) -> list[Play]:
    """The openings with the tiles that come first in kind order, in that order, on every line."""
    first = min(_choices(kinds, length), default=None)
    return [_play(line, first) for line in _lines(length)] if first else []


def _choices(kinds: Kinds, length: int) -> set[tuple[Tile, ...]]:
    """The sets of so many tiles that make a line, each in kind order."""
    return {
        some for family in FAMILIES for some in combinations(in_kind_order(kinds & family), length)
    }


def _lines(length: int) -> Iterator[Line]:
    for step in AXES if length > 1 else (ACROSS,):
        for start in range(CENTRE - step * (length - 1), CENTRE + step, step):
            yield Line(start, step, length)


def _play(line: Line, tiles: tuple[Tile, ...]) -> Play:
    lines = (line,) if len(tiles) > 1 else ()
    return Play(tuple(zip(line.cells, tiles, strict=True)), line.points, lines)
