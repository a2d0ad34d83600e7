"""The strongest bot: looks ahead over likely deals, and plays the ending out exactly."""

from service.bots.actions import Action, Exchange, Pass, Place
from service.bots.endgame import last_plays
from service.bots.move_search import Glance, Laid
from service.bots.observation import Sight
from service.bots.rng import Dice
from service.bots.rollouts import Candidate, best_of, exchanging, placements_of, placing
from service.bots.simple import longest_kinds, outside_of
from service.rules.board import Board
from service.rules.legal_plays import legal_plays
from service.rules.pauses import Pause
from service.rules.tiles import BIT, TILES, Kinds, kinds_of

# How many plays, the best by points, are looked at more closely.
WIDTH = 16


def choose_expert(sight: Sight, dice: Dice, budget: int, pause: Pause) -> Action:
    """The play, or the exchange, that promises most; ``budget`` is how often it looks ahead."""
    # Built afresh, for the order of a board's open cells depends on how it came about.
    board = Board(sorted(sight.board.tiles.items()))
    if sight.opening is not None:
        plays = _openings(sight, sight.opening)
    else:
        plays = Glance(board.spots, kinds_of(sight.hand), every=True).plays or []
    pause()
    if not plays and not sight.may_exchange:
        return Pass()
    if len(plays) == 1 and not sight.may_exchange:
        return Place(placements_of(plays[0][1]))
    other = _last_opponent(sight)
    if other is not None:
        return Place(placements_of(last_plays(board, sight.hand, other, budget, pause)))
    plays.sort(key=lambda play: (-play[0], len(play[1]), play[1]))
    candidates = [placing(sight, board, *play) for play in plays[:WIDTH]]
    candidates += _exchanges(sight, board, candidates)
    chosen = best_of(candidates, sight, dice, 2 * budget // len(sight.active), pause)
    return Place(placements_of(chosen.laid)) if chosen.laid else Exchange(chosen.returned)


def _openings(sight: Sight, length: int) -> list[tuple[int, Laid]]:
    """One opening for each set of tiles that makes a line of this length."""
    first: dict[frozenset[Kinds], tuple[int, Laid]] = {}
    for play in legal_plays(Board(), sight.hand, length):
        laid = tuple((cell, BIT[tile]) for cell, tile in play.placements)
        first.setdefault(frozenset(bit for _, bit in laid), (play.points, laid))
    return list(first.values())


def _exchanges(sight: Sight, board: Board, candidates: list[Candidate]) -> list[Candidate]:
    """Keeping the longest line in the hand: worth a thought when no play brings much."""
    if not sight.may_exchange or (candidates and candidates[0].points > 6):
        return []
    gone = outside_of(sight.hand, longest_kinds(sight.hand), sight.may_exchange)
    return [exchanging(sight, board, gone)]


def _last_opponent(sight: Sight) -> tuple[int, ...] | None:
    """The hand of the one opponent left, if the bag is empty so that it can be inferred.

    None before the opening: the ending is searched from open cells, and a bare table has none.
    """
    if sight.bag or len(sight.active) != 2 or not len(sight.board):
        return None
    hand = tuple(tile for tile in TILES for _ in range(sight.unseen[tile]))
    return hand if len(hand) == sight.held[sight.after[0]] else None
