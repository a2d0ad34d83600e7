"""Each bot is clearly stronger than the one before it. All is seeded, so nothing here is luck."""

import pytest

from service.bots.matches import Match, play_match
from service.bots.standings import Estimate, summary_of


def wins(bots: tuple[str, str], games: int, budget: int) -> Estimate:
    match = Match(bots, games, "strength", budget)
    return summary_of(bots, play_match(match)).standings[0].wins


@pytest.mark.parametrize("bots", [("easy", "random"), ("greedy", "easy")], ids="-".join)
def test_easy_is_between_random_and_greedy(bots: tuple[str, str]) -> None:
    assert wins(bots, 40, 1).low > 0.6


@pytest.mark.parametrize(
    ("bots", "budget"),
    [
        (("cautious", "greedy"), 1),
        (("medium", "greedy"), 96 * 32),
        (("hard", "greedy"), 8 * 48),
        (("expert", "greedy"), 96),
    ],
    ids=["cautious", "medium", "hard", "expert"],
)
def test_those_that_think_beat_greedy(bots: tuple[str, str], budget: int, engine: str) -> None:
    if engine == "Python":
        pytest.skip("so many games take minutes in Python, and are the same ones")
    assert wins(bots, 800, budget).low > 0.5
