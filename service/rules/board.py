"""The table: which tile is where, and what could be placed on each open cell.

A board never changes; placing tiles gives a new one.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from service.rules.cells import ACROSS, AXES, DOWN, Cell, neighbours
from service.rules.lines import ROOM
from service.rules.tiles import ALL_KINDS, BIT, Kinds, Tile

Placement = tuple[Cell, Tile]

# One axis through an open cell: the kinds that fit its line, how many tiles the line has and of
# which kinds, then the same two for the part after the cell (to the right, or below).
Strand = tuple[Kinds, int, Kinds, int, Kinds]

# An open cell: the kinds that fit both of its lines, then its row and its column.
Spot = tuple[Kinds, Strand, Strand]

# Tiles in a row without a gap: how many, and of which kinds.
_Run = tuple[int, Kinds]

_BARE: Strand = (ALL_KINDS, 0, 0, 0, 0)
_NO_RUN: _Run = (0, 0)
_NEWEST = 8


class Board:
    """Tiles on the table, in the order in which they were placed."""

    __slots__ = ("_spots", "_tiles")

    def __init__(
        self,
        tiles: Mapping[Cell, Tile] | Iterable[Placement] = (),
        spots: Mapping[Cell, Spot] | None = None,
    ) -> None:
        """``spots``, if given, must be what the property ``spots`` would compute."""
        self._tiles: dict[Cell, Tile] = dict(tiles)
        self._spots = spots

    @property
    def tiles(self) -> Mapping[Cell, Tile]:
        """The tile on each covered cell; read only."""
        return self._tiles

    @property
    def spots(self) -> Mapping[Cell, Spot]:
        """Every open cell (empty, next to a tile), with what fits there; read only."""
        if self._spots is None:
            self._spots = _all_spots(self._tiles)
        return self._spots

    def with_tiles(self, placements: Sequence[Placement]) -> "Board":
        """The board after placing tiles on empty cells."""
        tiles = self._tiles | dict(placements)
        spots = self._spots
        if spots is not None:
            spots = _spots_after(spots, tiles, [cell for cell, _ in placements])
        after = Board((), spots)
        after._tiles = tiles  # a new dict already: no need to copy it
        return after

    def takes_any(self, kinds: Kinds) -> bool:
        """Whether a tile of one of these kinds fits some open cell."""
        if self._spots is None:
            # Almost always there is room next to one of the newest tiles: look there first.
            tiles = self._tiles
            for covered in islice(reversed(tiles), _NEWEST):
                for cell in neighbours(covered):
                    if cell not in tiles and _fit(tiles, cell) & kinds:
                        return True
        return any(fit & kinds for fit, _, _ in self.spots.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._tiles == other._tiles

    def __hash__(self) -> int:
        return hash(frozenset(self._tiles.items()))

    def __len__(self) -> int:
        return len(self._tiles)

    def __repr__(self) -> str:
        return f"Board({list(self._tiles.items())!r})"


def _between(before: _Run, after: _Run) -> Strand:
    """The axis of an open cell between two runs: a tile placed there joins them into one line."""
    before_length, before_kinds = before
    length, kinds = after
    joined = before_kinds | kinds
    room = 0 if before_kinds & kinds else ROOM.get(joined, 0)
    return room, before_length + length, joined, length, kinds


def run_of(tiles: Mapping[Cell, Tile], cell: Cell, direction: int) -> _Run:
    """How many tiles follow without a gap from this cell in one direction, and of which kinds."""
    length = kinds = 0
    while cell in tiles:
        kinds |= BIT[tiles[cell]]
        length += 1
        cell += direction
    return length, kinds


def _fit(tiles: Mapping[Cell, Tile], cell: Cell) -> Kinds:
    """The kinds that fit both lines of an open cell; cheaper than the whole spot."""
    fit = ALL_KINDS
    for step in AXES:
        before = after = 0
        at = cell - step
        while at in tiles:
            before |= BIT[tiles[at]]
            at -= step
        at = cell + step
        while at in tiles:
            after |= BIT[tiles[at]]
            at += step
        fit &= 0 if before & after else ROOM.get(before | after, 0)
        if not fit:
            break
    return fit


def _spot(tiles: Mapping[Cell, Tile], cell: Cell) -> Spot:
    row = _between(run_of(tiles, cell - ACROSS, -ACROSS), run_of(tiles, cell + ACROSS, ACROSS))
    column = _between(run_of(tiles, cell - DOWN, -DOWN), run_of(tiles, cell + DOWN, DOWN))
    return row[0] & column[0], row, column


def _strands(tiles: Mapping[Cell, Tile], step: int) -> dict[Cell, Strand]:
    """One axis of every open cell that has a tile before or after it on that axis."""
    before: dict[Cell, _Run] = {}
    after: dict[Cell, _Run] = {}
    for cell in tiles:
        if cell - step not in tiles:
            run = run_of(tiles, cell, step)
            after[cell - step] = run
            before[cell + step * run[0]] = run
    return {
        cell: _between(before.get(cell, _NO_RUN), after.get(cell, _NO_RUN))
        for cell in before.keys() | after.keys()
    }


def _all_spots(tiles: Mapping[Cell, Tile]) -> dict[Cell, Spot]:
    rows = _strands(tiles, ACROSS)
    columns = _strands(tiles, DOWN)
    spots = {}
    for cell in sorted(rows.keys() | columns.keys()):
        row = rows.get(cell, _BARE)
        column = columns.get(cell, _BARE)
        spots[cell] = row[0] & column[0], row, column
    return spots


def _spots_after(
    spots: Mapping[Cell, Spot], tiles: Mapping[Cell, Tile], laid: list[Cell]
) -> dict[Cell, Spot]:
    """The open cells after tiles were placed: only the ends of their lines have changed."""
    left = dict(spots)
    ends = set()
    for cell in laid:
        left.pop(cell, None)
        for direction in (-ACROSS, ACROSS, -DOWN, DOWN):
            end = cell + direction
            while end in tiles:
                end += direction
            ends.add(end)
    for cell in ends:
        left[cell] = _spot(tiles, cell)
    return left
