"""Looking ahead: what the others, and then the seat itself, may do after each candidate.

The hidden tiles are dealt again and again from what the seat has not seen. After each
deal every opponent makes the best play by points, then the seat does with the tiles it
would have drawn; a candidate is worth its points, less theirs, plus those. All candidates
are tried on the same deals, and the worse half of them is dropped again and again, so
that most deals go to the ones that are hard to tell apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from service.bots.move_search import Laid, MoveSearch
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.rules.actions import ENDING_BONUS
from service.rules.board import Board
from service.rules.pauses import Pause
from service.rules.tiles import BIT, HAND_SIZE, TILES, Kinds, Tile, kinds_of


@dataclass(frozen=True, slots=True)
class Candidate:
    """A thing to do: its points now, the board after it, the tiles kept, the tiles to draw."""

    points: int
    laid: Laid
    board: Board
    kept: tuple[Tile, ...]
    draws: int
    returned: tuple[Tile, ...] = ()


@dataclass(frozen=True, slots=True)
class Deal:
    """How the hidden tiles may lie: the kinds in the others' hands, then what is drawn next."""

    others: tuple[Kinds, ...]
    bag: tuple[Tile, ...]


def placing(observation: Observation, board: Board, points: int, laid: Laid) -> Candidate:
    """The candidate that lays these tiles."""
    placements = placements_of(laid)
    kept = list(observation.hand)
    for _, tile in placements:
        kept.remove(tile)
    draws = min(len(laid), observation.bag)
    bonus = 0 if kept or draws else ENDING_BONUS
    return Candidate(points + bonus, laid, board.with_tiles(placements), tuple(kept), draws)


def exchanging(observation: Observation, board: Board, returned: tuple[Tile, ...]) -> Candidate:
    """The candidate that sets these tiles aside."""
    kept = list(observation.hand)
    for tile in returned:
        kept.remove(tile)
    return Candidate(0, (), board, tuple(kept), len(returned), returned)


def placements_of(laid: Laid) -> tuple[tuple[int, Tile], ...]:
    """The placements, in reading order, that the bits of kinds stand for."""
    return tuple(sorted((cell, bit.bit_length() - 1) for cell, bit in laid))


def best_of(
    candidates: Sequence[Candidate], observation: Observation, dice: Rng, looks: int, pause: Pause
) -> Candidate:
    """The candidate that does best over so many looks, the first of them among equals."""
    worth = [0] * len(candidates)
    left = list(range(len(candidates)))
    rounds = (len(left) - 1).bit_length()
    unseen = [tile for tile in TILES for _ in range(observation.unseen[tile])]
    while len(left) > 1:
        for _ in range(max(1, looks // (rounds * len(left)))):
            dealt = _deal(unseen, observation, dice)
            for at in left:
                pause()
                worth[at] += _outcome(candidates[at], dealt, observation)
        left.sort(key=lambda at: (-worth[at], at))
        del left[(len(left) + 1) // 2 :]
    return candidates[left[0]]


def _deal(unseen: Sequence[Tile], observation: Observation, dice: Rng) -> Deal:
    sizes = [observation.held[seat] for seat in observation.after]
    hidden = sum(sizes)
    drawn = dice.drawn(unseen, hidden + min(observation.bag, HAND_SIZE))
    hands = []
    first = 0
    for size in sizes:
        hands.append(kinds_of(drawn[first : first + size]))
        first += size
    return Deal(tuple(hands), tuple(drawn[hidden:]))


def _outcome(candidate: Candidate, dealt: Deal, observation: Observation) -> int:
    """Points won, less the others' mean: times the number of the others, to stay whole."""
    others = len(dealt.others)
    worth = candidate.points * others
    bag = observation.bag - len(candidate.laid)
    if not candidate.kept and not candidate.draws:
        return worth
    board = candidate.board
    for seat, kinds in zip(observation.after, dealt.others, strict=True):
        reply = MoveSearch(board.spots, kinds)
        if not reply.laid:
            continue
        worth -= reply.points
        if bag <= 0 and len(reply.laid) == observation.held[seat]:
            return worth - ENDING_BONUS
        bag -= len(reply.laid)
        board = board.with_tiles(placements_of(reply.laid))
    own = kinds_of(candidate.kept)
    for tile in dealt.bag[: candidate.draws]:
        own |= BIT[tile]
    next_play = MoveSearch(board.spots, own)
    worth += next_play.points * others
    if bag <= 0 and len(next_play.laid) == len(candidate.kept) + candidate.draws:
        worth += ENDING_BONUS * others
    return worth
