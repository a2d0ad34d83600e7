"""What a bot can choose in its turn, and how the rules carry it out."""

from dataclasses import dataclass

from service.rules.actions import Step, exchange, pass_turn, place
from service.rules.board import Placement
from service.rules.state import Game
from service.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class Place:
    """Place these tiles on these cells."""

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange these tiles for others from the bag."""

    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass: no tile fits and the bag is empty."""


Action = Place | Exchange | Pass


def perform(game: Game, seat: int, action: Action) -> Step:
    """Carry out the action by the rules."""
    match action:
        case Place(placements):
            return place(game, seat, placements)
        case Exchange(tiles):
            return exchange(game, seat, tiles)
        case Pass():
            return pass_turn(game, seat)
