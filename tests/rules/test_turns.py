"""A turn: place, exchange or pass, and whose turn comes next."""

import pytest

from service.rules.actions import (
    best_of,
    create,
    exchange,
    may_exchange,
    may_pass,
    may_play,
    opening_length,
    pass_turn,
    place,
    plays_of,
    resign,
    try_play,
)
from service.rules.board import Board
from service.rules.errors import Malformed
from service.rules.events import Entrant, Exchanged, Passed, Played
from service.rules.notation import parse_play, parse_tiles
from service.rules.shuffle import mix
from service.rules.starting_position import Setup
from tests.rules.positions import SEED, codes, hand_of, position, untimely, violations

# Nothing of these fits beside a red circle.
UNFIT = "bs bd b* bc bx gs"
UNFIT_TOO = "gd g* gc gx ys yd"


def test_a_play_scores_and_refills_the_hand_to_six_from_the_front_of_the_bag() -> None:
    game = position("ro", "rs rd b* bc bx gs", UNFIT_TOO, bag="yx px ox", scores=(10, 0))
    event, after = place(game, 0, parse_play("rd@2,0 rs@1,0"))
    assert event == Played(
        2, 0, parse_play("rs@1,0 rd@2,0"), 3, event.lines, 0, parse_tiles("yx px")
    )
    assert hand_of(after, 0) == tuple(sorted(parse_tiles("b* bc bx gs yx px")))
    assert after.bag == parse_tiles("ox")
    assert after.player(0).score == 13
    assert (after.turn, after.mover, after.version) == (2, 1, 2)
    assert after.laid == (0, 1, 1)


def test_the_last_tiles_of_the_bag_refill_what_they_can() -> None:
    game = position("ro", "rs rd r* bc bx gs", UNFIT_TOO, bag="yx")
    event, after = place(game, 0, parse_play("rs@1,0 rd@2,0 r*@3,0"))
    assert event.drew == parse_tiles("yx")
    assert (len(hand_of(after, 0)), after.bag) == (4, ())


def test_with_an_empty_bag_nobody_refills() -> None:
    game = position("ro", "rs bd", "gs bs")
    event, after = place(game, 0, parse_play("rs@1,0"))
    assert event.drew == ()
    assert hand_of(after, 0) == parse_tiles("bd")


def test_a_play_never_changes_the_game_it_is_made_in() -> None:
    game = position("ro", "rs bd", "gs bs")
    before = (dict(game.board.tiles), game.players, game.bag, game.version)
    place(game, 0, parse_play("rs@1,0"))
    assert (dict(game.board.tiles), game.players, game.bag, game.version) == before


def test_a_play_changes_its_player_and_the_table_and_leaves_the_rest_as_it_was() -> None:
    players = [Entrant("Ada", 40), Entrant("Ben", 9, "greedy"), Entrant("Cleo", 72, "first")]
    hands = tuple(map(parse_tiles, ("bs bd", "rs rd", "gx")))
    setup = Setup(board=((0, 0),), hands=hands, bag=(), scores=(1, 2, 3))
    game = create(SEED, players, edition="polish", seeded=True, auto_bid=True, setup=setup).game
    game = pass_turn(resign(game, 2).game, 0).game
    ada, ben, cleo = game.seated.values()
    assert (game.passed, game.removed) == ((0,), parse_tiles("gx"))
    laid = parse_play("rs@1,0")
    assert place(game, 1, laid, timeout=True).game == game._replace(
        version=4,
        players=(
            ada,
            ben._replace(hand=parse_tiles("rd"), score=4, timeouts=1),
            cleo,
        ),
        board=Board(((0, 0), *laid)),
        laid=(0, 2),
        turn=3,
        mover=0,
        passed=(),
    )


def test_a_refused_play_names_the_broken_rules() -> None:
    game = position("ro", "rs bd", "gs bs")
    assert codes(lambda: place(game, 0, parse_play("bd@1,0"))) == ["line_mixed"]
    assert codes(lambda: place(game, 0, parse_play("rx@1,0"))) == ["tiles_not_in_hand"]


def test_a_play_may_be_tried_with_the_own_hand_out_of_turn() -> None:
    game = position("ro", "rs bd", "rd bs")
    assert try_play(game, 1, parse_play("rd@1,0")).points == 2
    assert codes(lambda: try_play(game, 1, parse_play("rs@1,0"))) == ["tiles_not_in_hand"]


def test_an_exchange_draws_first_and_returns_after() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx px ox rs")
    event, after = exchange(game, 0, parse_tiles("bd gs"))
    assert event == Exchanged(2, 0, parse_tiles("gs bd"), parse_tiles("yx px"))
    assert hand_of(after, 0) == tuple(sorted(parse_tiles("bs b* bc bx yx px")))
    assert after.bag == mix(parse_tiles("ox rs bd gs"), SEED, 2)
    assert (after.player(0).score, after.mover, after.turn) == (0, 1, 2)


def test_a_tile_just_returned_cannot_be_drawn() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx yx px px ox rx")
    event, after = exchange(game, 0, parse_tiles(UNFIT))
    assert event.drew == parse_tiles("yx yx px px ox rx")
    assert sorted(after.bag) == sorted(parse_tiles(UNFIT))


def test_a_player_who_could_place_may_exchange_instead() -> None:
    game = position("ro", "rs bd b* bc bx gs", UNFIT_TOO, bag="yx px ox ys")
    assert exchange(game, 0, parse_tiles("rs")).game.mover == 1


def test_an_exchange_takes_no_more_tiles_than_the_bag_holds() -> None:
    game = position("ro", UNFIT, "rs rd r* rc rx gs", bag="yx px")
    (broken,) = violations(lambda: exchange(game, 0, parse_tiles("bs bd b*")))
    assert (broken.code, broken.facts) == ("exchange_exceeds_bag", {"given": 3, "bag": 2})
    assert exchange(game, 0, parse_tiles("bs bd")).game.mover == 1


def test_no_exchange_with_an_empty_bag() -> None:
    game = position("ro", UNFIT, "rs bd")
    assert codes(lambda: exchange(game, 0, parse_tiles("bs"))) == ["bag_empty"]


def test_only_tiles_of_the_hand_are_exchanged() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="rs px")
    assert codes(lambda: exchange(game, 0, parse_tiles("bs bs"))) == ["tiles_not_in_hand"]


def test_all_that_is_wrong_with_an_exchange_is_told_in_order() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="rs")
    broken = violations(lambda: exchange(game, 0, parse_tiles("bs bs rx")))
    assert [each.code for each in broken] == ["tiles_not_in_hand", "exchange_exceeds_bag"]
    assert broken[0].tiles == parse_tiles("rx bs")


@pytest.mark.parametrize("tiles", ["", "bs bs bs bs bs bs bs"])
def test_an_exchange_is_of_one_to_six_tiles(tiles: str) -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="rs px")
    with pytest.raises(Malformed):
        exchange(game, 0, parse_tiles(tiles))


def test_exchanges_are_not_limited_in_number_and_never_end_a_game() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="rs px")
    for _ in range(200):
        assert game.mover is not None
        game = exchange(game, game.mover, hand_of(game, game.mover)[:2]).game
    assert (game.phase, game.turn) == ("playing", 201)
    assert len(game.bag) == 2


def test_a_player_who_can_place_must_not_pass() -> None:
    game = position("ro", "rs bd", "gs bs")
    assert codes(lambda: pass_turn(game, 0)) == ["must_play"]
    full = position("ro", "rs bd b* bc bx gs", UNFIT_TOO, bag="yx")
    assert codes(lambda: pass_turn(full, 0)) == ["must_play"]


def test_while_the_bag_holds_tiles_a_player_who_cannot_place_must_exchange() -> None:
    game = position("ro", UNFIT, "rs rd r* rc rx gs", bag="yx px")
    (broken,) = violations(lambda: pass_turn(game, 0))
    assert (broken.code, broken.facts) == ("must_exchange", {"bag": 2})


def test_a_player_who_cannot_place_passes_when_the_bag_is_empty() -> None:
    event, game = pass_turn(position("ro", "bs bd", "rs bs"), 0)
    assert event == Passed(2, 0)
    assert (game.phase, game.mover, game.turn, game.passed) == ("playing", 1, 2, (0,))


def test_a_placement_wipes_out_the_passes_before_it() -> None:
    game = pass_turn(position("ro", "bs bd", "rs gs", "bx gx"), 0).game
    game = place(game, 1, parse_play("rs@1,0")).game
    assert game.passed == ()


def test_play_goes_on_clockwise() -> None:
    game = position("ro", UNFIT, UNFIT, UNFIT_TOO, bag="rs px", turn=1)
    order = []
    for _ in range(7):
        assert game.mover is not None
        order.append(game.mover)
        game = exchange(game, game.mover, hand_of(game, game.mover)[:1]).game
    assert order == [1, 2, 0, 1, 2, 0, 1]


def test_nobody_moves_out_of_turn() -> None:
    game = position("ro", UNFIT, "rs rd r* rc rx gs", bag="yx px")
    assert untimely(lambda: place(game, 1, parse_play("rs@1,0"))) == "not_your_turn"
    assert untimely(lambda: exchange(game, 1, parse_tiles("rs"))) == "not_your_turn"
    assert untimely(lambda: pass_turn(game, 1)) == "not_your_turn"


def test_nobody_moves_who_is_not_at_the_table() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx rx")
    for seat in (-1, 2, 9):
        assert untimely(lambda seat=seat: exchange(game, seat, parse_tiles("bs"))) == "wrong_phase"
        assert untimely(lambda seat=seat: plays_of(game, seat)) == "wrong_phase"
        assert untimely(lambda seat=seat: best_of(game, seat)) == "wrong_phase"


def test_what_a_seat_may_do_is_told_in_turn_or_not() -> None:
    game = position("ro", UNFIT, "rs rd r* rc rx gs", bag="yx px")
    assert (may_play(game, 0), may_exchange(game, 0), may_pass(game, 0)) == (False, 2, False)
    assert (may_play(game, 1), may_exchange(game, 1), may_pass(game, 1)) == (True, 2, False)
    empty = position("ro", "bs bd", "rs bs")
    assert (may_play(empty, 0), may_exchange(empty, 0), may_pass(empty, 0)) == (False, 0, True)
    assert (may_play(empty, 1), may_exchange(empty, 1), may_pass(empty, 1)) == (True, 0, False)


def test_before_the_opening_only_the_opener_may_play_and_nobody_exchanges_or_passes() -> None:
    game = position("", "ro rs", "gs bd", auto_bid=True)
    assert (may_play(game, 0), may_exchange(game, 0), may_pass(game, 0)) == (True, 0, False)
    assert (may_play(game, 1), may_exchange(game, 1), may_pass(game, 1)) == (False, 0, False)
    assert (opening_length(game, 0), opening_length(game, 1)) == (2, None)
    assert len(plays_of(game, 0)) == 8
    best = best_of(game, 0)
    assert best is not None
    assert best.points == 2


def test_legal_plays_are_told_to_a_seat_out_of_turn() -> None:
    game = position("ro", "bs bd", "rs bs")
    assert plays_of(game, 0) == []
    assert len(plays_of(game, 1)) == 12, "the red square alone, or a blue one on either side of it"
    assert best_of(game, 1) is not None


def test_an_exchange_of_more_tiles_than_the_bag_holds_is_no_choice() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx px rx ox yx px ox")
    assert may_exchange(game, 0) == 6


def test_where_nobody_is_in_the_game_nobody_is_next() -> None:
    game = position("ro", "rs", "rd")
    empty = game._replace(players=tuple(p._replace(resigned=True) for p in game.seated.values()))
    with pytest.raises(LookupError, match=r"^nobody is in the game$"):
        empty.next_active(0)


def test_only_a_seat_of_the_table_can_be_in_the_game() -> None:
    game = position("ro", "rs", "rd")
    assert [game.is_active(seat) for seat in (-1, 0, 1, 2)] == [False, True, True, False]
