"""Turns loaded request bodies into the types of the rules."""

from service.api.request import Body
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.starting_position import Setup
from service.rules.tiles import Tile, tile_named


def tiles_of(tiles: list[str]) -> tuple[Tile, ...]:
    """Tiles by their names."""
    return tuple(map(tile_named, tiles))


def placements_of(placements: list[Body]) -> tuple[Placement, ...]:
    """Placements, their tiles by name and their cells by column and row."""
    return tuple(
        (cell_at(placed["x"], placed["y"]), tile_named(placed["tile"])) for placed in placements
    )


def setup_of(setup: Body | None) -> Setup | None:
    """A position to start from."""
    if setup is None:
        return None
    hands, bag, scores = setup["hands"], setup["bag"], setup["scores"]
    return Setup(
        placements_of(setup["board"] or []),
        None
        if hands is None
        else tuple(hand if hand is None else tiles_of(hand) for hand in hands),
        None if bag is None else tiles_of(bag),
        None if scores is None else tuple(scores),
        setup["turn"],
    )
