"""A fast search for plays: only their points and placements.

It finds what ``service.rules.legal_plays`` finds, but builds no lines and no ``Play``, because a
bot considers thousands of plays that are never made. Here a tile is the bit of its kind.
"""

from collections.abc import Mapping

from service.rules.board import Spot, Strand
from service.rules.cells import ACROSS, DOWN, Cell
from service.rules.lines import POINTS, ROOM
from service.rules.tiles import ALL_KINDS, Kinds

# The cells of a play, each with the bit of its tile.
Move = tuple[tuple[Cell, Kinds], ...]

# An axis: its step, the index of its strand in a spot, and that of the other axis.
_Axis = tuple[int, int, int]
_ROW: _Axis = (ACROSS, 1, 2)
_COLUMN: _Axis = (DOWN, 2, 1)

# What a tile scores along one axis of a spot, by the number of tiles already there.
_MADE = (0, *POINTS[2:], 0)


class MoveSearch:
    """The plays of a set of kinds on open cells: the best of them, or all of them.

    ``points`` and ``move`` are those of the best play: most points, then fewest tiles, then
    reading order, as in ``by_points`` of the rules. Without any play ``move`` is empty and
    ``points`` is 0. With ``every`` all plays are listed in ``plays``. Tiles on neighbouring
    cells that touch nothing else score the same in any order, so only one order is tried
    unless ``orders`` asks for all.
    """

    __slots__ = ("_kinds", "_orders", "_spots", "move", "plays", "points")

    def __init__(
        self,
        spots: Mapping[Cell, Spot],
        kinds: Kinds,
        *,
        every: bool = False,
        orders: bool = False,
    ) -> None:
        self._spots = spots
        self._kinds = kinds
        self._orders = orders
        self.points = 0
        self.move: Move = ()
        self.plays: list[tuple[int, Move]] | None = [] if every else None
        for cell, (fit, row, column) in spots.items():
            suiting = fit & kinds
            if suiting:
                self._from(cell, suiting, row, column)

    def _take(self, points: int, move: Move) -> None:
        if self.plays is not None:
            self.plays.append((points, move))
        if points < self.points:
            return
        if points > self.points or (len(move), move) < (len(self.move), self.move):
            self.points = points
            self.move = move

    def _from(self, cell: Cell, suiting: Kinds, row: Strand, column: Strand) -> None:
        kinds = self._kinds
        spots = self._spots
        row_points = _MADE[row[1]]
        column_points = _MADE[column[1]]
        points = row_points + column_points
        if points >= self.points or self.plays is not None:
            left = suiting
            while left:
                bit = left & -left
                left ^= bit
                self._take(points, ((cell, bit),))
        for axis, strand, crossed in (
            (_ROW, row, column_points),
            (_COLUMN, column, row_points),
        ):
            _, standing, line, reach, _ = strand
            step = axis[0]
            onward = cell + step * (reach + 1)
            bare = standing == reach and cell - step not in spots
            left = suiting
            while left:
                bit = left & -left
                left ^= bit
                room = ROOM[line | bit] & kinds
                if room:
                    move = ((cell, bit),)
                    joined = line | bit
                    self._after(onward, axis, joined, standing + 1, room, crossed, move, ALL_KINDS)
                    if bare:
                        self._before(
                            cell - step, axis, joined, standing + 1, room, crossed, move,
                            onward, ALL_KINDS,
                        )  # fmt: skip

    def _after(  # noqa: PLR0917  # positional arguments are the cheapest, and this is hot
        self, cell: Cell, axis: _Axis, line: Kinds, length: int, room: Kinds, crossed: int,
        placed: Move, above: Kinds,
    ) -> None:  # fmt: skip
        """Extend the line over its far end: to the right, or down."""
        step, along, across = axis
        kinds = self._kinds
        spot = self._spots.get(cell)
        if spot is None:
            suiting = room & above
            onward = cell + step
        else:
            _, _, _, reach, beyond = spot[along]  # type: ignore[misc]  # 1 or 2: a strand
            if reach:
                if line & beyond:
                    return
                line |= beyond
                length += reach
                room = ROOM.get(line, 0) & kinds
            fit, crossing, _, _, _ = spot[across]  # type: ignore[misc]  # 2 or 1: a strand
            suiting = room & fit
            if not suiting:
                return
            crossed += _MADE[crossing]
            onward = cell + step * (reach + 1)
        length += 1
        points = crossed + POINTS[length]
        free = spot is not None or self._orders
        wanted = self.plays is not None or points > self.points
        wanted = wanted or (points == self.points and len(placed) < len(self.move))
        while suiting:
            bit = suiting & -suiting
            suiting ^= bit
            more = ROOM[line | bit] & kinds
            if not (more or wanted):
                continue
            move = (*placed, (cell, bit))
            if wanted:
                self._take(points, move)
            if more:
                self._after(
                    onward, axis, line | bit, length, more, crossed, move,
                    ALL_KINDS if free else -(bit << 1),
                )  # fmt: skip

    def _before(  # noqa: PLR0917  # positional arguments are the cheapest, and this is hot
        self, cell: Cell, axis: _Axis, line: Kinds, length: int, room: Kinds, crossed: int,
        placed: Move, onward: Cell, below: Kinds,
    ) -> None:  # fmt: skip
        """Extend the line over its near end, where it touches nothing: to the left, or up."""
        length += 1
        points = crossed + POINTS[length]
        further = cell - axis[0]
        bare = further not in self._spots
        suiting = room & below
        wanted = self.plays is not None or points > self.points
        wanted = wanted or (points == self.points and len(placed) < len(self.move))
        while suiting:
            bit = suiting & -suiting
            suiting ^= bit
            more = ROOM[line | bit] & self._kinds
            if not (more or wanted):
                continue
            move = ((cell, bit), *placed)
            if wanted:
                self._take(points, move)
            if not more:
                continue
            self._after(onward, axis, line | bit, length, more, crossed, move, ALL_KINDS)
            if bare:
                self._before(
                    further, axis, line | bit, length, more, crossed, move, onward,
                    ALL_KINDS if self._orders else bit - 1,
                )  # fmt: skip
