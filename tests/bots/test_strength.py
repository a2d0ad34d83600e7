"""Each bot is clearly stronger than the one before it. All is seeded, so nothing here is luck."""

from service.bots.matches import Match, play_match, summary_of


def test_greedy_beats_random_nearly_always() -> None:
    bots = ("greedy", "random")
    greedy, _ = summary_of(bots, play_match(Match(bots, 40, "strength"))).standings
    assert greedy.wins.low > 0.8


def test_the_expert_beats_greedy_even_with_a_small_budget() -> None:
    bots = ("expert", "greedy")
    games = list(play_match(Match(bots, 40, "strength", budget=48)))
    expert, _ = summary_of(bots, games).standings
    # Of two equal players one wins 26 or more of 40 games in about four matches of a hundred.
    assert expert.wins.mean >= 0.65
    leads = [game.scores[0] - game.scores[1] for game in games]
    assert sum(leads) / len(leads) > 5
