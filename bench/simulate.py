"""How many games a second bots play against bots on one core, in C and in Python.

Beside them stands the bare loop: the search and the board of the rules, but plain lists for the
bag and the hands, no events, no versions, no observations. The games are the very same ones,
which is checked, so the ratio is what the rules' bookkeeping costs.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import resource
import subprocess
from pathlib import Path
from time import perf_counter, process_time

from service import core
from service.bots.matches import Match, Outcome, play_game
from service.rules.board import Board
from service.rules.legal_plays import best_play
from service.rules.lines import longest_line
from service.rules.shuffle import mix, secret_from
from service.rules.tiles import WHOLE_BAG, kinds_of

TARGET = 30
TARGET_IN_C = 5000
MILLION_SECONDS = 300
SEED = "bench"
BOTS = ("greedy", "greedy")
DEAL = 2


def bare_game(number: int) -> list[int] | None:
    """The scores of the same game; None if it has an exchange, which the bare loop leaves out."""
    bag = list(mix(WHOLE_BAG, secret_from(f"{SEED}/{number // 2}"), DEAL))
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


def played(bots: tuple[str, ...], games: int) -> tuple[list[Outcome], float]:
    """The outcomes, and the games a second of processor time."""
    match = Match(bots, games, SEED)
    began = process_time()
    outcomes = [play_game(match, perf_counter, number) for number in range(games)]
    return outcomes, games / (process_time() - began)


def in_c(games: int) -> bool:
    """Prints how fast the core is; whether it reaches its target."""
    if core.native is None:
        print("the compiled core was not built")
        return True
    _, rate = played(BOTS, games)
    print(f"greedy against greedy in C:      {rate:6.0f} games/s a core (target {TARGET_IN_C})")
    shares = {("random", "greedy"): 4, ("greedy",) * 4: 4, ("hard", "greedy"): 100}
    for bots, share in (shares | {("expert", "greedy"): 1000}).items():
        _, other = played(bots, max(2, games // share))
        print(f"{', '.join(bots)} in C: {other:.1f} games/s a core")
    return rate >= TARGET_IN_C


def whole_command(games: int, jobs: int) -> None:
    """Prints how fast the command itself is, with everything that it counts and checks."""
    command = [
        str(Path(sys.executable).with_name("qwirkle")), "simulate", "--bots", ",".join(BOTS),
        "--games", str(games), "--jobs", str(jobs),
    ]  # fmt: skip
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"qwirkle simulate, {games} games, {jobs} processes: {seconds:.1f} s, "
        f"{used:.1f} s of processor time; a million games: {used / games * 1e6 / jobs:.0f} s on "
        f"{jobs} free cores (target {MILLION_SECONDS})"
    )


def in_python(games: int) -> bool:
    """Prints how fast the rules are beside the bare loop; whether they reach their target."""
    compiled, _ = played(BOTS, games)
    core.native = None
    outcomes, rate = played(BOTS, games)
    assert outcomes == compiled, "the games in C are others"
    began = process_time()
    floor = [bare_game(number) for number in range(games)]
    bare = games / (process_time() - began)
    for outcome, scores in zip(outcomes, floor, strict=True):
        by_seat = [outcome.scores[outcome.seats.index(seat)] for seat in range(2)]
        assert scores is None or by_seat == scores, f"game {outcome.number} went another way"
    print(f"greedy against greedy in Python: {rate:6.0f} games/s a core (target {TARGET})")
    print(f"bare loop in Python:             {bare:6.0f} games/s a core")
    print(f"ratio:                           {bare / rate:6.2f} times the bare loop's time")
    return rate >= TARGET


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="in Python; in C ten times as many")
    games = parser.parse_args().games
    if core.native is not None:
        whole_command(500 * games, 2)
    reached = [in_c(10 * games), in_python(games)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
