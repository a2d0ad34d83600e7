"""The rules against a brute-force checker that was written separately and plainly."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.actions import opening_length
from service.rules.board import Board
from service.rules.cells import cell_at, xy
from service.rules.errors import Malformed, RulesBroken
from service.rules.legal_plays import (
    any_play,
    best_play,
    by_least,
    by_points,
    least_play,
    legal_plays,
)
from service.rules.lines import longest_line
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.plays import judge
from service.rules.state import Game
from service.rules.tiles import TILES
from tests.rules import reference_rules
from tests.rules.positions import lengths, reference_board, reference_placements, reference_tiles
from tests.rules.random_games import random_game, random_placements

NUMBERS = st.integers(0, 2**32)


def check_a_position(board: Board, hand: tuple[int, ...], opening: int | None) -> None:
    table = reference_board(board)
    expected = reference_rules.all_plays(table, reference_tiles(hand), opening)
    found = legal_plays(board, hand, opening)
    assert len(found) == len({play.placements for play in found}), "no play is found twice"
    told = {frozenset(reference_placements(play.placements)): play.points for play in found}
    assert told == expected
    for play in found:
        laid = dict(reference_placements(play.placements))
        lines = [frozenset(map(xy, line.cells)) for line in play.lines]
        assert len(lines) == len(set(lines))
        assert set(lines) == reference_rules.lines_of(table, laid)
        assert list(play.placements) == sorted(play.placements)
    best = best_play(board, hand, opening)
    assert best == min(found, key=by_points, default=None)
    if opening is None:
        assert any_play(board, hand) == bool(expected)
    assert least_play(board, hand, opening) == min(found, key=by_least, default=None)


def check_positions_of(number: int) -> None:
    for _, game in random_game(number):
        if game.phase != "playing":
            continue
        seat = game.mover
        assert seat is not None
        check_a_position(game.board, game.player(seat).hand, opening_length(game, seat))


def check_random_placements_of(number: int) -> None:
    chance = Random(number)
    for _, game in random_game(number):
        if game.phase != "playing":
            continue
        seat = chance.choice(sorted(game.active))
        hand = game.player(seat).hand
        for _ in range(4):
            check_placements(game, hand, random_placements(chance, game, hand))


def check_placements(game: Game, hand: tuple[int, ...], placements: list[tuple[int, int]]) -> None:
    expected = reference_rules.verdict(
        reference_board(game.board), reference_tiles(hand), reference_placements(placements)
    )
    try:
        points = judge(game.board, placements, hand).points
    except RulesBroken:
        points = None
    assert points == expected


@settings(max_examples=60)
@given(NUMBERS)
def test_a_play_is_accepted_exactly_if_the_plain_checker_accepts_it_with_equal_points(
    number: int,
) -> None:
    check_random_placements_of(number)


# A course has about 27 positions, so these are more than two thousand in all.
@pytest.mark.parametrize("part", range(3))
@settings(max_examples=25)
@given(number=NUMBERS)
def test_legal_plays_are_those_of_brute_force_on_reachable_positions(
    number: int, part: int
) -> None:
    check_positions_of(number + part * 2**33)


def test_legal_openings_are_those_of_brute_force() -> None:
    chance = Random(6)
    for _ in range(60):
        hand = tuple(sorted(chance.choice(TILES) for _ in range(6)))
        check_a_position(Board(), hand, longest_line(hand))


@pytest.mark.soak
@settings(max_examples=2500)
@given(NUMBERS)
def test_legal_plays_are_those_of_brute_force_on_tens_of_thousands_of_positions(
    number: int,
) -> None:
    check_positions_of(number)
    check_random_placements_of(number)


@pytest.mark.parametrize("length", range(1, 7))
def test_an_opening_line_of_each_length_is_found_in_every_place_and_order(length: int) -> None:
    hand = parse_tiles("ro rs rd r* rc rx")[:length]
    orders = 1
    for factor in range(1, length + 1):
        orders *= factor
    places = 1 if length == 1 else 2 * length
    assert len(legal_plays(Board(), hand, length)) == places * orders


def test_an_opening_of_a_single_tile_is_told_to_score_nothing() -> None:
    (play,) = legal_plays(Board(), parse_tiles("ro"), 1)
    assert (play.points, play.lines) == (0, ())


def test_an_opening_longer_than_every_line_of_the_hand_has_no_play() -> None:
    hand = parse_tiles("ro rs bd")
    assert legal_plays(Board(), hand, 3) == []
    assert best_play(Board(), hand, 3) is None
    assert least_play(Board(), hand, 3) is None


def test_plays_on_both_ends_of_a_line_are_found() -> None:
    plays = legal_plays(parse_board("r* rd rx"), parse_tiles("ro rs rc"))
    assert parse_play("ro@-2,0 rs@-1,0 rc@3,0") in [play.placements for play in plays]


def test_plays_that_fill_two_gaps_are_found() -> None:
    board = parse_board("ro .. rd .. rc\nbo bs bd b* bc")
    plays = legal_plays(board, parse_tiles("rs r*"))
    assert parse_play("rs@1,0 r*@3,0") in [play.placements for play in plays]


def test_a_hand_with_copies_finds_no_play_twice() -> None:
    once = legal_plays(parse_board("ro"), parse_tiles("rs rd"))
    assert legal_plays(parse_board("ro"), parse_tiles("rs rs rs rd rd rd")) == once


def test_an_empty_hand_or_an_empty_table_has_no_play() -> None:
    assert legal_plays(parse_board("ro"), ()) == []
    assert legal_plays(Board(), parse_tiles("ro")) == []
    assert best_play(Board(), parse_tiles("ro")) is None
    assert least_play(Board(), parse_tiles("ro")) is None
    assert least_play(parse_board("ro"), parse_tiles("bs")) is None
    assert not any_play(Board(), parse_tiles("ro"))


def test_the_best_play_is_not_missed_among_hundreds_of_orders() -> None:
    board = parse_board(
        "@0,-5\nro oo yo go bo po\nrs os ys gs bs ps\nrd od yd gd bd pd\n"
        "r* o* y* g* b* p*\nrc oc yc gc bc pc"
    )
    best = best_play(board, parse_tiles("rx ox yx gx bx px"))
    assert best is not None
    assert (best.points, lengths(best)) == (84, [6] * 7)


def test_among_equal_points_the_best_play_comes_first_in_reading_order() -> None:
    best = best_play(parse_board("ro"), parse_tiles("rs"))
    assert best is not None
    assert best.placements == parse_play("rs@0,-1")


def test_among_equal_points_the_best_play_has_fewest_tiles() -> None:
    # The blue circle alone makes 2 and 2; with the red circle beside it there are also ways to 4.
    board, hand = parse_board("ro rs\n.. bs"), parse_tiles("ro bo")
    sizes = [len(play.placements) for play in legal_plays(board, hand) if play.points == 4]
    assert set(sizes) == {1, 2}
    best = best_play(board, hand)
    assert best is not None
    assert best.placements == parse_play("bo@0,1")


def test_the_least_play_has_fewest_points_and_comes_first_in_reading_order() -> None:
    # In the corner a blue circle scores 4; to the right and below it scores 2.
    board, hand = parse_board(".. bs\nro rs"), parse_tiles("bo")
    plays = {play.placements: play.points for play in legal_plays(board, hand)}
    corner, right, below = map(parse_play, ("bo@0,0", "bo@2,0", "bo@0,2"))
    assert plays == {corner: 4, right: 2, below: 2}
    least = least_play(board, hand)
    assert least is not None
    assert (least.points, least.placements) == (2, right)


def test_a_square_of_all_36_kinds_takes_no_tile() -> None:
    # Each row a colour, each column a shape, all of them complete.
    square = Board((cell_at(tile % 6, tile // 6), tile) for tile in TILES)
    assert not any_play(square, TILES)
    assert legal_plays(square, TILES) == []


def test_a_cell_that_can_never_be_filled_is_no_place_to_play() -> None:
    board = parse_board("ro .. bs")
    assert all(
        xy(cell) != (1, 0) for play in legal_plays(board, TILES) for cell, _ in play.placements
    )


def test_a_cell_between_tiles_that_make_no_line_takes_no_tile() -> None:
    assert not any_play(parse_board("bs .. gd"), parse_tiles("ro"))


def test_two_lines_that_hold_the_same_tile_are_never_joined() -> None:
    # One tile would join them, or two with a tile of their own line between.
    for board, hand in (("ro rs .. ro", "rd"), ("ro rs .. .. ro", "rd rx")):
        row = [
            play
            for play in legal_plays(parse_board(board), parse_tiles(hand))
            if any(line.length > 3 + len(play.placements) - 1 for line in play.lines)
        ]
        assert row == []
        check_a_position(parse_board(board), parse_tiles(hand), None)


def test_a_gap_between_two_lines_that_hold_the_same_tile_is_nothing_to_do() -> None:
    # A red circle would fit both sides of the gap, and fits nowhere else.
    board = parse_board(
        """
        g* gs gd .. gs g*
        .. rs rd .. rs ..
        b* bs bd .. bs b*
        """
    )
    assert not any_play(board, parse_tiles("ro"))
    check_a_position(board, parse_tiles("ro"), None)


def test_a_cold_board_and_one_grown_play_by_play_know_the_same_open_cells() -> None:
    for number in range(25):
        for _, game in random_game(number):
            # Asking here makes the next play carry them on instead of making them anew.
            assert game.board.spots == Board(game.board.tiles.items()).spots


def test_a_hand_of_all_kinds_is_searched_too() -> None:
    check_a_position(parse_board("ro"), parse_tiles("ro rs rd bo bs bd"), None)


def test_malformed_hands_are_refused() -> None:
    for bad in (36, -1, "ro", None, 1.0, True):
        for search in (legal_plays, best_play, least_play, any_play):
            with pytest.raises(Malformed):
                search(parse_board("ro"), (bad,))
