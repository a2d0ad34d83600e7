"""Games acted in by numbers, in the core and by the rules side by side."""

import random
from typing import Any

import numpy as np

from service import core
from service.rl.actions import empty_observation
from service.rl.core_games import CoreGames
from service.rl.rules_games import RulesGames

COUNT = 4


def both(count: int, seats: int, plays: int) -> tuple[CoreGames, RulesGames]:
    assert core.native is not None
    return CoreGames(core.native, count, seats, plays), RulesGames(count, seats, plays)


def compare(compiled: CoreGames, plain: RulesGames, count: int, seats: int, plays: int) -> Any:
    """All that both show; the mask of the players to move."""
    assert np.array_equal(compiled.status, plain.status)
    seen, expected = empty_observation(count, plays), empty_observation(count, plays)
    for seat in (*range(seats), -1):
        compiled.observe(seen, seat, 0, count)
        plain.observe(expected, seat, 0, count)
        for part, array in expected.items():
            assert np.array_equal(seen[part], array), part
    return seen["action_mask"]


def compare_episodes(number: int, seats: int, plays: int, steps: int) -> None:
    """Some games at once, each followed by another, in all that every seat sees."""
    compiled, plain = both(COUNT, seats, plays)
    chance = random.Random(number)

    def deal(at: int) -> None:
        seed = chance.randbytes(32)
        compiled.deal(at, seed)
        plain.deal(at, seed)

    for at in range(COUNT):
        deal(at)
    for step in range(steps):
        mask = compare(compiled, plain, COUNT, seats, plays)
        actions = np.array([chosen(row, chance, 0.5 + 0.4 * (step % 3 > 0)) for row in mask])
        assert compiled.refused(actions) == plain.refused(actions) == -1
        compiled.act(actions, 0, COUNT)
        plain.act(actions, 0, COUNT)
        compare(compiled, plain, COUNT, seats, plays)
        for at in np.flatnonzero(plain.status[:, 1]):
            deal(int(at))


def chosen(mask: Any, chance: random.Random, greed: float) -> int:
    """So often the first play, otherwise anything: exchanges are then frequent."""
    legal = np.flatnonzero(mask)
    return int(legal[0] if chance.random() < greed else chance.choice(legal))
