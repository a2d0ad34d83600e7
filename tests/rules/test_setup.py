"""Games that start from a given position."""

from collections import Counter
from typing import Any

import pytest

from service.rules.actions import create, join, place, resign
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.english_texts import describe
from service.rules.errors import Malformed, RulesBroken, Violation
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.shuffle import mix
from service.rules.starting_position import Setup, lay_out
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG, Tile
from tests.rules.positions import SEED, cells, entrants, hand_of, position, untimely, violations

SIX = parse_tiles("bs bd b* bc bx gs")
ANOTHER_SIX = parse_tiles("rs g* gc gx ys yd")


def board(text: str) -> tuple[Placement, ...]:
    return tuple(parse_board(text).tiles.items())


def start(setup: Setup, players: int = 2, seats: int | None = None) -> Game:
    return create(SEED, entrants(players), seats=seats, setup=setup).game


def faults(setup: Setup, seats: int = 2) -> list[Violation]:
    broken = violations(lambda: create(SEED, entrants(seats), setup=setup))
    assert {each.code for each in broken} == {"setup_impossible"}
    assert all(describe(each).endswith(".") for each in broken)
    return list(broken)


def reasons(setup: Setup, seats: int = 2) -> list[object]:
    return [each.facts["reason"] for each in faults(setup, seats)]


def everything(game: Game) -> Counter[Tile]:
    hands = [tile for player in game.seated.values() for tile in player.hand]
    return Counter([*hands, *game.board.tiles.values(), *game.bag, *game.removed])


def test_with_a_board_the_game_starts_at_the_move_of_the_given_turn() -> None:
    game = position("ro", "bs", "rs", "rd", turn=2, scores=(4, 5, 6))
    assert (game.phase, game.mover, game.turn, game.opening) == ("playing", 2, 1, False)
    assert [player.score for player in game.seated.values()] == [4, 5, 6]
    assert (game.version, game.positioned, game.setup) == (1, True, None)


def test_without_a_turn_seat_0_moves() -> None:
    assert position("ro", "bs", "rs").mover == 0


def test_tiles_of_the_setup_were_laid_in_turn_0_and_the_first_play_in_turn_1() -> None:
    game = position("ro rs", "bs bd", "rd")
    assert game.laid == (0, 0)
    assert place(game, 0, parse_play("bs@1,1")).game.laid == (0, 0, 1)


def test_without_a_board_the_game_starts_at_the_bids() -> None:
    game = position("", "bs", "rs")
    assert (game.phase, game.mover, game.turn) == ("bidding", None, 0)
    assert position("", "bs bd", "rs", auto_bid=True).phase == "playing"


def test_an_empty_setup_draws_everything_from_the_whole_bag_at_event_one() -> None:
    game = start(Setup())
    bag = mix(WHOLE_BAG, SEED, 1)
    assert hand_of(game, 0) == tuple(sorted(bag[:6]))
    assert hand_of(game, 1) == tuple(sorted(bag[6:12]))
    assert game.bag == bag[12:]
    assert game.phase == "bidding"


def test_what_is_left_open_makes_up_108_tiles() -> None:
    game = start(Setup(board=board("ro rs"), hands=(SIX, None)))
    assert everything(game) == Counter(WHOLE_BAG)
    assert hand_of(game, 0) == tuple(sorted(SIX))
    assert len(hand_of(game, 1)) == 6


def test_a_null_hand_is_drawn_from_the_front_of_the_given_bag() -> None:
    bag = (*ANOTHER_SIX, *parse_tiles("px ox yx"))
    game = start(Setup(board=board("ro"), hands=(SIX, None), bag=bag))
    assert hand_of(game, 1) == tuple(sorted(ANOTHER_SIX))
    assert game.bag == parse_tiles("px ox yx")


def test_null_hands_are_drawn_in_seat_order() -> None:
    game = start(Setup(board=board("ro"), bag=(*SIX, *ANOTHER_SIX)))
    assert hand_of(game, 0) == tuple(sorted(SIX))
    assert hand_of(game, 1) == tuple(sorted(ANOTHER_SIX))


def test_the_order_of_a_given_bag_is_kept() -> None:
    bag = parse_tiles("px ox yx gx")
    assert start(Setup(board=board("ro"), hands=(SIX, ANOTHER_SIX), bag=bag)).bag == bag


def test_fewer_than_108_tiles_are_allowed() -> None:
    assert sum(everything(position("ro", "bs", "rs")).values()) == 3


def test_a_setup_is_complete_when_nothing_is_left_to_a_draw() -> None:
    assert Setup(hands=(SIX, ANOTHER_SIX), bag=()).complete
    assert not Setup(hands=(SIX, None), bag=()).complete
    assert not Setup(hands=(SIX, ANOTHER_SIX)).complete
    assert not Setup(bag=()).complete


def test_a_setup_game_starts_as_soon_as_its_seats_are_taken() -> None:
    setup = Setup(board=board("ro"), hands=(SIX, ANOTHER_SIX), bag=(), scores=(1, 2), turn=1)
    game = start(setup, players=1, seats=2)
    assert (game.phase, game.mover, hand_of(game, 0)) == ("waiting", None, ())
    assert untimely(lambda: deal(game)) == "seats_open"
    game = join(game, Entrant("Eve")).game
    assert (game.phase, game.mover, game.turn) == ("playing", 1, 1)
    assert hand_of(game, 1) == tuple(sorted(ANOTHER_SIX))
    assert game.player(1).score == 2


def test_a_seat_of_a_setup_game_may_be_left_and_taken_again_while_waiting() -> None:
    setup = Setup(board=board("ro"), hands=(SIX, ANOTHER_SIX, SIX), bag=())
    game = resign(start(setup, players=2, seats=3), 0).game
    game = join(join(game, Entrant("Eve")).game, Entrant("Fay")).game
    assert game.phase == "playing"
    assert [player.name for player in game.seated.values()] == ["Eve", "Ben", "Fay"]


def test_no_deal_in_a_setup_game() -> None:
    assert untimely(lambda: deal(start(Setup()))) == "wrong_phase"


def test_as_many_hands_as_seats_are_needed() -> None:
    (fault,) = faults(Setup(hands=(SIX, ANOTHER_SIX)), seats=3)
    assert fault.facts == {"reason": "hands_unlike_seats", "given": 2, "seats": 3}


def test_as_many_scores_as_seats_are_needed() -> None:
    (fault,) = faults(Setup(scores=(1,)))
    assert fault.facts == {"reason": "scores_unlike_seats", "given": 1, "seats": 2}


def test_a_turn_without_a_board_is_impossible() -> None:
    assert reasons(Setup(turn=0)) == ["turn_without_board"]


def test_a_turn_of_a_seat_that_does_not_exist_is_impossible() -> None:
    (fault,) = faults(Setup(board=board("ro"), turn=2))
    assert fault.facts == {"reason": "turn_without_seat", "given": 2, "seats": 2}
    assert start(Setup(board=board("ro"), turn=1)).mover == 1


@pytest.mark.parametrize(
    "setup",
    [
        Setup(bag=parse_tiles("ro ro ro ro")),
        Setup(board=board("ro"), hands=(parse_tiles("ro ro"), parse_tiles("ro")), bag=()),
        Setup(board=board("ro rs"), bag=parse_tiles("ro ro ro")),
        Setup(hands=(parse_tiles("ro ro ro ro bs bd"), None)),
    ],
)
def test_a_fourth_copy_of_a_tile_is_impossible_wherever_the_copies_are(setup: Setup) -> None:
    surplus = faults(setup)[0]
    assert (surplus.facts["reason"], surplus.tiles) == ("too_many_of_a_kind", parse_tiles("ro"))


def test_three_copies_of_a_tile_are_possible() -> None:
    assert position("ro", "ro rs", "ro").phase == "playing"


def test_two_tiles_on_one_cell_are_impossible() -> None:
    (fault,) = faults(Setup(board=parse_play("ro@0,0 rs@1,0 rd@1,0")))
    assert (fault.facts["reason"], fault.cells) == ("cell_repeated", cells("1,0"))


def test_a_board_in_pieces_is_impossible() -> None:
    for drawing, apart, tiles in (
        ("ro rs .. rd\n.. .. b* ..", "3,0 2,1", "rd b*"),
        ("ro .. rs", "2,0", "rs"),
    ):
        (fault,) = faults(Setup(board=board(drawing)))
        assert fault.facts["reason"] == "board_in_pieces"
        assert (fault.cells, fault.tiles) == (cells(apart), parse_tiles(tiles))


def test_a_connected_board_may_turn_corners() -> None:
    assert start(Setup(board=board("ro rs ..\n.. bs bd\n.. .. gd"))).phase == "playing"


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        ("ro bs", ["line_mixed"]),
        ("ro\nbs", ["line_mixed"]),
        ("ro ro", ["line_repeats_tile"]),
        ("ro rs rd r* rc rx ro", ["line_too_long", "line_repeats_tile"]),
        ("ro bs\nbs ro", ["line_mixed"] * 4),
    ],
)
def test_a_board_with_an_invalid_line_is_impossible(drawing: str, expected: list[str]) -> None:
    assert reasons(Setup(board=board(drawing))) == expected


def test_an_invalid_line_is_told_with_its_tiles_and_where_they_lie() -> None:
    (fault,) = faults(Setup(board=board("@-1,2\nro ro")))
    assert describe(fault) == (
        "A line cannot hold the same tile twice: red-circle, red-circle on (-1, 2), (0, 2)."
    )


def test_a_bag_of_all_108_tiles_may_be_given_in_its_order() -> None:
    game = start(Setup(bag=WHOLE_BAG))
    assert (hand_of(game, 0), hand_of(game, 1)) == (WHOLE_BAG[:6], WHOLE_BAG[6:12])
    assert game.bag == WHOLE_BAG[12:]


def test_a_hand_without_tiles_is_impossible() -> None:
    (fault,) = faults(Setup(board=board("ro"), hands=((), SIX), bag=()))
    assert fault.facts == {"reason": "hand_without_tiles", "seat": 0}


def test_a_drawn_hand_without_tiles_is_impossible() -> None:
    assert reasons(Setup(board=board("ro"), hands=(SIX, None), bag=())) == ["hand_without_tiles"]


def test_a_hand_below_six_needs_an_empty_bag() -> None:
    (fault,) = faults(Setup(board=board("ro"), hands=(SIX, SIX[:5]), bag=parse_tiles("rs rs")))
    assert fault.facts == {"reason": "hand_below_six", "seat": 1, "bag": 2}
    assert start(Setup(board=board("ro"), hands=(ANOTHER_SIX, SIX[:5]), bag=())).bag == ()


def test_a_hand_above_six_is_refused() -> None:
    with pytest.raises((RulesBroken, Malformed)):
        start(Setup(board=board("ro"), hands=((*ANOTHER_SIX, *SIX), SIX), bag=()))


def test_a_table_where_nobody_will_ever_have_anything_to_do_is_impossible() -> None:
    hands = (parse_tiles("bs"), parse_tiles("gd"))
    assert reasons(Setup(board=board("ro"), hands=hands, bag=())) == ["nothing_to_do"]


def test_a_fitting_tile_in_the_bag_is_something_to_do() -> None:
    hands = (SIX, parse_tiles("gd g* gc gx ys yd"))
    assert reasons(Setup(board=board("ro"), hands=hands, bag=parse_tiles("px"))) == [
        "nothing_to_do"
    ]
    assert start(Setup(board=board("ro"), hands=hands, bag=parse_tiles("rx"))).phase == "playing"


def test_all_faults_of_a_setup_are_told_together() -> None:
    setup = Setup(board=board("ro bs .. ro"), hands=(SIX,), scores=(1, 2, 3), turn=9)
    assert reasons(setup) == [
        "hands_unlike_seats",
        "scores_unlike_seats",
        "turn_without_seat",
        "board_in_pieces",
        "line_mixed",
    ]


@pytest.mark.parametrize("x", [-500, 500])
def test_a_setup_board_may_reach_500_cells_from_the_middle(x: int) -> None:
    assert len(start(Setup(board=((cell_at(x, x), 0),))).board) == 1


@pytest.mark.parametrize("cell", [(501, 0), (0, -501)])
def test_a_setup_board_reaches_no_further(cell: tuple[int, int]) -> None:
    with pytest.raises((Malformed, RulesBroken)):
        start(Setup(board=((cell_at(*cell), 0),)))


def test_the_seed_fixes_what_a_setup_leaves_open() -> None:
    setup = Setup(board=board("ro"))
    assert lay_out(setup, 2, SEED) == lay_out(setup, 2, SEED)
    assert lay_out(setup, 2, SEED) != lay_out(setup, 2, bytes(32))


NONSENSE: tuple[Any, ...] = ("nothing that could be read",)


@pytest.mark.parametrize(
    ("setup", "most"),
    [
        (Setup(board=NONSENSE * 109), "108 tiles"),
        (Setup(bag=NONSENSE * 109), "108 tiles"),
        (Setup(hands=NONSENSE * 5), "4 hands"),
        (Setup(scores=NONSENSE * 5), "4 hands and scores"),
    ],
)
def test_more_than_any_game_has_is_refused_before_it_is_looked_at(setup: Setup, most: str) -> None:
    with pytest.raises(Malformed, match=most):
        lay_out(setup, 2, SEED)
