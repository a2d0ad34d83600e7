"""`qwirkle tournament`: let every bot play every other one, and rate them."""

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations

from service import core
from service.bots import BOTS, BUDGET
from service.bots.matches import Match, play_match
from service.bots.ratings import ratings
from service.bots.standings import share_of, summary_of
from service.commands.simulate import positive

Wins = dict[tuple[str, str], float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument(
        "--bots", type=_bots, default=BOTS, metavar="NAME,NAME",
        help=f"two or more of {', '.join(BOTS)} (all)",
    )  # fmt: skip
    parser.add_argument("--games", type=positive, default=100, help="how many of each two (100)")
    parser.add_argument("--seed", default="1", help="a text that determines all games (1)")
    parser.add_argument("--jobs", type=positive, default=1, help="how many processes play (1)")
    parser.add_argument(
        "--budget", type=positive, default=BUDGET,
        help=f"positions the expert evaluates in a turn ({BUDGET})",
    )  # fmt: skip


def run(parsed: argparse.Namespace) -> int:
    """Let every bot play every other one, two at a table, and print their ratings.

    Each deal is played once from both seats. The same seed gives the same games.
    """
    wins: Wins = {}
    for one, other in combinations(parsed.bots, 2):
        match = Match((one, other), parsed.games, parsed.seed, parsed.budget)
        summary = summary_of(match.bots, play_match(match, parsed.jobs))
        won = summary.standings[0].wins.mean * parsed.games
        wins[one, other], wins[other, one] = won, parsed.games - won
        share = share_of(won, parsed.games)
        sys.stdout.write(
            f"{one} against {other}: {share.mean:.1%} [{share.low:.1%}, {share.high:.1%}]\n"
        )
        sys.stdout.flush()
    sys.stdout.write(table_of(parsed.bots, wins, parsed.games))
    return 0


def table_of(bots: Sequence[str], wins: Wins, games: int) -> str:
    """The ratings, the best first, with the share of games that each has won against each."""
    rated = sorted(zip(ratings(bots, wins), bots, strict=True), key=lambda row: -row[0].mean)
    order = [bot for _, bot in rated]
    lines = [f"\n{'bot':<10}{'rating':>8}{'95% interval':>16}" + "".join(f"{b:>10}" for b in order)]
    for rating, bot in rated:
        shares = ("-" if bot == each else f"{wins[bot, each] / games:.1%}" for each in order)
        interval = f"[{rating.low:.0f}, {rating.high:.0f}]"
        row = "".join(f"{share:>10}" for share in shares)
        lines.append(f"{bot:<10}{rating.mean:>8.0f}{interval:>16}{row}")
    lines.append(
        f"{games} games of each two; the ratings are 1500 on average; "
        f"the bots ran in {core.name()}\n"
    )
    return "\n".join(lines)


def _bots(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if len(set(names)) < max(2, len(names)) or not set(names) <= set(BOTS):
        raise argparse.ArgumentTypeError(
            f"name two or more of {', '.join(BOTS)}, separated by commas"
        )
    return names
