"""A bot that fears what the next player could do with an open line of five.

The idea is that of a careful person: a new line of five is a gift of twelve points to the next
player, as far as they are likely to hold the tile for it. Each tile of the longest line that stays
in the hand is worth half a point.
"""

from service.bots.actions import Action, Place
from service.bots.lookahead import WIDTH, find_plays
from service.bots.observation import Observation
from service.bots.rollouts import Candidate, placements_of, placing
from service.bots.simple import choose_greedy, longest_kinds
from service.rules.board import Board
from service.rules.tiles import TILES, Kinds
from service.rules.yielding import Pause

_QWIRKLE = 12
_ALMOST = 5

# Chances, and what is worth a fraction of a point, are counted in so many parts.
_PARTS = 1 << 20
_KEPT = _PARTS // 2


def choose_cautious(observation: Observation, pause: Pause) -> Action:
    """The best by points, less the Qwirkle it is likely to give away; else as ``greedy``."""
    plays = find_plays(observation)
    pause()
    if not plays:
        return choose_greedy(observation, pause)
    candidates = []
    for points, move in plays[:WIDTH]:
        pause()
        candidates.append(placing(observation, observation.board, points, move))
    before = _completing(observation.board)
    worths = [_worth(candidate, before, observation) for candidate in candidates]
    return Place(placements_of(candidates[worths.index(max(worths))].move))


def _worth(candidate: Candidate, before: Kinds, observation: Observation) -> int:
    worth = candidate.points * _PARTS
    if not candidate.kept and not candidate.draws:
        return worth
    worth -= _QWIRKLE * _chance(_completing(candidate.board) & ~before, observation)
    return worth + longest_kinds(candidate.kept).bit_count() * _KEPT


def _completing(board: Board) -> Kinds:
    """The kinds that complete a line of six somewhere on the table."""
    kinds = 0
    for fit, row, column in board.spots.values():
        if _ALMOST in {row[1], column[1]}:
            kinds |= fit
    return kinds


def _chance(kinds: Kinds, observation: Observation) -> int:
    """The chance, in parts, that the next player holds a tile of these kinds."""
    unseen = sum(observation.unseen)
    without = unseen - sum(observation.unseen[tile] for tile in TILES if kinds >> tile & 1)
    missing = _PARTS
    for drawn in range(observation.held[observation.after[0]]):
        missing = missing * max(0, without - drawn) // (unseen - drawn)
    return _PARTS - missing
