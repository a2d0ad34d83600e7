"""A chart of a match: the distribution of scores, and the wins by seat."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from service.bots.matches import Outcome, summary_of


def can_draw() -> bool:
    """Whether matplotlib, which only charts need, is installed."""
    return find_spec("matplotlib") is not None


def draw(bots: tuple[str, ...], outcomes: list[Outcome], path: Path) -> None:
    """Write the chart; the extension of the name decides its format."""
    figure: Any = import_module("matplotlib.figure").Figure((11, 4.5), layout="constrained")
    scores, seats = figure.subplots(1, 2)
    lowest = min(min(outcome.scores) for outcome in outcomes)
    highest = max(max(outcome.scores) for outcome in outcomes)
    bins = range(lowest - lowest % 10, highest + 11, 10)
    labels = [f"{player + 1} {bot}" for player, bot in enumerate(bots)]
    for player, label in enumerate(labels):
        points = [outcome.scores[player] for outcome in outcomes]
        scores.hist(points, bins=bins, alpha=0.5, label=label)
    scores.set(title="Points", xlabel="points in a game", ylabel="games")
    scores.legend()
    standings = summary_of(bots, outcomes).standings
    width = 0.8 / len(bots)
    for player, (label, standing) in enumerate(zip(labels, standings, strict=True)):
        places = [seat + player * width for seat in range(len(standing.wins_by_seat))]
        seats.bar(places, standing.wins_by_seat, width, label=label)
    middles = [seat + 0.4 - width / 2 for seat in range(len(bots))]
    seats.set_xticks(middles, [f"seat {seat}" for seat in range(len(bots))])
    seats.axhline(1 / len(bots), color="grey", linewidth=1, linestyle="--")
    seats.set(title="Wins by seat", ylabel="share of games won", ylim=(0, 1))
    seats.legend()
    figure.savefig(path)
