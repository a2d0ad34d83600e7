"""The lot among equal bids: every seat that is still tied opens equally often."""

from collections import Counter
from typing import Any

import pytest

from service.rules.actions import bid, create, resign
from service.rules.editions import EDITIONS
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.lines import longest_line
from service.rules.shuffle import secret_from
from service.rules.state import Game
from tests.rules.opened_games import FOUR_THREES
from tests.rules.positions import hand_of, position

# Longest lines of 3, 3 and 2.
THREE = "bo b* b* bs rd gx"
ANOTHER_THREE = "yo y* y* ys rd gx"
TWO = "ro rs yd g* bc px"

TIMES = 600


def about_equal(counts: Counter[Any]) -> bool:
    """Whether these could come from a fair lot: chi-squared, once in 10,000 by chance."""
    expected = counts.total() / len(counts)
    off = sum((count - expected) ** 2 / expected for count in counts.values())
    return off < {2: 15.1, 3: 18.4, 4: 21.1}[len(counts)]


def all_bid(game: Game) -> Game:
    for seat in game.seated:
        game = bid(game, seat, longest_line(hand_of(game, seat))).game
    return game


def openers_among(*hands: str, edition: str, ages: tuple[int | None, ...]) -> Counter[int | None]:
    """How often each seat opens, over many games with other secrets."""
    return Counter(
        all_bid(position("", *hands, edition=edition, ages=ages, secret=secret)).mover
        for secret in map(secret_from, map(str, range(TIMES)))
    )


@pytest.mark.parametrize("edition", sorted(EDITIONS))
def test_if_one_age_of_those_tied_is_unknown_all_of_them_open_equally_often(edition: str) -> None:
    hands = (TWO, THREE, ANOTHER_THREE)
    for ages in ((1, None, 20), (1, 20, None), (1, None, None)):
        openers = openers_among(*hands, edition=edition, ages=ages)
        assert set(openers) == {1, 2}
        assert about_equal(openers)


@pytest.mark.parametrize(("edition", "expected"), [("schmidt", {1, 2}), ("english", {0, 3})])
def test_if_the_deciding_age_is_shared_those_who_share_it_open_equally_often(
    edition: str, expected: set[int]
) -> None:
    openers = openers_among(*FOUR_THREES, edition=edition, ages=(30, 20, 20, 30))
    assert set(openers) == expected
    assert about_equal(openers)


def test_among_four_without_an_age_no_seat_is_favoured() -> None:
    openers = openers_among(*FOUR_THREES, edition="schmidt", ages=())
    assert set(openers) == {0, 1, 2, 3}
    assert about_equal(openers)


def test_a_bot_on_the_first_seat_opens_no_more_often_than_a_child_who_bids_alike() -> None:
    players = [Entrant("Robo", bot="greedy"), Entrant("Ada", 9)]
    openers: Counter[int | None] = Counter()
    for number in range(TIMES):
        game = deal(create(secret_from(f"bot {number}"), players, auto_bid=True).game).game
        if game.player(0).bid == game.player(1).bid:
            openers[game.mover] += 1
    assert openers.total() > TIMES // 5
    assert about_equal(openers)


def test_when_the_opener_by_lot_leaves_the_lot_decides_anew_among_the_rest() -> None:
    openers: Counter[int | None] = Counter()
    for number in range(TIMES):
        game = all_bid(position("", *FOUR_THREES, secret=secret_from(str(number))))
        if game.mover == 3:
            openers[resign(game, 3).game.mover] += 1
    assert set(openers) == {0, 1, 2}
    assert about_equal(openers)


def test_the_opener_stays_when_the_one_whose_age_was_unknown_leaves() -> None:
    for number in range(10):
        secret = secret_from(str(number))
        game = all_bid(position("", *FOUR_THREES, ages=(9, 8, 7, None), secret=secret))
        if game.mover != 3:
            assert resign(game, 3).game.mover == game.mover
