"""The two bots that look no further than their own turn."""

from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.board import Board
from service.rules.legal_plays import best_play, each_play
from service.rules.lines import FAMILIES
from service.rules.pauses import Pause
from service.rules.tiles import BIT, Kinds, Tile, kinds_of


def choose_random(observation: Observation, dice: Rng, pause: Pause) -> Action:
    """Any legal play, each as likely as any other; without one, some tiles are exchanged."""
    # Built afresh, for the order in which plays are found depends on how the board came about.
    board = Board(sorted(observation.board.tiles.items()))
    plays = list(each_play(board, observation.hand, observation.opening, pause))
    if plays:
        return Place(dice.one_of(plays).placements)
    if not observation.may_exchange:
        return Pass()
    count = 1 + dice.below(observation.may_exchange)
    return Exchange(tuple(sorted(dice.drawn(observation.hand, count))))


def choose_greedy(observation: Observation, pause: Pause) -> Action:
    """The most points now; without a play, all tiles outside the longest line are exchanged."""
    play = best_play(observation.board, observation.hand, observation.opening, pause)
    if play is not None:
        return Place(play.placements)
    if not observation.may_exchange:
        return Pass()
    return Exchange(
        outside_of(observation.hand, longest_kinds(observation.hand), observation.may_exchange)
    )


def longest_kinds(hand: tuple[Tile, ...]) -> Kinds:
    """The kinds of the longest line that the hand can form."""
    kinds = kinds_of(hand)
    return max((kinds & family for family in FAMILIES), key=int.bit_count)


def outside_of(hand: tuple[Tile, ...], kept: Kinds, most: int) -> tuple[Tile, ...]:
    """The tiles of the hand that are not kept, one of each kept kind staying; at least one.

    At most ``most`` of them, the first in kind order.
    """
    gone = []
    for tile in hand:
        if kept & BIT[tile]:
            kept ^= BIT[tile]
        else:
            gone.append(tile)
    return tuple(gone[:most]) or hand[:1]
