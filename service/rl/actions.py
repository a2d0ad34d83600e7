"""What a learning program sees and does, as numbers: the same in every environment.

Plays have no fixed numbers, because the table is unbounded. So an action is an index into the list
of what the player to move can do now:

- ``0 .. plays - 1``: the legal plays, most points first. If a position has more plays, only the
  best are listed.
- ``plays .. plays + 62``: exchanges. Exchange ``m`` (from 1) returns the tiles of the hand, in
  kind order, whose bits are set in ``m``; of equal tiles only the first ones.
- ``plays + 63``: pass.

The action mask says which actions are legal, and the observation describes each listed play.
Bids are made automatically, so an episode begins with the opening line.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from service.rules.state import FEWEST_SEATS, MOST_SEATS
from service.rules.tiles import HAND_SIZE, TILES

EXCHANGES = (1 << HAND_SIZE) - 1
REACH = 30
SIDE = 2 * REACH + 1

# Points, tiles, lines and Qwirkles, then tile + 1, x and y for each tile.
PLAY_FEATURES = 4 + 3 * HAND_SIZE
STATE_FEATURES = 2 * len(TILES) + 2 + 3 * MOST_SEATS

_HIGHEST = np.iinfo(np.int16).max
_LOWEST = np.iinfo(np.int16).min

Observation = dict[str, NDArray[Any]]


def check_size(players: int, plays: int) -> None:
    """ValueError unless there can be such a game."""
    if not FEWEST_SEATS <= players <= MOST_SEATS or not 1 <= plays <= 1 << 16:
        raise ValueError("there must be two to four players and at least one listed play")


def action_count(plays: int) -> int:
    """How many actions there are."""
    return plays + EXCHANGES + 1


def observation_space(plays: int) -> spaces.Dict:
    """The parts of an observation."""

    def box(*shape: int) -> spaces.Box:
        return spaces.Box(_LOWEST, _HIGHEST, shape, np.int16)

    return spaces.Dict(
        {
            "observation": box(STATE_FEATURES),
            "board": spaces.Box(0, len(TILES), (SIDE, SIDE), np.uint8),
            "plays": box(plays, PLAY_FEATURES),
            "action_mask": spaces.Box(0, 1, (action_count(plays),), np.int8),
        }
    )


def empty_observation(count: int, plays: int) -> Observation:
    """Arrays for the observations of so many games."""
    return {
        "observation": np.zeros((count, STATE_FEATURES), np.int16),
        "board": np.zeros((count, SIDE, SIDE), np.uint8),
        "plays": np.zeros((count, plays, PLAY_FEATURES), np.int16),
        "action_mask": np.zeros((count, action_count(plays)), np.int8),
    }
