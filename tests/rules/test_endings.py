"""How a game ends, who wins, and what becomes of a player who leaves."""

import pytest

from service.rules.actions import (
    bid,
    exchange,
    join,
    pass_turn,
    place,
    resign,
)
from service.rules.events import Entrant, Passed, Resigned
from service.rules.notation import parse_play, parse_tiles
from service.rules.reducer import reduce
from service.rules.shuffle import mix
from tests.rules.positions import SEED, hand_of, position, untimely

UNFIT = "bs bd b* bc bx gs"
UNFIT_TOO = "gd g* gc gx ys yd"


def test_laying_the_last_tile_with_an_empty_bag_ends_the_game_with_six_bonus_points() -> None:
    event, game = place(position("ro", "rs", "rd bd"), 0, parse_play("rs@1,0"))
    assert (event.points, event.bonus, event.end, event.winners) == (2, 6, "hand_empty", (0,))
    assert (game.phase, game.end, game.winners, game.mover) == (
        "finished",
        "hand_empty",
        (0,),
        None,
    )
    assert (game.player(0).score, game.player(0).bonus) == (8, 6)
    assert game.player(1).bonus == 0


@pytest.mark.parametrize(("hand", "end"), [("rs", "hand_empty"), ("rs gx", "blocked")])
def test_a_game_that_is_over_counts_no_further_turn(hand: str, end: str) -> None:
    game = place(position("ro", hand, "bd"), 0, parse_play("rs@1,0")).game
    assert (game.end, game.turn, game.mover) == (end, 1, None)


def test_emptying_the_hand_while_the_bag_still_has_tiles_is_no_end() -> None:
    game = position("bo", "ro rs rd r* rc rx", UNFIT, bag="go")
    event, game = place(game, 0, parse_play("ro@1,0 rs@1,1 rd@1,2 r*@1,3 rc@1,4 rx@1,5"))
    assert (event.points, event.bonus, event.end) == (14, 0, None)
    assert (game.phase, hand_of(game, 0)) == ("playing", parse_tiles("go"))


def test_laying_all_but_one_tile_is_no_end() -> None:
    event, game = place(position("ro", "rs bs", "rd bd"), 0, parse_play("rs@1,0"))
    assert (event.bonus, event.end, game.phase) == (0, None, "playing")


def test_an_opener_may_end_the_game_with_the_opening() -> None:
    game = position("", "ro rs", "gs bd", auto_bid=True)
    event, game = place(game, 0, parse_play("ro@0,0 rs@1,0"))
    assert (event.points, event.bonus, game.end) == (2, 6, "hand_empty")


def test_a_last_tile_that_also_blocks_the_table_still_earns_the_bonus() -> None:
    event, _ = place(position("ro", "rs", "bd"), 0, parse_play("rs@1,0"))
    assert (event.bonus, event.end) == (6, "hand_empty")


def test_when_all_have_had_to_pass_since_the_last_placement_the_game_ends_without_bonus() -> None:
    game = resign(position("ro", "bs", "gd", "rs", scores=(5, 7, 90)), 2).game
    assert (game.phase, game.removed) == ("playing", parse_tiles("rs"))
    game = pass_turn(game, 0).game
    assert game.phase == "playing"
    event, game = pass_turn(game, 1)
    assert event == Passed(4, 1, end="all_passed", winners=(1,))
    assert (game.phase, game.end, game.mover) == ("finished", "all_passed", None)
    assert [player.score for player in game.seated.values()] == [5, 7, 90]
    assert [player.bonus for player in game.seated.values()] == [0, 0, 0]


def test_if_the_only_one_who_could_still_place_leaves_the_passes_before_end_the_game() -> None:
    game = position("ro", "bs", "gd", "rs")
    game = pass_turn(pass_turn(game, 0).game, 1).game
    event, game = resign(game, 2)
    assert event == Resigned(4, 2, end="all_passed", winners=(0, 1))
    assert game.phase == "finished"


def test_passes_before_a_placement_do_not_count_towards_the_end() -> None:
    game = position("ro", "bs bs", "rs rd", "gc gc", "rx yc")
    game = pass_turn(game, 0).game
    game = place(game, 1, parse_play("rd@1,0")).game
    game = pass_turn(game, 2).game
    game = resign(game, 3).game
    assert game.phase == "playing"
    assert game.mover == 0


def test_a_table_that_no_tile_left_fits_ends_the_game_blocked_without_bonus() -> None:
    event, game = place(position("ro", "rs bd", "gx"), 0, parse_play("rs@1,0"))
    assert (event.bonus, event.end, event.winners) == (0, "blocked", (0,))
    assert (game.phase, game.end, game.mover) == ("finished", "blocked", None)
    assert game.player(0).score == 2


def test_a_blocked_table_ends_the_game_even_while_the_bag_holds_tiles() -> None:
    game = position("ro", "rs bd b* bc bx gd", "gd g* gc gx yd y*", bag="yd y* yx")
    event, game = place(game, 0, parse_play("rs@1,0"))
    assert (event.end, game.phase, len(game.bag)) == ("blocked", "finished", 2)


def test_a_tile_in_the_bag_that_would_fit_keeps_the_game_going() -> None:
    game = position("ro", "rs bd b* bc bx gd", "gd g* gc gx yd y*", bag="yd y* rx")
    assert place(game, 0, parse_play("rs@1,0")).game.phase == "playing"


def test_a_tile_in_another_hand_that_would_fit_keeps_the_game_going() -> None:
    assert place(position("ro", "rs bd", "rx"), 0, parse_play("rs@1,0")).game.phase == "playing"


def test_a_removed_tile_that_would_fit_counts_among_those_not_on_the_table() -> None:
    game = resign(position("ro", "rs bd", "gx", "rx"), 2).game
    game = place(game, 0, parse_play("rs@1,0")).game
    assert game.phase == "playing"
    game = pass_turn(pass_turn(game, 1).game, 0).game
    assert game.end == "all_passed"


def test_most_points_win() -> None:
    _, game = place(position("ro", "rs", "rd", scores=(0, 9)), 0, parse_play("rs@1,0"))
    assert (game.player(0).score, game.winners) == (8, (1,))


def test_equal_points_share_the_victory() -> None:
    event, game = place(position("ro", "rs", "rd", "bd", scores=(0, 8, 3)), 0, parse_play("rs@1,0"))
    assert (event.winners, game.winners) == ((0, 1), (0, 1))


def test_a_player_who_left_cannot_win_but_keeps_the_score() -> None:
    game = resign(position("ro", "rs", "rd", "bd", scores=(0, 3, 100)), 2).game
    game = place(game, 0, parse_play("rs@1,0")).game
    assert (game.winners, game.player(2).score, game.player(2).resigned) == ((0,), 100, True)


def test_the_hand_of_a_player_who_leaves_goes_back_into_the_bag_and_is_mixed() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, UNFIT, bag="rs px")
    event, game = resign(game, 1)
    assert event == Resigned(2, 1)
    assert game.bag == mix(parse_tiles(f"rs px {UNFIT_TOO}"), SEED, 2)
    assert (hand_of(game, 1), game.removed) == ((), ())
    assert (game.mover, game.turn, game.version) == (0, 1, 2)


def test_with_an_empty_bag_the_hand_of_a_player_who_leaves_is_out_of_the_game() -> None:
    game = resign(position("ro", "rs bd", "gx gs", "rx"), 1).game
    assert game.bag == ()
    assert sorted(game.removed) == sorted(parse_tiles("gx gs"))


def test_two_who_leave_an_empty_bag_are_both_counted_among_the_removed() -> None:
    game = resign(position("ro", "rs bd", "gx gs", "rx", "rd"), 1).game
    game = resign(game, 2).game
    assert sorted(game.removed) == sorted(parse_tiles("gx gs rx"))


def test_if_the_player_in_turn_leaves_the_next_active_seat_moves() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, UNFIT, bag="rs px", turn=2)
    game = resign(game, 2).game
    assert (game.phase, game.mover) == ("playing", 0)


def test_a_seat_that_was_left_is_skipped() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, UNFIT, bag="rs px")
    game = resign(game, 1).game
    game = exchange(game, 0, hand_of(game, 0)[:1]).game
    assert game.mover == 2
    game = exchange(game, 2, hand_of(game, 2)[:1]).game
    assert game.mover == 0


def test_with_one_player_left_the_game_ends_and_that_player_wins_without_bonus() -> None:
    event, game = resign(position("ro", "rs", "rd", scores=(50, 1)), 0)
    assert event == Resigned(2, 0, end="last_player", winners=(1,))
    assert (game.phase, game.end, game.mover) == ("finished", "last_player", None)
    assert (game.player(1).score, game.player(1).bonus) == (1, 0)


def test_the_last_player_wins_though_all_have_passed() -> None:
    game = pass_turn(position("ro", "bs", "rs"), 0).game
    assert resign(game, 1).game.end == "last_player"


def test_nobody_does_anything_in_a_finished_game() -> None:
    game = place(position("ro", "rs", "rd"), 0, parse_play("rs@1,0")).game
    for act in (
        lambda: place(game, 1, parse_play("rd@2,0")),
        lambda: exchange(game, 1, parse_tiles("rd")),
        lambda: pass_turn(game, 1),
        lambda: resign(game, 1),
        lambda: bid(game, 1, 1),
    ):
        assert untimely(act) == "wrong_phase"
    assert untimely(lambda: join(game, Entrant("Eve"))) == "table_full"


def test_nobody_leaves_twice_or_acts_after_leaving() -> None:
    game = resign(position("ro", UNFIT, UNFIT_TOO, UNFIT, bag="rs px"), 0).game
    assert untimely(lambda: resign(game, 0)) == "wrong_phase"
    assert untimely(lambda: exchange(game, 0, parse_tiles("bs"))) == "wrong_phase"


def test_a_seat_that_does_not_exist_cannot_leave() -> None:
    game = position("ro", "rs", "rd")
    for seat in (-1, 2):
        assert untimely(lambda seat=seat: resign(game, seat)) == "wrong_phase"


def test_an_endless_game_with_an_empty_bag_is_impossible() -> None:
    game = resign(position("ro", "bs", "gd", "yx", "rs"), 3).game
    turns = 0
    while game.phase == "playing":
        assert game.mover is not None
        game = pass_turn(game, game.mover).game
        turns += 1
    assert turns == 3


@pytest.mark.parametrize(("bag", "hand"), [("", ""), ("rx", "gd g*")])
def test_a_turn_without_tiles_or_below_six_beside_a_full_bag_is_never_reached(
    bag: str, hand: str
) -> None:
    game = position("ro", "bs", "rs")
    short = game.player(1)._replace(hand=parse_tiles(hand))
    wrong = game._replace(players=(game.players[0], short), bag=parse_tiles(bag))
    with pytest.raises(AssertionError) as refused:
        reduce(wrong, Passed(2, 0))
    said = "the player to move holds six tiles, or fewer only if the bag is empty"
    assert str(refused.value) == said
