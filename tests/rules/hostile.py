"""A legal table on which a hand has 35,234 plays, which one request must not hold others up for."""

import json
from pathlib import Path
from typing import Any

from service.rules.actions import create
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.setup import Setup
from service.rules.state import Game
from service.rules.tiles import Tile, tile_named
from tests.rules.tables import SEED, entrants

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
    """The table with seat 0, who holds the hand, in turn."""
    setup = Setup(BOARD, (HAND, other), bag, turn=0)
    return create(SEED, entrants(2), setup=setup).game
