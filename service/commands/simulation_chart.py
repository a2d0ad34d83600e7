"""A chart of a match: the distribution of scores, and the wins by seat."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from service.bots.standings import Summary


def can_draw() -> bool:
    """Whether matplotlib, which only charts need, is installed."""
    return find_spec("matplotlib") is not None


def draw(summary: Summary, path: Path) -> None:
    """Write the chart; the extension of the name decides its format."""
    figure: Any = import_module("matplotlib.figure").Figure((11, 4.5), layout="constrained")
    scores, seats = figure.subplots(1, 2)
    standings = summary.standings
    labels = [f"{player + 1} {standing.bot}" for player, standing in enumerate(standings)]
    lowest = min(min(standing.scores) for standing in standings)
    highest = max(max(standing.scores) for standing in standings)
    bins = range(lowest - lowest % 10, highest + 11, 10)
    width = 0.8 / len(standings)
    for player, (label, standing) in enumerate(zip(labels, standings, strict=True)):
        points, games = list(standing.scores), list(standing.scores.values())
        scores.hist(points, bins=bins, weights=games, alpha=0.5, label=label)
        places = [seat + player * width for seat in range(len(standing.wins_by_seat))]
        seats.bar(places, standing.wins_by_seat, width, label=label)
    scores.set(title="Points", xlabel="points in a game", ylabel="games")
    scores.legend()
    middles = [seat + 0.4 - width / 2 for seat in range(len(standings))]
    seats.set_xticks(middles, [f"seat {seat}" for seat in range(len(standings))])
    seats.axhline(1 / len(standings), color="grey", linewidth=1, linestyle="--")
    seats.set(title="Wins by seat", ylabel="share of games won", ylim=(0, 1))
    seats.legend()
    figure.savefig(path)
