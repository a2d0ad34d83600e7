"""Every score that the rule books print."""

from tests.rules.positions import lengths, play


def test_each_line_scores_one_point_a_tile_standing_tiles_included() -> None:
    made = play("ro rs rd", "r*@3,0")
    assert (made.points, lengths(made)) == (4, [4])


def test_one_tile_forming_a_line_of_two_along_and_two_across_scores_four() -> None:
    made = play(
        """
        .. ro
        bs ..
        """,
        "rs@1,1",
    )
    assert (made.points, lengths(made)) == (4, [2, 2])


def test_one_tile_forming_lines_of_two_and_three_scores_five() -> None:
    made = play(
        """
        .. .. ro
        .. .. rd
        .. bs ..
        """,
        "rs@2,2",
    )
    assert (made.points, lengths(made)) == (5, [3, 2])


def test_two_stars_making_a_line_of_four_and_one_of_them_a_red_line_of_three_score_seven() -> None:
    made = play(
        """
        .. .. rd
        .. .. rx
        b* g* ..
        """,
        "r*@2,2 y*@3,2",
    )
    assert (made.points, lengths(made)) == (7, [4, 3])


def test_two_diamonds_one_completing_a_yellow_line_of_four_score_six() -> None:
    made = play(
        """
        y* yx yo
        """,
        "yd@3,0 rd@3,1",
    )
    assert (made.points, lengths(made)) == (6, [4, 2])


def test_three_reds_on_both_ends_of_a_line_of_three_score_seventeen() -> None:
    made = play(
        """
        .. .. .. .. gd ..
        .. .. .. .. yd ..
        .. r* rc ro .. ..
        .. .. .. .. .. bx
        """,
        "rs@0,2 rd@4,2 rx@5,2",
    )
    assert (made.points, lengths(made)) == (12 + 3 + 2, [6, 3, 2])


def test_two_reds_at_the_left_end_and_one_at_the_right_of_a_red_line_are_legal() -> None:
    made = play("r* rd rx", "ro@-2,0 rs@-1,0 rc@3,0")
    assert (made.points, lengths(made)) == (12, [6])


def test_a_sixth_star_at_the_end_of_a_line_of_five_scores_twelve() -> None:
    made = play("r* o* y* g* b*", "p*@5,0")
    assert (made.points, lengths(made)) == (12, [6])
    assert made.lines[0].qwirkle


def test_completing_a_line_of_six_scores_twelve_in_a_column_too() -> None:
    made = play("r*\no*\ny*\ng*\nb*", "p*@0,5")
    assert (made.points, lengths(made)) == (12, [6])


def test_a_line_of_five_is_no_qwirkle_and_scores_five() -> None:
    made = play("r* o* y* g*", "b*@4,0")
    assert made.points == 5
    assert not made.lines[0].qwirkle


def test_a_green_diamond_in_line_with_green_tiles_but_beyond_a_gap_scores_nothing_for_green() -> (
    None
):
    made = play(
        """
        go gs .. ..
        ro .. .. rd
        rs rx r* bd
        """,
        "gd@3,0",
    )
    assert (made.points, lengths(made)) == (3, [3])


def test_six_tiles_can_complete_seven_qwirkles_for_eighty_four_points() -> None:
    made = play(
        """
        @0,-5
        ro oo yo go bo po
        rs os ys gs bs ps
        rd od yd gd bd pd
        r* o* y* g* b* p*
        rc oc yc gc bc pc
        """,
        "rx@0,0 ox@1,0 yx@2,0 gx@3,0 bx@4,0 px@5,0",
    )
    assert (made.points, lengths(made)) == (84, [6] * 7)


def test_a_single_tile_above_another_scores_its_column_alone() -> None:
    made = play("ro", "rs@0,-1")
    assert (made.points, lengths(made)) == (2, [2])


def test_a_line_of_one_tile_is_no_line_and_scores_nothing() -> None:
    made = play("", "ro@0,0", opening=1)
    assert (made.points, made.lines) == (0, ())


def test_an_opening_line_of_six_scores_twelve() -> None:
    made = play("", "ro@0,0 rs@1,0 rd@2,0 r*@3,0 rc@4,0 rx@5,0", opening=6)
    assert made.points == 12


def test_standing_lines_joined_into_one_score_as_one() -> None:
    made = play("ro rs .. r* rc", "rd@2,0")
    assert (made.points, lengths(made)) == (5, [5])


def test_gaps_between_standing_tiles_may_be_filled_in_one_turn() -> None:
    made = play(
        """
        ro .. rd .. rc
        bo bs bd b* bc
        """,
        "rs@1,0 r*@3,0",
    )
    assert (made.points, lengths(made)) == (9, [5, 2, 2])
