"""The bots' choices by the compiled core: the same as in Python, sixty times faster."""

from service import core
from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.board import Placement
from service.rules.tiles import Tile
from service.rules.yielding import Pause

# The numbers by which the core knows the bots.
NUMBERS = {"random": 0, "greedy": 1, "expert": 2}

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
            observation.opening or 0,
            observation.may_exchange,
            rng_state(name, seed),
            budget,
            pause,
        )
    except OverflowError:
        return None
    return as_action(choice)


def rng_state(name: str, seed: int | bytes) -> int:
    """The state in which the core begins; greedy needs none, and hashing takes time."""
    return 0 if name == "greedy" else Rng(seed).state


def as_action(choice: CoreChoice) -> Action:
    """The action that the core has chosen."""
    placements, exchanged = choice
    if placements:
        return Place(placements)
    return Exchange(exchanged) if exchanged else Pass()
