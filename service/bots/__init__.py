"""Players that choose an action from what one seat may see, and nothing else.

Pure, like the rules: no web, no store, no clock, no randomness of its own. The same sight,
luck and budget give the same choice on every machine.
"""

from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.expert import choose_expert
from service.bots.observation import Sight, bid_of, sight_of
from service.bots.rng import Dice
from service.bots.simple import choose_greedy, choose_random
from service.rules.pauses import Pause, no_pause

__all__ = [
    "BOTS",
    "BUDGET",
    "Action",
    "Exchange",
    "Pass",
    "Place",
    "Sight",
    "bid_of",
    "choose",
    "sight_of",
]

BOTS = ("random", "greedy", "expert")

# How often the expert looks ahead in a turn unless the caller says otherwise.
BUDGET = 384


def choose(
    name: str,
    sight: Sight,
    luck: int | bytes,
    budget: int = BUDGET,
    pause: Pause = no_pause,
) -> Action:
    """What the bot of this name does in its turn.

    All chance follows from ``luck``. The expert's time grows with ``budget``, a number of
    positions to look at; the others need none. ``pause`` is called every few milliseconds.
    """
    if name == "random":
        return choose_random(sight, Dice(luck), pause)
    if name == "greedy":
        return choose_greedy(sight, pause)
    if name == "expert":
        return choose_expert(sight, Dice(luck), budget, pause)
    raise ValueError(f"there is no bot {name!r:.40}; there are {', '.join(BOTS)}")
