"""What the host may do to a waiting table."""

from collections.abc import Callable

import pytest

from service.rules.actions import Step, create, join
from service.rules.errors import Malformed, Untimely
from service.rules.events import Entrant, Resigned, Updated
from service.rules.host_actions import deal, remove, update
from service.rules.starting_position import Setup
from service.rules.state import MOST_WAITING_EVENTS, Game
from service.rules.tiles import HAND_SIZE
from tests.rules.positions import SEED, entrants, position, violations

THREE_OF_FOUR = create(SEED, entrants(3), seats=4).game


def test_seats_are_added_at_the_end() -> None:
    game = update(create(SEED, entrants(2)).game, 4).game
    assert game.open_seats == [2, 3]
    assert join(game, Entrant("Dan"), 3).game.player(3).name == "Dan"


def test_open_seats_are_taken_away_from_the_end() -> None:
    step = update(THREE_OF_FOUR, 3)
    assert step.event == Updated(2, 3)
    assert len(step.game.players) == 3
    assert all(len(player.hand) == HAND_SIZE for player in deal(step.game).game.seated.values())


def test_an_update_of_options_alone_keeps_the_seats() -> None:
    assert update(THREE_OF_FOUR).event == Updated(2, 4)


@pytest.mark.parametrize(
    ("left", "least"), [((), 3), ((0,), 3), ((2,), 2), ((1, 2), 1), ((0, 1, 2), 0)]
)
def test_no_seat_is_taken_from_a_player(left: tuple[int, ...], least: int) -> None:
    game = THREE_OF_FOUR
    for seat in left:
        game = remove(game, seat).game
    for seats in (2, 3, 4):
        if seats >= least:
            assert update(game, seats).game.seated == game.seated
            continue
        (broken,) = violations(lambda: update(game, seats))  # noqa: B023  # called at once
        assert broken.code == "seats_taken"
        assert broken.facts == {"given": seats, "least": least}


@pytest.mark.parametrize("seats", [1, 5, 0, -2, "3", 3.0, True])
def test_a_table_has_two_to_four_seats(seats: object) -> None:
    with pytest.raises(Malformed):
        update(THREE_OF_FOUR, seats)  # type: ignore[arg-type]  # that is the point


def test_a_position_keeps_its_seats() -> None:
    game = create(SEED, entrants(1), seats=2, setup=Setup(scores=(1, 2))).game
    (broken,) = violations(lambda: update(game, 3))
    assert (broken.code, broken.facts) == (
        "setup_impossible",
        {"reason": "seats_fixed", "seats": 2},
    )
    assert update(game, 2).game.players == game.players


def test_a_removed_players_seat_is_open() -> None:
    step = remove(THREE_OF_FOUR, 1)
    assert step.event == Resigned(2, 1, removed=True)
    assert step.game.open_seats == [1, 3]
    with pytest.raises(Untimely):
        remove(step.game, 1)


@pytest.mark.parametrize("act", [lambda game: update(game, 2), lambda game: remove(game, 0)])
def test_a_game_that_has_begun_is_not_changed(act: Callable[[Game], Step]) -> None:
    game = position("ro", "rs bd", "gd g*")
    with pytest.raises(Untimely) as refused:
        act(game)
    assert refused.value.code == "wrong_phase"


def test_a_table_is_not_changed_for_ever() -> None:
    game = THREE_OF_FOUR
    while game.version < MOST_WAITING_EVENTS:
        game = update(game).game
    with pytest.raises(Untimely) as refused:
        update(game)
    assert refused.value.code == "game_too_long"
    assert remove(game, 0).game.version == game.version + 1
