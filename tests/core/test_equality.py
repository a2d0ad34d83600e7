"""The compiled core does what the rules and the bots in Python do, position by position."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.bots import choose
from service.bots.actions import perform
from service.bots.matches import Match, no_clock, play_game
from service.bots.observation import observe
from service.core.legal_plays import Order, first_plays
from service.rules.notation import parse_board, parse_tiles
from service.rules.record.replay import replay_record
from tests.core.comparing import (
    compare_choices_in,
    compare_games,
    compare_hostile,
    compare_positions,
    compare_scattered,
    compare_tiny,
    in_both,
    let_the_expert_choose,
)

NUMBERS = st.integers(0, 2**32)

MIXES = [
    ("greedy", "greedy"),
    ("random", "cautious", "easy"),
    ("greedy", "random", "cautious", "easy"),
]

SOAK_POSITIONS = 100_000
SOAK_GAMES = 500


@settings(max_examples=40)
@given(NUMBERS)
def test_it_finds_the_same_plays_in_the_same_order(number: int) -> None:
    compare_positions(number)


def test_the_service_lists_the_same_plays_without_it() -> None:
    terms = (parse_board("ro rs\nbo .."), parse_tiles("rd r* bs"), None)
    orders: tuple[Order, ...] = ("found", "reading", "points")
    for order in orders:
        for limit in (1, 5, 1000):
            count, plays = in_both(lambda: first_plays(terms, limit, order))  # noqa: B023
            assert len(plays) == min(count, limit) > 0


@settings(max_examples=30)
@given(NUMBERS)
def test_its_bots_choose_the_same(number: int) -> None:
    compare_choices_in(number, 8, 9)


@settings(max_examples=100)
@given(NUMBERS)
def test_its_bots_choose_the_same_with_few_tiles(number: int) -> None:
    compare_tiny(number, 40)


@settings(max_examples=200)
@given(NUMBERS)
def test_tables_that_no_game_has_are_searched_all_the_same(number: int) -> None:
    compare_scattered(number)


def test_the_worst_table_is_no_exception() -> None:
    compare_hostile()


@pytest.mark.parametrize("bots", MIXES, ids="-".join)
@pytest.mark.parametrize("records", [False, True], ids=["scores", "records"])
def test_whole_games_are_the_same_move_for_move(bots: tuple[str, ...], records: bool) -> None:
    compare_games(Match(bots, 24, "the same", keep_records=records))


@pytest.mark.parametrize("bots", [("hard", "greedy"), ("medium", "hard", "greedy")], ids="-".join)
def test_whole_games_with_a_look_ahead_are_the_same_move_for_move(bots: tuple[str, ...]) -> None:
    compare_games(Match(bots, 3, "the same", 192, keep_records=True))


@settings(max_examples=30)
@given(NUMBERS)
def test_the_expert_chooses_what_the_rules_allow(number: int) -> None:
    let_the_expert_choose(number)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_expert_chooses_the_same_in_a_whole_game_and_move_by_move(seats: int) -> None:
    """In a whole game the core itself keeps what it is told by the observation otherwise."""
    match = Match(("expert",) * seats, 1, "move by move", 128, keep_records=True)
    outcome = play_game(match, no_clock, 0)
    assert outcome.record is not None
    steps = replay_record(outcome.record)
    for before, after in pairwise(steps):
        game = before.game
        if game.mover is not None:
            seed = f"move by move/0/{game.version}".encode()
            action = choose("expert", observe(game, game.mover), seed, match.budget)
            assert perform(game, game.mover, action).game == after.game


@pytest.mark.soak
def test_it_finds_the_same_plays_in_a_hundred_thousand_positions() -> None:
    positions = number = 0
    while positions < SOAK_POSITIONS:
        positions += compare_positions(number)
        number += 1


@pytest.mark.soak
@settings(max_examples=1500)
@given(NUMBERS)
def test_its_bots_choose_the_same_in_thousands_of_positions(number: int) -> None:
    compare_choices_in(number, 20, 7)
    compare_tiny(number, 200)
    compare_scattered(number)


@pytest.mark.soak
@pytest.mark.parametrize("bots", MIXES, ids="-".join)
def test_hundreds_of_whole_games_are_the_same_move_for_move(bots: tuple[str, ...]) -> None:
    compare_games(Match(bots, SOAK_GAMES, "soaked", keep_records=True))


@pytest.mark.soak
def test_whole_games_with_a_look_ahead_are_the_same_with_the_whole_budget() -> None:
    for bots in (("hard", "hard"), ("hard", "medium", "cautious"), ("hard",) * 4):
        compare_games(Match(bots, 4, "soaked", keep_records=True))
