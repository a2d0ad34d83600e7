"""Tiles: six colours and six shapes make 36 kinds, with three copies of each.

Copies of a kind are indistinguishable, so a tile is the number of its kind:
``6 * colour + shape``, from 0 (red circle) to 35 (purple cross). A set of kinds is
an ``int`` with one bit per kind.
"""

from collections.abc import Iterable, Sequence

from service.rules.errors import Malformed

Tile = int
Kinds = int

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple")
SHAPES = ("circle", "square", "diamond", "star", "clover", "cross")
COPIES = 3
HAND_SIZE = 6

TILES = range(len(COLOURS) * len(SHAPES))
NAMES = tuple(f"{colour}-{shape}" for colour in COLOURS for shape in SHAPES)
BIT = tuple(1 << tile for tile in TILES)
ALL_KINDS: Kinds = (1 << len(TILES)) - 1
WHOLE_BAG = tuple(tile for tile in TILES for _ in range(COPIES))

_BY_NAME = {name: tile for tile, name in enumerate(NAMES)}


def tile_named(name: object) -> Tile:
    """The tile written ``red-circle``; anything else is Malformed."""
    tile = _BY_NAME.get(name) if isinstance(name, str) else None
    if tile is None:
        raise Malformed(f"{name!r:.60} is not a tile; a tile is written like 'red-circle'")
    return tile


def name_of(tile: Tile) -> str:
    """The name of a tile, ``red-circle``."""
    return NAMES[as_tile(tile)]


def as_tile(value: object) -> Tile:
    """The value itself if it is the number of a kind; anything else is Malformed."""
    if type(value) is not int or not 0 <= value < len(TILES):
        raise Malformed(f"{value!r:.60} is not a tile; tiles are numbered 0 to {len(TILES) - 1}")
    return value


def as_tiles(values: Iterable[object]) -> tuple[Tile, ...]:
    """The values as tiles in the order given; Malformed if one of them is not a tile."""
    if not isinstance(values, Iterable):
        raise Malformed(f"{values!r:.60} is not a list of tiles")
    return tuple(map(as_tile, values))


def kinds_of(tiles: Iterable[Tile]) -> Kinds:
    """The set of kinds among the tiles."""
    kinds = 0
    for tile in tiles:
        kinds |= BIT[tile]
    return kinds


def in_kind_order(kinds: Kinds) -> list[Tile]:
    """The kinds of a set, lowest first."""
    found = []
    while kinds:
        lowest = kinds & -kinds
        found.append(lowest.bit_length() - 1)
        kinds ^= lowest
    return found


def missing_from(hand: Sequence[Tile], wanted: Iterable[Tile]) -> tuple[Tile, ...]:
    """The wanted tiles that the hand lacks, each as often as it is missing."""
    rest = list(hand)
    missing = []
    for tile in wanted:
        if tile in rest:
            rest.remove(tile)
        else:
            missing.append(tile)
    return tuple(sorted(missing))


def without(hand: Iterable[Tile], gone: Iterable[Tile]) -> tuple[Tile, ...]:
    """The hand without the given tiles, which it must hold."""
    rest = list(hand)
    for tile in gone:
        rest.remove(tile)
    return tuple(rest)
