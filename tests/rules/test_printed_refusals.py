"""Every play that the rule books print as illegal, each with its own clear refusal."""

from service.rules.notation import parse_tiles
from tests.rules.positions import cells, refusals


def codes(board: str, placements: str) -> list[str]:
    return [violation.code for violation in refusals(board, placements)]


def test_a_seventh_tile_in_a_complete_line_is_too_long_and_a_repeat() -> None:
    too_long, repeat = refusals("ro rs rd r* rc rx", "ro@6,0")
    assert too_long.code == "line_too_long"
    assert too_long.cells == cells("0,0 1,0 2,0 3,0 4,0 5,0 6,0")
    assert too_long.facts == {"length": 7}
    assert repeat.code == "line_repeats_tile"
    assert repeat.cells == cells("0,0 6,0")
    assert repeat.tiles == parse_tiles("ro ro")


def test_a_seventh_tile_that_does_not_suit_is_too_long_and_mixed() -> None:
    assert codes("ro rs rd r* rc rx", "bo@6,0") == ["line_too_long", "line_mixed"]


def test_a_shape_that_a_colour_line_already_has_is_refused() -> None:
    (repeat,) = refusals("oo od os", "oo@3,0")
    assert repeat.code == "line_repeats_tile"
    assert repeat.cells == cells("0,0 3,0")
    assert repeat.tiles == parse_tiles("oo oo")


def test_a_colour_that_a_shape_line_already_has_is_refused() -> None:
    (repeat,) = refusals("rx bx gx", "bx@3,0")
    assert (repeat.code, repeat.cells) == ("line_repeats_tile", cells("1,0 3,0"))


def test_a_repeat_is_refused_down_a_column_as_well() -> None:
    (repeat,) = refusals("rx\nbx\ngx", "rx@0,3")
    assert (repeat.code, repeat.cells) == ("line_repeats_tile", cells("0,0 0,3"))


def test_a_tile_that_touches_nothing_is_refused() -> None:
    (apart,) = refusals("ro rs", "rd@4,0")
    assert apart.code == "not_touching"
    assert apart.cells == cells("4,0")
    assert apart.tiles == parse_tiles("rd")


def test_a_tile_that_touches_only_by_a_corner_is_refused() -> None:
    assert codes("ro rs", "rd@2,1") == ["not_touching"]


def test_a_purple_circle_that_fits_the_purple_square_but_not_the_yellow_line_is_refused() -> None:
    (mixed,) = refusals(
        """
        .. .. ps
        yd y* ..
        """,
        "po@2,1",
    )
    assert mixed.code == "line_mixed"
    assert mixed.cells == cells("0,1 1,1 2,1")
    assert mixed.tiles == parse_tiles("yd y* po")


def test_a_tile_that_fits_the_row_of_circles_but_not_the_green_star_above_is_refused() -> None:
    (mixed,) = refusals(
        """
        .. .. g*
        ro bo ..
        """,
        "yo@2,1",
    )
    assert (mixed.code, mixed.cells) == ("line_mixed", cells("2,0 2,1"))


def test_tiles_added_to_two_different_lines_in_one_turn_are_refused() -> None:
    broken = refusals(
        """
        ro rs .. ..
        bs .. .. ..
        gs ys .. ..
        .. yo go po
        """,
        "rd@2,0 bo@4,3",
    )
    assert [violation.code for violation in broken] == ["not_in_one_line"]
    assert broken[0].cells == cells("2,0 4,3")
    assert broken[0].tiles == parse_tiles("rd bo")


def test_tiles_added_to_two_lines_of_one_row_are_refused_for_the_gap() -> None:
    broken = refusals(
        """
        ro rs .. .. .. bs bo
        rx .. .. .. .. b* ..
        gx yx px ox bx .. ..
        """,
        "rd@2,0 bd@4,0",
    )
    assert [violation.code for violation in broken] == ["line_has_gap"]
    assert broken[0].cells == cells("3,0")


def test_filling_a_gap_that_makes_different_shapes_in_different_colours_is_refused() -> None:
    assert codes("ro rs .. bd", "rd@2,0") == ["line_mixed"]


def test_two_tiles_in_one_cell_are_refused() -> None:
    (twice,) = refusals("ro", "rs@1,0 rd@1,0")
    assert (twice.code, twice.cells) == ("cell_repeated", cells("1,0 1,0"))
    assert twice.tiles == parse_tiles("rs rd")


def test_a_tile_on_a_covered_cell_is_refused() -> None:
    (covered,) = refusals("ro rs", "rd@1,0")
    assert (covered.code, covered.cells) == ("cell_occupied", cells("1,0"))
    assert covered.tiles == parse_tiles("rd")


def test_an_island_of_touching_tiles_is_refused() -> None:
    assert codes("ro rs", "bd@5,5 bx@6,5") == ["not_touching"]
