"""Games that are acted in by numbers, in the compiled core or by the rules."""

from typing import Any, Protocol

from numpy.typing import NDArray

from service import core
from service.rl.actions import Observation
from service.rl.core_games import CoreGames
from service.rl.rules_games import RulesGames

# The columns of a status; the scores follow, for four seats.
MOVER, END, TURN, VERSION, GAINED, SCORES = range(6)


class Games(Protocol):
    """So many games of a number of seats; ``status`` has a row of numbers for each.

    Its columns are the seat to move (-1 once the game has ended), how it ended (0 while it has
    not), the turn, the version, the points of the last action, and the score of each seat.
    """

    status: NDArray[Any]

    def deal(self, at: int, seed: bytes) -> None:
        """Start one of the games anew; all its draws follow from the seed."""

    def refused(self, actions: NDArray[Any]) -> int:
        """The first game in which its action is not legal; -1 if all are."""

    def act(self, actions: NDArray[Any], first: int, last: int) -> None:
        """Carry out the actions, which must be legal, in the games from ``first`` to ``last``."""

    def observe(self, into: Observation, seat: int, first: int, last: int) -> None:
        """Write what a seat sees of these games; seat -1 is the player to move."""


def new_games(count: int, seats: int, plays: int) -> Games:
    """Games that list so many plays, in the core if there is one. All have to be dealt."""
    if core.native is None:
        return RulesGames(count, seats, plays)
    return CoreGames(core.native, count, seats, plays)
