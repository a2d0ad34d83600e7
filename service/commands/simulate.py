"""`qwirkle simulate`: let bots play against bots, and print a table of the results."""

import argparse
import shlex
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import TextIO

from service import core
from service.bots import BOTS, BUDGET
from service.bots.actions import FORFEITS
from service.bots.bot_game import NO_OUTSIDERS, Outsiders
from service.bots.matches import CHECKED_EVERY, Match, Outcome, play_match
from service.bots.standings import Estimate, Summary, Tally
from service.commands.simulation_chart import can_draw, draw
from service.commands.simulation_output import check_format, output
from service.config import CannotRun
from service.engine.program_bot import Programs
from service.rules.state import FEWEST_SEATS, MOST_SEATS

_PROGRAM = "cmd:"
_MOST_SECONDS = 3600
_MOST_TOLD = 20
_BAR = 30
_STEPS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    parser.add_argument("--games", type=positive, default=100, help="how many games (100)")
    parser.add_argument(
        "--bots", type=_bots, default=("expert", "greedy"), metavar="NAME,NAME",
        help=f"two to four of {', '.join(BOTS)}, or cmd:PROGRAM (expert,greedy)",
    )  # fmt: skip
    parser.add_argument(
        "--move-seconds", type=_seconds, default=10.0, metavar="SECONDS",
        help="how long a program may take for a move before it loses the game (10)",
    )  # fmt: skip
    parser.add_argument("--seed", default="1", help="a text that determines all games (1)")
    parser.add_argument("--jobs", type=positive, default=1, help="how many processes play (1)")
    parser.add_argument(
        "--budget", type=positive, default=BUDGET,
        help=f"positions the expert evaluates in a turn ({BUDGET})",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path,
        help="write a record of each game, one per line; "
        "results and records as Parquet if the name ends in .parquet (needs the extra [parquet])",
    )  # fmt: skip
    parser.add_argument(
        "--plot", type=Path, help="draw scores and wins by seat; needs the extra [plot]"
    )


def run(parsed: argparse.Namespace) -> int:
    """Play games between bots, each deal once from every seat, and print how often each won.

    The same seed gives the same games.
    """
    match = Match(
        bots=parsed.bots,
        games=parsed.games,
        seed=parsed.seed,
        budget=parsed.budget,
        keep_records=parsed.out is not None,
    )
    commands = dict.fromkeys(
        bot.removeprefix(_PROGRAM) for bot in parsed.bots if bot.startswith(_PROGRAM)
    )
    for command in commands:
        if which(shlex.split(command)[0]) is None:
            raise CannotRun(f"there is no program {command!r} that can be run")
    # Ended by a signal, Python would leave programs behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with Programs(parsed.move_seconds) as programs:
        summary = simulate(match, parsed.jobs, parsed.out, parsed.plot, programs.players(commands))
    sys.stdout.write(table_of(summary))
    return 0


def simulate(
    match: Match,
    jobs: int,
    out: Path | None,
    plot: Path | None,
    outsiders: Outsiders = NO_OUTSIDERS,
) -> Summary:
    """The summary; records and chart are written if asked for."""
    if plot is not None and not can_draw():
        raise CannotRun("--plot needs matplotlib: pip install '.[plot]'")
    if out is not None:
        check_format(out)
    tally = Tally(match.bots)
    told = 0
    with output(out, match) as write:
        outcomes = play_match(match, jobs, perf_counter, outsiders)
        for outcome in _with_progress(outcomes, match.games, sys.stderr):
            write(outcome)
            tally.add(outcome)
            if told < _MOST_TOLD:
                told += _tell_forfeits(match, outcome)
    if plot is not None:
        draw(tally.summary(), plot)
    return tally.summary()


def table_of(summary: Summary) -> str:
    """The summary as a plain-text table."""
    heads = ("bot", "wins", "points", "Qwirkles", "ms per move", "wins by seat")
    rows = [
        (
            standing.bot,
            _percent(standing.wins),
            _number(standing.points),
            _number(standing.qwirkles),
            f"{standing.milliseconds:.3g}",
            " ".join(f"{share:.0%}" for share in standing.wins_by_seat),
        )
        for standing in summary.standings
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (heads, *rows)
    ]
    lines += [
        f"{standing.bot} lost {', '.join(_counted(standing.forfeits))}"
        for standing in summary.standings
        if standing.forfeits
    ]
    lines.append(
        f"{summary.games} games of {_number(summary.turns)} turns; brackets are 95% intervals; "
        f"a shared victory counts as a share; the bots ran in {core.name()}{_checked(summary)}"
    )
    return "\n".join(lines) + "\n"


def _checked(summary: Summary) -> str:
    """How many of the games that the core plays are also played by the rules."""
    in_core = core.native is not None and all(each.bot in BOTS for each in summary.standings)
    return f", checked by the rules every {CHECKED_EVERY} games" if in_core else ""


def _counted(forfeits: Counter[str]) -> list[str]:
    return [
        f"{forfeits[reason]} {'game' if forfeits[reason] == 1 else 'games'} by {reason}"
        for reason in FORFEITS
        if forfeits[reason]
    ]


def _tell_forfeits(match: Match, outcome: Outcome) -> int:
    """Say which programs lost a game, and why; how many did."""
    lost = [(bot, why) for bot, why in zip(match.bots, outcome.forfeits, strict=False) if why]
    for bot, why in lost:
        reason = f"{why.reason}, {why.detail:.300}"
        print(f"{bot} lost game {outcome.number}: {reason}", file=sys.stderr)
    return len(lost)


def _percent(share: Estimate) -> str:
    return f"{share.mean:.1%} [{share.low:.1%}, {share.high:.1%}]"


def _number(value: Estimate) -> str:
    return f"{value.mean:.1f} [{value.low:.1f}, {value.high:.1f}]"


def _with_progress(outcomes: Iterable[Outcome], games: int, screen: TextIO) -> Iterator[Outcome]:
    """The outcomes, with a progress bar if the stream is a terminal."""
    shown = screen.isatty()
    step = max(1, games // _STEPS)
    for done, outcome in enumerate(outcomes, start=1):
        if shown and (done % step == 0 or done == games):
            filled = "#" * (_BAR * done // games)
            screen.write(f"\r[{filled:<{_BAR}}] {done}/{games}")
            screen.flush()
        yield outcome
    if shown:
        screen.write("\n")


def _bots(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if not FEWEST_SEATS <= len(names) <= MOST_SEATS or not all(map(_is_player, names)):
        raise argparse.ArgumentTypeError(
            f"name {FEWEST_SEATS} to {MOST_SEATS} of {', '.join(BOTS)} or cmd:PROGRAM, "
            "separated by commas"
        )
    return names


def _is_player(name: str) -> bool:
    if not name.startswith(_PROGRAM):
        return name in BOTS
    try:
        return bool(shlex.split(name.removeprefix(_PROGRAM)))
    except ValueError:  # a quotation mark without its partner
        return False


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is not a number of seconds up to 3600")
    return seconds


def positive(text: str) -> int:
    """The text as a positive integer, for an option of the command line."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is not a positive integer")
    return int(text)
