"""Players that choose an action from what one seat may see, and nothing else.

Pure, like the rules: no web, no store, no clock, no randomness of its own. The same observation,
seed and budget give the same choice on every machine, with the compiled core and without it.
"""

from service.bots.actions import Action
from service.bots.compiled import NUMBERS, choose_compiled
from service.bots.lookahead import choose_lookahead
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.bots.simple import choose_greedy, choose_random
from service.rules.yielding import Pause, no_pause

BOTS = tuple(NUMBERS)

# How many positions the expert evaluates in a turn unless the caller says otherwise.
BUDGET = 384


def choose(
    name: str,
    observation: Observation,
    seed: int | bytes,
    budget: int = BUDGET,
    pause: Pause = no_pause,
) -> Action:
    """The action that the bot of this name chooses in its turn.

    All randomness comes from ``seed``. The expert's time grows with ``budget``, the number of
    positions to evaluate; the other bots ignore it. ``pause`` is called every few milliseconds.
    """
    if name not in BOTS:
        raise ValueError(f"there is no bot {name!r:.40}; the bots are {', '.join(BOTS)}")
    action = choose_compiled(name, observation, seed, budget, pause)
    if action is not None:
        return action
    if name == "random":
        return choose_random(observation, Rng(seed), pause)
    if name == "greedy":
        return choose_greedy(observation, pause)
    return choose_lookahead(observation, Rng(seed), budget, pause)
