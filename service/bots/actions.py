"""What a bot may decide on in its turn."""

from dataclasses import dataclass

from service.rules.board import Placement
from service.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class Place:
    """Lay these tiles on these cells."""

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Set these tiles aside for others from the bag."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing can be laid and the bag is empty."""


Action = Place | Exchange | Pass
