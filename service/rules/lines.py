"""Lines: what two or more touching tiles in a row or column have to be.

In a line all tiles share one colour and differ in shape, or share one shape and differ
in colour. So a line has at most six tiles and holds no kind twice.
"""

from itertools import combinations
from typing import NamedTuple

from service.rules.cells import Cell
from service.rules.tiles import ALL_KINDS, COLOURS, SHAPES, Kinds, kinds_of

LONGEST = 6
QWIRKLE_BONUS = 6

# Points of a line by its length: one per tile, six more for a Qwirkle; one tile is not a line.
POINTS = (0, 0, 2, 3, 4, 5, LONGEST + QWIRKLE_BONUS)

# The twelve possible complete lines: the six tiles of each colour and of each shape.
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


# For every valid line, and for the empty one: the kinds that can be added to it. Sets of kinds
# that make no valid line are not in here. A set cannot hold a kind twice: code that joins two
# sets has to check that they are disjoint.
ROOM: dict[Kinds, Kinds] = _rooms()


class Line(NamedTuple):
    """A line on the table: its first cell, the step to the next one (row or column), its length."""

    start: Cell
    step: int
    length: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the line, from left to right or from top to bottom."""
        return tuple(range(self.start, self.start + self.step * self.length, self.step))

    @property
    def points(self) -> int:
        """One point per tile, and six more for a Qwirkle."""
        return POINTS[self.length]

    @property
    def qwirkle(self) -> bool:
        """Whether the line is complete."""
        return self.length == LONGEST


def longest_line(tiles: tuple[int, ...]) -> int:
    """The length of the longest line that the tiles can form; copies count once."""
    kinds = kinds_of(tiles)
    return max((kinds & family).bit_count() for family in FAMILIES)
