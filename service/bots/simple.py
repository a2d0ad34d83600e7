"""The bots that do not think beyond their own turn."""

from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.legal_plays import best_play, by_points, each_play
from service.rules.lines import FAMILIES
from service.rules.tiles import BIT, Kinds, Tile, kinds_of
from service.rules.yielding import Pause

# How many plays the easy bot chooses from.
NOTICED = 12


def choose_random(observation: Observation, rng: Rng, pause: Pause) -> Action:
    """A random legal play, all equally likely; without one, an exchange of random tiles."""
    plays = list(each_play(observation.board, observation.hand, observation.opening, pause))
    if plays:
        return Place(rng.choice(plays).placements)
    return _random_exchange(observation, rng)


def _random_exchange(observation: Observation, rng: Rng) -> Action:
    if not observation.may_exchange:
        return Pass()
    count = 1 + rng.below(observation.may_exchange)
    return Exchange(tuple(sorted(rng.sample(observation.hand, count))))


def choose_easy(observation: Observation, rng: Rng, pause: Pause) -> Action:
    """The best of a few random plays, as a beginner notices some; else as ``random``."""
    plays = list(each_play(observation.board, observation.hand, observation.opening, pause))
    if not plays:
        return _random_exchange(observation, rng)
    noticed = [rng.choice(plays) for _ in range(NOTICED)]
    return Place(min(noticed, key=by_points).placements)


def choose_greedy(observation: Observation, pause: Pause) -> Action:
    """The play with the most points; without one, exchange all tiles outside the longest line."""
    play = best_play(observation.board, observation.hand, observation.opening, pause)
    if play is not None:
        return Place(play.placements)
    if not observation.may_exchange:
        return Pass()
    return Exchange(
        tiles_outside(observation.hand, longest_kinds(observation.hand), observation.may_exchange)
    )


def longest_kinds(hand: tuple[Tile, ...]) -> Kinds:
    """The kinds of the longest line that the hand can form."""
    kinds = kinds_of(hand)
    return max((kinds & family for family in FAMILIES), key=int.bit_count)


def tiles_outside(hand: tuple[Tile, ...], kept: Kinds, most: int) -> tuple[Tile, ...]:
    """The tiles of the hand except one of each kept kind; always at least one.

    At most ``most`` of them, the first in kind order.
    """
    gone = []
    for tile in hand:
        if kept & BIT[tile]:
            kept ^= BIT[tile]
        else:
            gone.append(tile)
    return tuple(gone[:most]) or hand[:1]
