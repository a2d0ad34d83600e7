"""Players that choose an action from what one seat may see, and nothing else.

Pure, like the rules: no web, no store, no clock, no randomness of its own. The same observation,
seed and budget give the same choice on every machine, with the compiled core and without it;
only ``expert`` looks further with the core than without.
"""

from service.bots.actions import Action
from service.bots.cautious import choose_cautious
from service.bots.compiled import NUMBERS, choose_compiled
from service.bots.lookahead import choose_lookahead
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.bots.simple import choose_easy, choose_greedy, choose_random
from service.rules.yielding import Pause, no_pause

BOTS = tuple(NUMBERS)

# How many positions the expert examines in a turn unless the caller says otherwise.
BUDGET = 3072

# The others that look ahead examine this part of them. Without the core the expert is one of these.
SHARES = {"medium": 96, "hard": 8, "expert": 8}


def choose(
    name: str,
    observation: Observation,
    seed: int | bytes,
    budget: int = BUDGET,
    pause: Pause = no_pause,
) -> Action:
    """The action that the bot of this name chooses in its turn.

    All randomness comes from ``seed``. ``budget`` is the number of positions that the expert
    examines: its time grows with it, and that of ``medium`` and ``hard``; the other bots ignore
    it. ``pause`` is called every few milliseconds.
    """
    if name not in BOTS:
        raise ValueError(f"there is no bot {name!r:.40}; the bots are {', '.join(BOTS)}")
    action = choose_compiled(name, observation, seed, budget, pause)
    if action is not None:
        return action
    if name == "random":
        return choose_random(observation, Rng(seed), pause)
    if name == "easy":
        return choose_easy(observation, Rng(seed), pause)
    if name == "greedy":
        return choose_greedy(observation, pause)
    if name == "cautious":
        return choose_cautious(observation, pause)
    return choose_lookahead(observation, Rng(seed), budget // SHARES[name], pause)
