"""How many steps a second the environments for learning take, with and without the core.

A step of the PettingZoo environment is what a program does in a turn: `last()`, then `step()`. A
step of the vectorised one is an action in one of its games; choosing the actions is not counted.
The steps are counted by the clock and by the processor's time, which other programs on the machine
do not change.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np

from service import core
from service.rl.pettingzoo_env import QwirkleEnv
from service.rl.vector_env import QwirkleVectorEnv

TARGET = 10_000
VECTOR_TARGET = 200_000
THREADS = 2


@dataclass
class Rate:
    """Steps, and what they took."""

    steps: int = 0
    seconds: float = 0.0
    used: float = 0.0

    def __str__(self) -> str:
        return (
            f"{self.steps / self.seconds:8.0f} steps/s by the clock, "
            f"{self.steps / self.used:8.0f} a second of processor time"
        )


def one_game(steps: int) -> Rate:
    """Whole games by the best play, one after another."""
    world = QwirkleEnv(2)
    rate = Rate()
    began, used = perf_counter(), process_time()
    while rate.steps < steps:
        world.reset(seed=rate.steps)
        for _ in world.agent_iter():
            seen, _, ended, cut, _ = world.last()
            world.step(None if ended or cut else int(seen["action_mask"].argmax()))
            rate.steps += 1
    rate.seconds, rate.used = perf_counter() - began, process_time() - used
    return rate


def chosen(mask: Any, chance: np.random.Generator, *, greedy: bool) -> Any:
    """The best play of every game, or any legal action."""
    if greedy:
        return mask.argmax(axis=1)
    return (mask * (0.5 + chance.random(mask.shape, np.float32))).argmax(axis=1)


def many_games(steps: int, *, greedy: bool, copy: bool, games: int = 256) -> Rate:
    """Steps of many games at once."""
    env = QwirkleVectorEnv(games, threads=THREADS, copy=copy)
    chance = np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    rate = Rate()
    while rate.steps < steps:
        actions = chosen(seen["action_mask"], chance, greedy=greedy)
        began, used = perf_counter(), process_time()
        seen, *_ = env.step(actions)
        rate.seconds += perf_counter() - began
        rate.used += process_time() - used
        rate.steps += games
    env.close()
    return rate


def measure(steps: int) -> tuple[float, float]:
    """Prints all; steps a second of processor time of one game, and of many copied ones."""
    print(f"with the environments in {core.name()}:")
    one = one_game(steps // 10)
    print(f"  PettingZoo, one game:                 {one}")
    rates = []
    for greedy, policy in ((True, "best plays"), (False, "any actions")):
        for copy, how in ((True, "copied"), (False, "not copied")):
            rate = many_games(steps, greedy=greedy, copy=copy)
            print(f"  256 games, {policy + ', ' + how + ':':<26} {rate}")
            rates.append(rate.steps / rate.used)
    return one.steps / one.used, min(rates)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000, help="in Python a fiftieth")
    steps = parser.parse_args().steps
    reached = True
    if core.native is not None:
        one, many = measure(steps)
        print(f"  targets: {TARGET}; {VECTOR_TARGET} on {THREADS} cores, here {THREADS * many:.0f}")
        reached = one >= TARGET and THREADS * many >= VECTOR_TARGET
        core.native = None
    measure(steps // 50)
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
