"""The bots' choices by the compiled core: faster than in Python, and those of expert better."""

from service import core
from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.board import Placement
from service.rules.tiles import Tile
from service.rules.yielding import Pause

# The numbers by which the core knows the bots.
NUMBERS = {
    "random": 0,
    "easy": 1,
    "greedy": 2,
    "cautious": 3,
    "medium": 4,
    "hard": 5,
    "expert": 6,
}

# These do not need random numbers.
_CERTAIN = frozenset({"greedy", "cautious"})

# The placements and the tiles exchanged; in a pass both are empty.
CoreChoice = tuple[tuple[Placement, ...], tuple[Tile, ...]]


def choose_compiled(
    name: str, observation: Observation, seed: int | bytes, budget: int, pause: Pause
) -> Action | None:
    """The action of the bot with this name; None without the core, or if no game looks like this.

    ``pause`` is called every few milliseconds.
    """
    if core.native is None:
        return None
    try:
        choice: CoreChoice = core.native.choose(
            NUMBERS[name],
            observation.board.tiles,
            observation.hand,
            observation.unseen,
            observation.bag,
            tuple(observation.held[seat] for seat in observation.after),
            tuple(observation.scores[seat] for seat in (observation.seat, *observation.after)),
            observation.opening or 0,
            observation.may_exchange,
            observation.recent,
            rng_state(name, seed),
            budget,
            pause,
        )
    except OverflowError:
        return None
    return as_action(choice)


def rng_state(name: str, seed: int | bytes) -> int:
    """The state in which the core begins; a bot that needs none saves the time of hashing."""
    return 0 if name in _CERTAIN else Rng(seed).state


def as_action(choice: CoreChoice) -> Action:
    """The action that the core has chosen."""
    placements, exchanged = choice
    if placements:
        return Place(placements)
    return Exchange(exchanged) if exchanged else Pass()
