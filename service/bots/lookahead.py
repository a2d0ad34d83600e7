"""The bots that look ahead: they simulate likely deals, and search the endgame exactly.

``medium`` and ``hard`` differ in how many positions they examine. ``expert`` looks further with the
compiled core; without it, it is as strong as ``hard``.
"""

from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.endgame import best_endgame_move
from service.bots.move_search import Move, MoveSearch
from service.bots.observation import Observation
from service.bots.rng import Rng
from service.bots.rollouts import Candidate, best_of, exchanging, placements_of, placing
from service.bots.simple import longest_kinds, tiles_outside
from service.rules.board import Board
from service.rules.legal_plays import legal_plays
from service.rules.tiles import BIT, TILES, Kinds, kinds_of
from service.rules.yielding import Pause

# How many plays, the best by points, are evaluated more closely.
WIDTH = 16


def choose_lookahead(observation: Observation, rng: Rng, budget: int, pause: Pause) -> Action:
    """The most promising play or exchange; ``budget`` is how many positions to evaluate."""
    board = observation.board
    plays = find_plays(observation)
    pause()
    if not plays and not observation.may_exchange:
        return Pass()
    if len(plays) == 1 and not observation.may_exchange:
        return Place(placements_of(plays[0][1]))
    other = _last_opponent(observation)
    if other is not None:
        return Place(
            placements_of(best_endgame_move(board, observation.hand, other, budget, pause))
        )
    candidates = [placing(observation, board, *play) for play in plays[:WIDTH]]
    candidates += _exchanges(observation, board, candidates)
    chosen = best_of(candidates, observation, rng, 2 * budget // len(observation.active), pause)
    return Place(placements_of(chosen.move)) if chosen.move else Exchange(chosen.returned)


def find_plays(observation: Observation) -> list[tuple[int, Move]]:
    """All plays but those that differ in an order that scores the same, the best by points first.

    Of openings, one for each set of tiles.
    """
    if observation.opening is not None:
        plays = _openings(observation, observation.opening)
    else:
        kinds = kinds_of(observation.hand)
        plays = MoveSearch(observation.board.spots, kinds, every=True).plays or []
    return sorted(plays, key=lambda play: (-play[0], len(play[1]), play[1]))


def _openings(observation: Observation, length: int) -> list[tuple[int, Move]]:
    """One opening for each set of tiles that forms a line of this length."""
    first: dict[frozenset[Kinds], tuple[int, Move]] = {}
    for play in legal_plays(Board(), observation.hand, length):
        move = tuple((cell, BIT[tile]) for cell, tile in play.placements)
        first.setdefault(frozenset(bit for _, bit in move), (play.points, move))
    return list(first.values())


def _exchanges(
    observation: Observation, board: Board, candidates: list[Candidate]
) -> list[Candidate]:
    """An exchange that keeps the longest line in the hand; considered if no play scores much."""
    if not observation.may_exchange or (candidates and candidates[0].points > 6):
        return []
    gone = tiles_outside(
        observation.hand, longest_kinds(observation.hand), observation.may_exchange
    )
    return [exchanging(observation, board, gone)]


def _last_opponent(observation: Observation) -> tuple[int, ...] | None:
    """The hand of the only opponent left, if it can be inferred because the bag is empty.

    None before the opening: the endgame search needs open cells, and an empty table has none.
    """
    if observation.bag or len(observation.active) != 2 or not len(observation.board):
        return None
    hand = tuple(tile for tile in TILES for _ in range(observation.unseen[tile]))
    return hand if len(hand) == observation.held[observation.after[0]] else None
