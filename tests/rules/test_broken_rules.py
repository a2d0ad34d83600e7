"""All broken rules are reported together, in a fixed order, with their cells and tiles."""

from itertools import permutations

import pytest

from service.rules.cells import cell_at
from service.rules.english_texts import describe
from service.rules.errors import ORDER_OF_CODES, RulesBroken, Violation
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.plays import judge
from service.rules.starting_position import Setup, lay_out
from tests.rules.positions import SEED, cells, play, refusals, violations

# As the public interface lists them.
PUBLISHED = """
    tiles_not_in_hand cell_occupied cell_repeated not_in_one_line line_has_gap not_touching
    line_too_long line_repeats_tile line_mixed opening_not_longest opening_off_centre must_open
    exchange_exceeds_bag bag_empty must_play must_exchange bid_too_high bid_too_low
    seats_taken setup_impossible
"""


def test_the_fixed_order_of_codes_is_the_published_one() -> None:
    assert list(ORDER_OF_CODES) == PUBLISHED.split()


def test_tiles_missing_from_the_hand_are_named_as_often_as_they_are_missing() -> None:
    (missing,) = refusals("rs", "ro@0,1 rd@0,2 rx@0,3", hand="ro rd")
    assert (missing.code, missing.tiles, missing.cells) == (
        "tiles_not_in_hand",
        parse_tiles("rx"),
        (),
    )


def test_placing_a_tile_twice_that_the_hand_holds_once_is_refused() -> None:
    broken = refusals("rs", "ro@0,1 ro@1,0", hand="ro rd")
    assert [each.code for each in broken] == ["tiles_not_in_hand", "not_in_one_line"]
    assert broken[0].tiles == parse_tiles("ro")


def test_only_the_tiles_that_share_a_cell_are_named_for_it() -> None:
    broken = refusals("ro", "rs@1,0 rd@1,0 rx@2,0")[0]
    assert (broken.code, broken.cells, broken.tiles) == (
        "cell_repeated",
        cells("1,0 1,0"),
        parse_tiles("rs rd"),
    )


def test_an_error_of_the_rules_lists_the_codes() -> None:
    with pytest.raises(RulesBroken, match=r"^tiles_not_in_hand, not_in_one_line$"):
        play("rs", "ro@0,1 ro@1,0", hand="ro rd")


def test_each_missing_cell_of_a_gap_is_named() -> None:
    (gap,) = refusals("ro", "rs@1,0 rd@4,0")
    assert (gap.code, gap.cells, gap.tiles) == ("line_has_gap", cells("2,0 3,0"), ())


def test_a_gap_in_a_column_is_named_too() -> None:
    (gap,) = refusals("ro", "rs@0,1 rd@0,3")
    assert (gap.code, gap.cells) == ("line_has_gap", cells("0,2"))


def test_a_standing_tile_between_two_placed_ones_is_no_gap() -> None:
    assert play(".. ro", "rs@0,0 rd@2,0").points == 3


def test_every_broken_line_is_reported_along_and_across() -> None:
    broken = refusals(
        """
        .. gx
        rs ..
        """,
        "bo@1,1",
    )
    assert [(each.code, each.cells) for each in broken] == [
        ("line_mixed", cells("0,1 1,1")),
        ("line_mixed", cells("1,0 1,1")),
    ]


def test_a_line_that_repeats_and_mixes_is_reported_for_both() -> None:
    assert [each.code for each in refusals("ro rs", "ro@2,0 bx@3,0")] == [
        "line_repeats_tile",
        "line_mixed",
    ]


def test_everything_wrong_at_once_is_reported_in_the_fixed_order() -> None:
    broken = refusals("ro rs rd r* rc rx", "bo@0,0 ro@6,0 ro@6,0 gs@9,9", hand="bo ro ro bs")
    assert [each.code for each in broken] == [
        "tiles_not_in_hand",
        "cell_occupied",
        "cell_repeated",
        "not_in_one_line",
        "line_too_long",
        "line_repeats_tile",
    ]


def test_a_line_of_eight_is_reported_with_its_length() -> None:
    too_long = refusals("ro rs rd r* rc rx", "bo@6,0 yo@7,0")[0]
    assert (too_long.code, too_long.facts) == ("line_too_long", {"length": 8})


def test_a_line_of_six_with_a_tile_twice_is_not_too_long() -> None:
    (broken,) = refusals("ro rs rd r* rc", "ro@5,0")
    assert describe(broken) == (
        "A line cannot hold the same tile twice: red-circle, red-circle on (0, 0), (5, 0)."
    )


def test_a_line_that_does_not_concern_the_placed_tiles_is_not_judged() -> None:
    board = parse_board(
        """
        ro bs
        rd ..
        """
    )
    assert judge(board, parse_play("rx@0,2"), parse_tiles("rx")).points == 3


@pytest.mark.parametrize(
    ("board", "placements"),
    [
        ("r* rd rx", "ro@-2,0 rs@-1,0 rc@3,0"),
        ("ro rs .. .. rc", "rd@2,0 r*@3,0"),
        ("ro", "rs@0,1 rd@0,2 rx@0,3 rc@0,-1"),
        ("ro", "rs@1,0 rd@4,0 rx@2,0"),
        ("ro rs", "bo@1,1 ro@1,0 ro@5,5"),
        ("ro rs rd r* rc rx", "bo@6,0 ro@7,0 bs@6,1"),
    ],
)
def test_the_order_in_which_placements_are_listed_never_matters(
    board: str, placements: str
) -> None:
    table = parse_board(board)
    laid = parse_play(placements)
    hand = [tile for _, tile in laid]

    def outcome(order: tuple[tuple[int, int], ...]) -> object:
        try:
            return judge(table, order, hand)
        except RulesBroken as broken:
            return broken.violations

    first = outcome(laid)
    assert all(outcome(order) == first for order in permutations(laid))


def test_a_play_lists_its_placements_in_reading_order() -> None:
    made = play("ro", "rd@0,2 rs@0,1")
    assert made.placements == parse_play("rs@0,1 rd@0,2")


def test_an_opening_unlike_the_bid_is_refused_with_both_lengths() -> None:
    (short,) = refusals("", "ro@0,0 rs@1,0", hand="ro rs rd", opening=3)
    assert (short.code, short.facts) == ("opening_not_longest", {"bid": 3, "laid": 2})
    assert (short.cells, short.tiles) == (cells("0,0 1,0"), parse_tiles("ro rs"))


def test_an_opening_longer_than_the_bid_is_refused_too() -> None:
    (long,) = refusals("", "ro@0,0 rs@1,0 rd@2,0", opening=2)
    assert (long.code, long.facts) == ("opening_not_longest", {"bid": 2, "laid": 3})


def test_an_opening_that_does_not_cover_the_middle_of_the_table_is_refused() -> None:
    (off,) = refusals("", "ro@1,0 rs@2,0", opening=2)
    assert (off.code, off.cells, off.tiles) == (
        "opening_off_centre",
        cells("1,0 2,0"),
        parse_tiles("ro rs"),
    )


@pytest.mark.parametrize("placements", ["ro@-1,0 rs@0,0", "ro@0,-1 rs@0,0", "ro@0,0 rs@0,1"])
def test_an_opening_may_cover_the_middle_with_any_of_its_tiles(placements: str) -> None:
    assert play("", placements, opening=2).points == 2


def test_an_opening_with_a_gap_is_refused() -> None:
    assert [each.code for each in refusals("", "ro@0,0 rs@2,0", opening=2)] == ["line_has_gap"]


def test_an_opening_that_makes_no_line_is_refused() -> None:
    assert [each.code for each in refusals("", "ro@0,0 bs@1,0", opening=2)] == ["line_mixed"]


def test_an_opening_in_no_line_off_the_middle_and_too_short_names_all_three() -> None:
    assert [each.code for each in refusals("", "ro@1,1 rs@2,2", opening=3)] == [
        "not_in_one_line",
        "opening_not_longest",
        "opening_off_centre",
    ]


def test_the_opening_touches_nothing_and_needs_not() -> None:
    assert play("", "ro@0,0", opening=1).points == 0


def test_every_code_is_told_in_a_sentence_with_its_figures() -> None:
    facts = {"bid": 3, "laid": 2, "bag": 4, "given": 5, "least": 6}
    told = {
        code: describe(Violation(code, cells("0,-1"), parse_tiles("ro"), facts))
        for code in ORDER_OF_CODES
        if code != "setup_impossible"
    }
    assert all(sentence.endswith(".") and "{" not in sentence for sentence in told.values())
    assert len(set(told.values())) == len(told)
    assert "red-circle" in told["tiles_not_in_hand"]
    assert "(0, -1)" in told["cell_occupied"]
    assert told["must_exchange"].count("4") == 1


@pytest.mark.parametrize("spread", [1, 2])
def test_each_broken_rule_of_a_real_refusal_can_be_told(spread: int) -> None:
    for broken in refusals("ro rs rd r* rc rx", f"ro@6,0 gx@{6 + spread},1", hand="ro"):
        assert describe(broken)


def test_a_setup_that_breaks_a_rule_of_lines_is_told_by_that_rule() -> None:
    setup = Setup(board=((cell_at(0, 0), 0), (cell_at(1, 0), 0)))
    (broken,) = violations(lambda: lay_out(setup, 2, SEED))
    assert "same tile twice" in describe(broken)


@pytest.mark.parametrize("code", ["line_repeats_tile", "line_mixed"])
def test_a_line_that_is_only_bid_is_told_without_cells(code: str) -> None:
    assert describe(Violation(code, tiles=parse_tiles("ro bs"))).endswith(
        ": red-circle, blue-square."
    )


def test_a_cell_that_is_named_twice_is_told_once() -> None:
    (broken,) = refusals("ro", "rs@1,0 rd@1,0")
    assert broken.code == "cell_repeated"
    assert describe(broken) == "More than one tile is placed on (1, 0)."


@pytest.mark.parametrize("facts", [{"given": 1, "seats": 2}, {"given": 3, "seats": 2}])
def test_hands_unlike_the_seats_are_told_in_good_grammar(facts: dict[str, int]) -> None:
    told = describe(Violation("setup_impossible", facts={"reason": "hands_unlike_seats", **facts}))
    assert told == f"Hands given: {facts['given']}; seats: {facts['seats']}."
