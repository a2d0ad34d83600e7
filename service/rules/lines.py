"""Lines: what two or more touching tiles in a row or column must be.

In a line all tiles share one colour and differ in shape, or share one shape and differ
in colour. So a line has at most six tiles and holds no kind twice.
"""

from itertools import combinations
from typing import NamedTuple

from service.rules.cells import Cell
from service.rules.tiles import ALL_KINDS, COLOURS, SHAPES, Kinds, kinds_of

LONGEST = 6
QWIRKLE_BONUS = 6

# Points of a line by its length: one a tile, six more for a Qwirkle; a single tile is no line.
POINTS = (0, 0, 2, 3, 4, 5, LONGEST + QWIRKLE_BONUS)

# The twelve complete lines there can be: the six tiles of a colour, the six of a shape.
FAMILIES: tuple[Kinds, ...] = (
    *(kinds_of(range(6 * colour, 6 * colour + 6)) for colour in range(len(COLOURS))),
    *(kinds_of(range(shape, 36, 6)) for shape in range(len(SHAPES))),
)


def _rooms() -> dict[Kinds, Kinds]:
    rooms = {0: ALL_KINDS}
    for family in FAMILIES:
        tiles = [tile for tile in range(36) if family >> tile & 1]
        for size in range(1, LONGEST + 1):
            for some in combinations(tiles, size):
                kinds = kinds_of(some)
                rooms[kinds] = rooms.get(kinds, 0) | family & ~kinds
    return rooms


# For the tiles of every valid line (and of none): the kinds that may still join it.
# Tiles that make no valid line are not in here. A kind twice cannot be seen in a set of
# kinds: who joins two sets must see to it that they are disjoint.
ROOM: dict[Kinds, Kinds] = _rooms()


class Line(NamedTuple):
    """A line on the table: its first cell, the step to the next (a row or a column), its length."""

    start: Cell
    step: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the line, from left to right or from top to bottom."""
        return tuple(range(self.start, self.start + self.step * self.length, self.step))

    @property
    def points(self) -> int:
        """One point a tile, and six more for a Qwirkle."""
        return POINTS[self.length]

    @property
    def qwirkle(self) -> bool:
        """Whether the line is complete."""
        return self.length == LONGEST


def longest_line(tiles: tuple[int, ...]) -> int:
    """The length of the longest line that the tiles can form: copies count once."""
    kinds = kinds_of(tiles)
    return max((kinds & family).bit_count() for family in FAMILIES)
