"""Rollouts: what the opponents, and then the seat itself, could do after each candidate.

The hidden tiles are dealt many times from what the seat has not seen. After each deal every
opponent makes the play with the most points, then the seat does so with the tiles it would have
drawn. A candidate is worth its own points, minus theirs, plus those of the seat's next play. All
candidates are tried on the same deals, and the worse half is dropped in every round, so that
most deals are spent on candidates of similar value.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from service.bots.move_search import Move, MoveSearch
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.actions import ENDING_BONUS
from service.rules.board import Board
from service.rules.tiles import BIT, HAND_SIZE, TILES, Kinds, Tile, kinds_of, without
from service.rules.yielding import Pause


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible action: its points, the board after it, the tiles kept, how many are drawn."""

    points: int
    move: Move
    board: Board
    kept: tuple[Tile, ...]
    draws: int
    returned: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Deal:
    """A possible deal: the kinds in the others' hands, and the tiles drawn next."""

    others: tuple[Kinds, ...]
    bag: tuple[Tile, ...]


def placing(observation: Observation, board: Board, points: int, move: Move) -> Candidate:
    """The candidate that places these tiles."""
    placements = placements_of(move)
    kept = without(observation.hand, [tile for _, tile in placements])
    draws = min(len(move), observation.bag)
    bonus = 0 if kept or draws else ENDING_BONUS
    return Candidate(points + bonus, move, board.with_tiles(placements), kept, draws)


def exchanging(observation: Observation, board: Board, returned: tuple[Tile, ...]) -> Candidate:
    """The candidate that exchanges these tiles."""
    kept = without(observation.hand, returned)
    return Candidate(0, (), board, kept, len(returned), returned)


def placements_of(move: Move) -> tuple[tuple[int, Tile], ...]:
    """The placements of a move, in reading order."""
    return tuple(sorted((cell, bit.bit_length() - 1) for cell, bit in move))


def best_of(
    candidates: Sequence[Candidate], observation: Observation, rng: Rng, budget: int, pause: Pause
) -> Candidate:
    """The best candidate after this many evaluations; of equal ones the first."""
    worth = [0] * len(candidates)
    left = list(range(len(candidates)))
    rounds = (len(left) - 1).bit_length()
    unseen = [tile for tile in TILES for _ in range(observation.unseen[tile])]
    while len(left) > 1:
        for _ in range(max(1, budget // (rounds * len(left)))):
            dealt = _deal(unseen, observation, rng)
            for at in left:
                pause()
                worth[at] += _outcome(candidates[at], dealt, observation)
        left.sort(key=lambda at: (-worth[at], at))
        del left[(len(left) + 1) // 2 :]
    return candidates[left[0]]


def _deal(unseen: Sequence[Tile], observation: Observation, rng: Rng) -> Deal:
    sizes = [observation.held[seat] for seat in observation.after]
    hidden = sum(sizes)
    drawn = rng.sample(unseen, hidden + min(observation.bag, HAND_SIZE))
    hands = []
    first = 0
    for size in sizes:
        hands.append(kinds_of(drawn[first : first + size]))
        first += size
    return Deal(tuple(hands), tuple(drawn[hidden:]))


def _outcome(candidate: Candidate, dealt: Deal, observation: Observation) -> int:
    """Points won minus the others' mean, times the number of others to keep it an integer."""
    others = len(dealt.others)
    worth = candidate.points * others
    bag = observation.bag - len(candidate.move)
    if not candidate.kept and not candidate.draws:
        return worth
    board = candidate.board
    for seat, kinds in zip(observation.after, dealt.others, strict=True):
        reply = MoveSearch(board.spots, kinds)
        if not reply.move:
            continue
        worth -= reply.points
        if bag <= 0 and len(reply.move) == observation.held[seat]:
            return worth - ENDING_BONUS
        bag -= len(reply.move)
        board = board.with_tiles(placements_of(reply.move))
    own = kinds_of(candidate.kept)
    for tile in dealt.bag[: candidate.draws]:
        own |= BIT[tile]
    next_play = MoveSearch(board.spots, own)
    worth += next_play.points * others
    if bag <= 0 and len(next_play.move) == len(candidate.kept) + candidate.draws:
        worth += ENDING_BONUS * others
    return worth
