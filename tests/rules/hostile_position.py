"""A legal position in which a hand has 35,234 plays: finding them must not block other requests."""

import json
from pathlib import Path
from typing import Any

from service.rules.actions import create
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import Tile, tile_named
from tests.rules.positions import SEED, entrants

SETUP: dict[str, Any] = json.loads((Path(__file__).parent / "hostile_setup.json").read_text())[
    "setup"
]
PLAYS = 35_234

BOARD: tuple[Placement, ...] = tuple(
    (cell_at(laid["x"], laid["y"]), tile_named(laid["tile"])) for laid in SETUP["board"]
)
HAND: tuple[Tile, ...] = tuple(map(tile_named, SETUP["hands"][0]))


def hostile_game(
    bag: tuple[Tile, ...] | None = None, other: tuple[Tile, ...] | None = None
) -> Game:
    """The position with seat 0, which has the hand, to move."""
    setup = Setup(BOARD, (HAND, other), bag, turn=0)
    return create(SEED, entrants(2), setup=setup).game
