"""Each bot is clearly stronger than the one before it. All is seeded, so nothing here is luck."""

from collections import Counter

import pytest

from service.bots.matches import Match, play_match
from service.bots.standings import mean_of, summary_of


def test_greedy_beats_random_nearly_always() -> None:
    bots = ("greedy", "random")
    greedy, _ = summary_of(bots, play_match(Match(bots, 40, "strength"))).standings
    assert greedy.wins.low > 0.8


def test_the_expert_beats_greedy_even_with_a_small_budget(engine: str) -> None:
    if engine == "Python":
        pytest.skip("so many games take minutes in Python, and are the same ones")
    bots = ("expert", "greedy")
    games = list(play_match(Match(bots, 400, "strength", budget=48)))
    expert, _ = summary_of(bots, games).standings
    assert expert.wins.low > 0.6
    leads = [game.scores[0] - game.scores[1] for game in games]
    assert mean_of(Counter(leads)).low > 5
