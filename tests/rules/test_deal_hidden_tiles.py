"""Deals that fit what the public knows, for the verification of games that still go on."""

from collections import Counter

import pytest

from service.rules.actions import resign
from service.rules.errors import Malformed
from service.rules.legal_plays import any_play
from service.rules.lines import longest_line
from service.rules.notation import parse_board, parse_tiles
from service.rules.record.deal_hidden_tiles import holding, set_up, with_longest_line, without_play
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG
from tests.rules.positions import position

BOARD = tuple(parse_board("ro rs").tiles.items())


def test_hands_and_bag_get_as_many_of_the_unseen_tiles_as_they_are_said_to_hold() -> None:
    setup, left = set_up(BOARD, (6, 2), 5, (7, 8), 1)
    assert setup.hands is not None
    assert setup.bag is not None
    assert (setup.board, setup.scores, setup.turn) == (BOARD, (7, 8), 1)
    assert ([len(hand) for hand in setup.hands], len(setup.bag)) == ([6, 2], 5)
    dealt = [tile for hand in setup.hands for tile in hand]
    laid = [tile for _, tile in BOARD]
    assert Counter([*dealt, *setup.bag, *left, *laid]) == Counter(WHOLE_BAG)


def test_tiles_that_fit_somewhere_are_dealt_first_in_the_order_of_their_kinds() -> None:
    board = parse_board("p*")
    setup, left = set_up(tuple(board.tiles.items()), (6,), 6, None, None)
    assert setup.hands is not None
    assert setup.bag is not None
    dealt = (*setup.hands[0], *setup.bag)
    assert all(any_play(board, (tile,)) for tile in dealt)
    assert list(dealt) == sorted(dealt)
    unfit = [tile for tile in left if not any_play(board, (tile,))]
    assert list(left[-len(unfit) :]) == unfit == sorted(unfit)


def test_everything_unseen_may_be_in_hands_and_bag_but_not_a_tile_more() -> None:
    _, left = set_up(BOARD, (6, 6), 94, None, None)
    assert left == ()
    with pytest.raises(Malformed) as refused:
        set_up(BOARD, (6, 6), 95, None, None)
    said = "there are fewer tiles than the hands and the bag are said to hold"
    assert str(refused.value) == said


@pytest.mark.parametrize("count", [-1, True, 1.0, "6", None])
def test_what_is_no_number_of_tiles_is_refused(count: object) -> None:
    for counts, bag in (((6, count), 0), ((6, 6), count)):
        with pytest.raises(Malformed, match="is not a number of tiles"):
            set_up(BOARD, counts, bag, None, None)  # type: ignore[arg-type]  # what is tested


TWO = position("ro", "rs gd gc", "bs bd b*")
ONE_LEFT = resign(position("ro", "rs gd gc", "yx yd y*", "bs bd b*"), 2).game


@pytest.mark.parametrize("game", [TWO, ONE_LEFT], ids=["all are there", "one has left"])
def test_a_seat_is_given_the_tiles_it_must_have_held_and_nothing_is_lost(game: Game) -> None:
    wanted = parse_tiles("bs bd")
    given = holding(game, 0, wanted)
    hands = [player.hand for player in given.active.values()]
    assert Counter(wanted) <= Counter(hands[0])
    assert [len(hand) for hand in hands] == [3, 3]
    assert (len(given.bag), len(given.removed)) == (len(game.bag), len(game.removed))
    before, after = (
        Counter([*each.bag, *each.removed, *(t for p in each.seated.values() for t in p.hand)])
        for each in (game, given)
    )
    assert before == after


@pytest.mark.parametrize(
    ("seat", "wanted"),
    [(0, "bs bd b* gs"), (0, "ro ro ro"), (3, "gs")],
    ids=["more than the hand", "more than there are", "nobody's seat"],
)
def test_what_nobody_can_have_held_changes_nothing(seat: int, wanted: str) -> None:
    game = position("ro", "rs gd gc", "bs bd b*")
    assert holding(game, seat, parse_tiles(wanted)) is game


@pytest.mark.parametrize("size", [1, 3, 6])
@pytest.mark.parametrize("length", range(1, 7))
def test_a_hand_with_a_given_longest_line_has_it(length: int, size: int) -> None:
    hand = with_longest_line(length, size)
    assert len(hand) == size
    assert longest_line(hand) == min(length, size)


def test_a_hand_without_a_play_is_of_tiles_that_fit_nowhere() -> None:
    game = position("ro", "rs bd gs", "gd b* g*")
    idle = without_play(game, 0)
    assert len(idle) == 3
    assert not any_play(game.board, idle)


def test_a_seat_that_nobody_plays_at_holds_nothing_to_go_without() -> None:
    assert without_play(position("ro", "rs bd gs", "gd b* g*"), 3) == ()
