"""What a bot can choose in its turn, and how the rules carry it out."""

from collections.abc import Callable
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


class Forfeit(Exception):
    """A player that is not one of our bots has lost the game: it gave no legal action in time.

    ``reason`` is one of ``FORFEITS``, ``detail`` says more.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


FORFEITS = ("timeout", "crash", "illegal action")

# A player that is not one of our bots: from the newest step of a game, its seat and a name for the
# game it makes the next step, or forfeits.
Outsider = Callable[[Step, int, str], Step]


def perform(game: Game, seat: int, action: Action) -> Step:
    """Carry out the action by the rules."""
    match action:
        case Place(placements):
            return place(game, seat, placements)
        case Exchange(tiles):
            return exchange(game, seat, tiles)
        case Pass():
            return pass_turn(game, seat)
