"""Matches between bots: reproducible, fair to every seat, and counted honestly."""

import json
from collections import Counter
from dataclasses import replace
from math import isclose
from pathlib import Path

import pytest

from service.bots.matches import Match, Outcome, play_match
from service.bots.standings import mean_of, share_of, summary_of
from service.cli import main
from service.commands import simulate
from service.commands.simulate import table_of
from service.rules.record.replay import replay_record

MATCH = Match(("greedy", "random"), 6, "a seed")


def outcomes(match: Match, jobs: int = 1) -> list[Outcome]:
    return list(play_match(match, jobs))


def test_the_same_seed_gives_the_same_games_in_any_number_of_processes() -> None:
    alone = outcomes(MATCH)
    assert alone == outcomes(MATCH, jobs=2)
    assert [outcome.number for outcome in alone] == list(range(6))
    assert alone != outcomes(replace(MATCH, seed="another"))


def test_every_deal_is_played_once_from_every_seat() -> None:
    match = Match(("greedy", "greedy", "greedy"), 6, "turns")
    played = outcomes(match)
    for first in (0, 3):
        deals = played[first : first + 3]
        assert [outcome.seats for outcome in deals] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
        by_seat = {tuple(outcome.scores[outcome.seats.index(seat)] for seat in range(3))
                   for outcome in deals}  # fmt: skip
        assert len(by_seat) == 1


def test_scores_winners_and_qwirkles_belong_to_the_player_not_to_the_seat() -> None:
    for outcome in outcomes(replace(MATCH, keep_records=True)):
        assert outcome.record is not None
        best = max(outcome.scores)
        assert outcome.winners == tuple(
            player for player, score in enumerate(outcome.scores) if score == best
        )
        names = [player["name"] for player in outcome.record["events"][0]["players"]]
        assert [names[seat].split()[0] for seat in outcome.seats] == list(MATCH.bots)
        assert outcome.end is not None
        assert sum(outcome.moves) == outcome.turns


def test_a_shared_victory_counts_as_its_share() -> None:
    outcome = outcomes(replace(MATCH, games=1))[0]
    games = [replace(outcome, winners=winners) for winners in ((0,), (0, 1), (1,), (0, 1))]
    standings = summary_of(MATCH.bots, games).standings
    assert [standing.wins.mean for standing in standings] == [0.5, 0.5]


def test_intervals_are_wilsons_for_shares_and_normal_for_means() -> None:
    share = share_of(8, 10)
    assert isclose(share.low, 0.4902, abs_tol=1e-3)
    assert isclose(share.high, 0.9433, abs_tol=1e-3)
    assert share_of(0, 10).low == pytest.approx(0)
    mean = mean_of(Counter([1, 2, 3, 4, 5]))
    assert mean.mean == 3
    assert isclose(mean.high - mean.low, 2 * 1.96 * (2.5 / 5) ** 0.5)
    assert mean_of(Counter([4])).low == 4


def test_the_table_names_every_player_with_its_figures() -> None:
    table = table_of(summary_of(MATCH.bots, outcomes(MATCH))).splitlines()
    assert table[0].split()[:2] == ["bot", "wins"]
    assert [row.split()[0] for row in table[1:3]] == ["greedy", "random"]
    assert "6 games" in table[3]


def test_the_command_writes_a_record_of_each_game_that_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ["--games", "2", "--bots", "greedy,random,random", "--seed", "x"]
    assert main(["simulate", *arguments, "--out", str(out)]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("random") == 2
    assert printed.err == ""
    lines = out.read_text().splitlines()
    assert len(lines) == 2
    for line in lines:
        assert replay_record(json.loads(line))[-1].game.phase == "finished"


def test_a_file_that_cannot_be_written_is_told_before_any_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "--out", str(tmp_path / "none" / "games.jsonl")]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [["--games", "0"], ["--bots", "greedy"], ["--bots", "greedy,oracle"], ["--jobs", "x"]]
)
def test_wrong_options_are_refused(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["simulate", *wrong])
    assert left.value.code == 2
    assert wrong[0] in capsys.readouterr().err


def test_a_picture_needs_matplotlib_and_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "report.png"
    code = main(["simulate", "--games", "4", "--bots", "greedy,random", "--plot", str(picture)])
    if simulate.can_draw():
        assert code == 0
        assert picture.read_bytes().startswith(b"\x89PNG")
    else:
        assert code == 2
        assert "[plot]" in capsys.readouterr().err
