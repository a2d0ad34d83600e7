"""The games of an environment in the compiled core."""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from service.rl.actions import Observation
from service.rules.state import MOST_SEATS

STATUS = 5 + MOST_SEATS


class CoreGames:
    """The games of ``service.rl.games.Games``. Threads can work on different games at once."""

    def __init__(self, native: ModuleType, count: int, seats: int, plays: int) -> None:
        self._native = native
        self._games = native.new_games(count, seats, plays)
        self.status: NDArray[Any] = np.zeros((count, STATUS), np.int32)

    def deal(self, at: int, seed: bytes) -> None:
        """Start one of the games anew."""
        self._native.deal_game(self._games, at, seed, self.status)

    def refused(self, actions: NDArray[Any]) -> int:
        """The first game in which its action is not legal; -1 if all are."""
        return int(self._native.allowed(self._games, actions))

    def act(self, actions: NDArray[Any], first: int, last: int) -> None:
        """Carry out legal actions."""
        refused = self._native.act(self._games, first, last, actions, self.status)
        if refused >= 0:
            raise ValueError(f"action {actions[refused]} is not legal in game {refused}")

    def observe(self, into: Observation, seat: int, first: int, last: int) -> None:
        """Write what a seat sees."""
        arrays = into["observation"], into["board"], into["plays"], into["action_mask"]
        self._native.observe(self._games, first, last, seat, *arrays)
