"""Every legal play of a hand, the best by points, and whether there is any.

Each play is found exactly once. A play of one tile is found at its cell. A play of several
along an axis is found at the first of its cells, in reading order, that is open (touches a tile
on the table): before that cell it can only use cells that touch nothing, after it any empty
cell, skipping the tiles in between.

Plays are found in a defined order, so that a bot which picks one by its number picks the same one
everywhere: the open cells in reading order; on each cell the tiles in kind order; for each tile
first the tile alone, then what extends it in its row, to the right before to the left, then what
extends it in its column, down before up.
"""

from collections.abc import Iterable, Iterator

from service.rules.board import Board, Placement, Strand
from service.rules.cells import ACROSS, DOWN, Cell
from service.rules.lines import POINTS, ROOM, Line
from service.rules.opening_plays import least_openings, openings
from service.rules.plays import Play
from service.rules.tiles import (
    ALL_KINDS,
    BIT,
    TILES,
    Kinds,
    Tile,
    as_tiles,
    in_kind_order,
    kinds_of,
)
from service.rules.yielding import Pause, no_pause

SearchTerms = tuple[Board, tuple[Tile, ...], int | None]
"""A board, a hand, and the length that the opener has bid or None after the opening."""

# For each tile, the kinds that come after it.
_ABOVE = tuple(ALL_KINDS & ~((BIT[tile] << 1) - 1) for tile in TILES)

# A hostile board has 35,000 plays. They are found in parts of this size, about 3 ms each.
_PART = 1000


def each_play(
    board: Board, hand: Iterable[Tile], opening: int | None = None, pause: Pause = no_pause
) -> Iterator[Play]:
    """Every distinct legal play, with its points and lines, in the order of finding them.

    ``opening`` is the length that the opener has bid, or None after the opening. ``pause`` is
    called after about every thousand plays.
    """
    kinds = kinds_of(as_tiles(hand))
    if opening is not None:
        return _in_turn(openings(kinds, opening), pause)
    return _in_turn(_Search(board, kinds, every_order=True).run(), pause)


def legal_plays(board: Board, hand: Iterable[Tile], opening: int | None = None) -> list[Play]:
    """All plays of ``each_play``."""
    return list(each_play(board, hand, opening))


def best_play(
    board: Board, hand: Iterable[Tile], opening: int | None = None, pause: Pause = no_pause
) -> Play | None:
    """The first of the legal plays in the order of ``by_points``, or None if there is none.

    Tiles on cells that touch nothing but this play score the same in any order, so only
    one order is considered.
    """
    kinds = kinds_of(as_tiles(hand))
    if opening is not None:
        parts = openings(kinds, opening)
    else:
        parts = _Search(board, kinds, every_order=False).run()
    return min(_in_turn(parts, pause), key=by_points, default=None)


def least_play(board: Board, hand: Iterable[Tile], opening: int | None = None) -> Play | None:
    """The first of the legal plays in the order of ``by_least``, or None if there is none.

    Openings score the same, so the tiles that come first in kind order decide. Later, of several
    tiles one that touches the table can be laid alone, and scores no more: each of its
    lines is part of one of theirs. So single tiles decide, of which there are few on any table.
    """
    kinds = kinds_of(as_tiles(hand))
    plays = _singles(board, kinds) if opening is None else least_openings(kinds, opening)
    return min(plays, key=by_least, default=None)


def _in_turn(parts: Iterator[list[Play]], pause: Pause) -> Iterator[Play]:
    for number, part in enumerate(parts):
        if number:
            pause()
        yield from part


def any_play(board: Board, hand: Iterable[Tile]) -> bool:
    """Whether the hand has a legal play after the opening.

    If several tiles can be placed, then one of them that touches the table can be placed
    alone: each of its lines is part of a valid line. So checking single tiles is enough.
    """
    return board.takes_any(kinds_of(as_tiles(hand)))


def by_points(play: Play) -> tuple[int, int, tuple[tuple[Cell, Tile], ...]]:
    """A sort key for plays: most points first, then fewest tiles, then reading order."""
    return -play.points, len(play.placements), play.placements


def by_least(play: Play) -> tuple[int, int, tuple[tuple[Cell, Tile], ...]]:
    """Sorts plays: fewest points first, then fewest tiles, then in reading order."""
    return play.points, len(play.placements), play.placements


# An axis: its step, the index of its strand in a spot, that of the other axis, and its step.
_Axis = tuple[int, int, int, int]
_ROW: _Axis = (ACROSS, 1, 2, DOWN)
_COLUMN: _Axis = (DOWN, 2, 1, ACROSS)


class _Members(dict[Kinds, tuple[tuple[Tile, Kinds], ...]]):
    """The tiles of a set of kinds with their bits, computed once per set."""

    def __missing__(self, kinds: Kinds) -> tuple[tuple[Tile, Kinds], ...]:
        self[kinds] = members = tuple((tile, BIT[tile]) for tile in in_kind_order(kinds))
        return members


class _Search:
    """All plays of a hand on a board with tiles; the hot path of the whole service.

    A hand's set of kinds is enough: no line holds a kind twice. ``line`` is the set of
    kinds in the line being built, ``room`` the kinds of the hand that can still be added to it,
    ``crossings`` the lines formed across it and ``crossed`` their points. Points and lines
    depend on the cells alone, so they are made once for all the tiles that suit a cell.
    Without ``every_order`` neighbouring cells that touch nothing are filled in kind
    order only: ``above`` and ``below`` keep to it.
    """

    __slots__ = ("every_order", "kinds", "members", "plays", "spots")

    def __init__(self, board: Board, kinds: Kinds, *, every_order: bool) -> None:
        self.kinds = kinds
        self.spots = board.spots
        self.every_order = every_order
        self.members = _Members()
        self.plays: list[Play] = []

    def run(self) -> Iterator[list[Play]]:
        """Every play, part by part, each found from the first open cell that it covers."""
        for cell in sorted(self.spots):
            fit, row, column = self.spots[cell]
            suiting = fit & self.kinds
            if suiting:
                yield from self._from(cell, suiting, row, column)
        yield self.plays

    def _from(
        self, cell: Cell, suiting: Kinds, row: Strand, column: Strand
    ) -> Iterator[list[Play]]:
        """The single tile on this cell, and what can be added to it along either axis.

        Yields the plays found so far whenever they fill a part.
        """
        row_lines, row_points = _line_of(cell, row, ACROSS)
        column_lines, column_points = _line_of(cell, column, DOWN)
        points = row_points + column_points
        lines = tuple(sorted(row_lines + column_lines))
        ways = ((_ROW, row, column_lines, column_points), (_COLUMN, column, row_lines, row_points))
        for tile, bit in self.members[suiting]:
            laid = ((cell, tile),)
            self.plays.append(Play(laid, points, lines))
            for axis, (_, standing, line, reach, _), crossings, crossed in ways:
                room = ROOM[line | bit] & self.kinds
                if not room:
                    continue
                step = axis[0]
                onward = cell + step * (reach + 1)
                start = cell - step * (standing - reach)
                self._after(
                    onward, axis, start, line | bit, standing + 1, room,
                    crossings, crossed, laid, ALL_KINDS,
                )  # fmt: skip
                if standing == reach and cell - step not in self.spots:
                    self._before(
                        cell - step, axis, line | bit, standing + 1, room,
                        crossings, crossed, laid, onward, ALL_KINDS,
                    )  # fmt: skip
            if len(self.plays) >= _PART:
                yield self.plays
                self.plays = []

    def _after(  # noqa: PLR0917  # positional arguments are the cheapest, and this is hot
        self, cell: Cell, axis: _Axis, start: Cell, line: Kinds, length: int, room: Kinds,
        crossings: tuple[Line, ...], crossed: int, placed: tuple[Placement, ...], above: Kinds,
    ) -> None:  # fmt: skip
        """Extend the line over its far end: to the right, or down."""
        step, along, across, cross_step = axis
        spot = self.spots.get(cell)
        kinds = self.kinds
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
            fit, crossing, _, below, _ = spot[across]  # type: ignore[misc]  # 2 or 1: a strand
            suiting = room & fit
            if not suiting:
                return
            if crossing:
                cross = Line(cell - cross_step * (crossing - below), cross_step, crossing + 1)
                crossings = (*crossings, cross)
                crossed += POINTS[crossing + 1]
            onward = cell + step * (reach + 1)
        length += 1
        points = crossed + POINTS[length]
        lines = tuple(sorted((Line(start, step, length), *crossings)))
        free_order = self.every_order or spot is not None
        for tile, bit in self.members[suiting]:
            laid = (*placed, (cell, tile))
            self.plays.append(Play(laid, points, lines))
            more = ROOM[line | bit] & kinds
            if more:
                self._after(
                    onward, axis, start, line | bit, length, more,
                    crossings, crossed, laid, ALL_KINDS if free_order else _ABOVE[tile],
                )  # fmt: skip

    def _before(  # noqa: PLR0917  # positional arguments are the cheapest, and this is hot
        self, cell: Cell, axis: _Axis, line: Kinds, length: int, room: Kinds,
        crossings: tuple[Line, ...], crossed: int, placed: tuple[Placement, ...],
        onward: Cell, below: Kinds,
    ) -> None:  # fmt: skip
        """Extend the line over its near end, where it touches nothing: to the left, or up."""
        step = axis[0]
        length += 1
        points = crossed + POINTS[length]
        lines = tuple(sorted((Line(cell, step, length), *crossings)))
        further = cell - step
        bare = further not in self.spots
        for tile, bit in self.members[room & below]:
            laid = ((cell, tile), *placed)
            self.plays.append(Play(laid, points, lines))
            more = ROOM[line | bit] & self.kinds
            if not more:
                continue
            self._after(
                onward, axis, cell, line | bit, length, more, crossings, crossed, laid, ALL_KINDS
            )
            if bare:
                self._before(
                    further, axis, line | bit, length, more, crossings, crossed, laid,
                    onward, ALL_KINDS if self.every_order else bit - 1,
                )  # fmt: skip


def _line_of(cell: Cell, strand: Strand, step: int) -> tuple[tuple[Line, ...], int]:
    """The line that a tile on this open cell makes along one axis, if any, and its points."""
    _, standing, _, reach, _ = strand
    if not standing:
        return (), 0
    return (Line(cell - step * (standing - reach), step, standing + 1),), POINTS[standing + 1]


def _singles(board: Board, kinds: Kinds) -> Iterator[Play]:
    """Every play of a single tile."""
    for cell, (fit, row, column) in board.spots.items():
        for tile in in_kind_order(fit & kinds):
            row_lines, row_points = _line_of(cell, row, ACROSS)
            column_lines, column_points = _line_of(cell, column, DOWN)
            lines = tuple(sorted(row_lines + column_lines))
            yield Play(((cell, tile),), row_points + column_points, lines)
