"""Ratings of bots, and the tournament that they come from."""

from itertools import combinations

import pytest

from service.bots.ratings import MEAN, ratings
from service.cli import main


def wins_of(shares: dict[tuple[str, str], float], games: int) -> dict[tuple[str, str], float]:
    wins = {}
    for (one, other), share in shares.items():
        wins[one, other], wins[other, one] = share * games, (1 - share) * games
    return wins


def test_two_bots_are_as_far_apart_as_elo_says() -> None:
    games = 1_000_000
    better, worse = ratings("ab", wins_of({("a", "b"): 10 / 11}, games))
    assert better.mean - worse.mean == pytest.approx(400, abs=0.1)
    assert better.mean + worse.mean == pytest.approx(2 * MEAN)
    assert better.high - better.low < 2


def test_ratings_that_agree_with_each_other_are_found_again() -> None:
    true = {"a": 1300, "b": 1500, "c": 1520, "d": 1680}
    shares = {
        (one, other): 1 / (1 + 10 ** ((true[other] - true[one]) / 400))
        for one, other in combinations(true, 2)
    }
    found = ratings([*true], wins_of(shares, 100_000))
    assert [rating.mean for rating in found] == pytest.approx([*true.values()], abs=0.5)


def test_the_interval_is_that_of_the_share_of_wins() -> None:
    """With even strengths, 400 games put the share within 4.9%: each of two within 17 points."""
    one, other = ratings("ab", wins_of({("a", "b"): 0.5}, 399))
    assert one.high - one.mean == pytest.approx(17, abs=0.5)
    assert other.low < MEAN < other.high


def test_a_bot_that_never_wins_has_a_rating() -> None:
    shares = {("a", "b"): 1.0, ("a", "c"): 1.0, ("b", "c"): 1.0}
    first, second, third = ratings("abc", wins_of(shares, 50))
    assert first.low > second.mean > third.high


def test_the_command_prints_every_pair_and_the_best_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["tournament", "--bots", "random,greedy,easy", "--games", "20"]) == 0
    pairs, table = capsys.readouterr().out.split("\n\n")
    assert [line.split(":")[0] for line in pairs.splitlines()] == [
        "random against greedy", "random against easy", "greedy against easy",
    ]  # fmt: skip
    assert [row.split()[0] for row in table.splitlines()[1:4]] == ["greedy", "easy", "random"]


@pytest.mark.parametrize("bots", ["greedy", "greedy,greedy", "greedy,oracle"])
def test_a_tournament_needs_two_different_bots(
    bots: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["tournament", "--bots", bots])
    assert "--bots" in capsys.readouterr().err
