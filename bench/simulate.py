"""How many games a second greedy plays against greedy on one core.

Beside it stands the bare loop: the same search and the same board, but plain lists for the
bag and the hands, no events, no versions, no sight. The games are the very same ones, which
is checked, so the ratio is what the rules' bookkeeping costs.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
from time import process_time

from service.bots.matches import Match, play_game
from service.rules.board import Board
from service.rules.legal_plays import best_play
from service.rules.lines import longest_line
from service.rules.shuffle import mix, seed_from
from service.rules.tiles import WHOLE_BAG, kinds_of

TARGET = 30
SEED = "bench"
BOTS = ("greedy", "greedy")
DEAL = 2


def bare_game(number: int) -> list[int] | None:
    """The scores of the same game; None if it has an exchange, which the bare loop leaves out."""
    bag = list(mix(WHOLE_BAG, seed_from(f"{SEED}/{number // 2}"), DEAL))
    hands = [sorted(bag[:6]), sorted(bag[6:12])]
    del bag[:12]
    bids = [longest_line(tuple(hand)) for hand in hands]
    mover = bids.index(max(bids))
    opening: int | None = bids[mover]
    board = Board()
    scores = [0, 0]
    passed = 0
    while passed < 2:
        hand = hands[mover]
        play = best_play(board, hand, opening)
        opening = None
        if play is None:
            if bag:
                return None
            passed += 1
        else:
            passed = 0
            scores[mover] += play.points
            board = board.with_tiles(play.placements)
            for _, tile in play.placements:
                hand.remove(tile)
            hand += bag[: len(play.placements)]
            del bag[: len(play.placements)]
            if not hand:
                scores[mover] += 6
                return scores
            if not board.takes_any(kinds_of(bag) | kinds_of(hands[0]) | kinds_of(hands[1])):
                return scores
        mover = 1 - mover
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    games = parser.parse_args().games
    match = Match(BOTS, games, SEED)
    began = process_time()
    outcomes = [play_game(match, process_time, number) for number in range(games)]
    ours = process_time() - began
    began = process_time()
    floor = [bare_game(number) for number in range(games)]
    bare = process_time() - began
    for outcome, scores in zip(outcomes, floor, strict=True):
        by_seat = [outcome.scores[outcome.seats.index(seat)] for seat in range(2)]
        assert scores is None or by_seat == scores, f"game {outcome.number} went another way"
    rate = games / ours
    print(f"greedy against greedy: {rate:.0f} games/s a core (target {TARGET})")
    print(f"bare loop:             {games / bare:.0f} games/s a core")
    print(f"ratio:                 {ours / bare:.2f} times the bare loop's time")
    return 0 if rate >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
