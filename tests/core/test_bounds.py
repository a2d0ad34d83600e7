"""The core never crashes: what it cannot hold it refuses, and the rules take over."""

from collections.abc import Iterator

import gevent
import pytest

from service import core
from service.bots import BOTS, choose
from service.bots.actions import Action
from service.bots.observation import observe
from service.core.legal_plays import first_plays
from service.rules.board import Board
from service.rules.legal_plays import legal_plays
from service.rules.lines import Line
from service.rules.plays import Play
from service.rules.tiles import WHOLE_BAG
from service.rules.yielding import no_pause
from tests.core.comparing import MANY
from tests.rules.hostile_position import BOARD, HAND, PLAYS, hostile_game

FAR = 4096 * 300

WORST = (Board(BOARD), HAND, None)


def find(tiles: object, kinds: object = 1, opening: object = 0, *rest: object) -> object:
    assert core.native is not None
    return core.native.find_plays(tiles, kinds, opening, *(rest or (2, 5, no_pause, Play, Line)))


@pytest.mark.parametrize(
    "tiles",
    [
        {0: 1, FAR: 2},
        {0: 1, 300: 2},
        dict(enumerate(WHOLE_BAG * 2)),
        {4 * number: tile for number, tile in enumerate(WHOLE_BAG[:20])},
        {0: 36},
        {0: -1},
        {2**40: 1},
        {-(2**70): 1},
        {"0": 1},
        {0: 1.0},
    ],
)
def test_it_refuses_a_table_that_no_game_has(tiles: object) -> None:
    with pytest.raises(OverflowError):
        find(tiles)


@pytest.mark.parametrize("board", [{0: 1, FAR: 2}, {4 * number: 7 for number in range(20)}])
def test_the_rules_take_what_it_refuses(board: dict[int, int]) -> None:
    terms = (Board(board), (0, 3, 13), None)
    assert first_plays(terms, MANY, "found") == (len(legal_plays(*terms)), legal_plays(*terms))


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ({}, "1", 0),
        ([], 1, 0),
        ({}, 1, 7),
        ({}, 1, -1),
        ({}, 1, 0, 3, 5, no_pause, Play, Line),
        ({}, 1, 0, 2, -5, no_pause, Play, Line),
        ({}, 1, 0, 2, 5, no_pause, 1, Line),
        ({0: 1}, 1, 0, 2, 5, no_pause, int, Line),
    ],
)
def test_wrong_arguments_are_errors(arguments: tuple[object, ...]) -> None:
    assert core.native is not None
    with pytest.raises((TypeError, OverflowError)):
        find(*arguments) if len(arguments) == 3 else core.native.find_plays(*arguments)


SOUND: dict[str, object] = {
    "bot": 6,
    "tiles": {0: 1},
    "hand": (0, 1, 2),
    "unseen": (2,) * 36,
    "bag": 3,
    "held": (6,),
    "scores": (10, 12),
    "opening": 0,
    "may_exchange": 3,
    "recent": ((1, ((0, 1),)),),
    "state": 5,
    "budget": 4,
    "pause": no_pause,
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"hand": ()},
        {"hand": tuple(range(7))},
        {"hand": [0]},
        {"unseen": (3,) * 36},
        {"unseen": (1,) * 5},
        {"unseen": (1,) * 37},
        {"bag": -1},
        {"held": ()},
        {"held": (7,)},
        {"held": (6,) * 4},
        {"scores": ()},
        {"scores": (1, 2, 3)},
        {"scores": (1, 2**40)},
        {"recent": None},
        {"recent": (1,)},
        {"recent": ((2, ()),)},
        {"recent": ((1, 5),)},
        {"recent": ((1, (5,)),)},
        {"recent": ((1, ((0, 36),)),)},
        {"recent": ((1, ((0, 1),) * 7),)},
        {"recent": ((1, ()),) * 13},
        {"opening": 7},
        {"may_exchange": 4},
        {"tiles": None},
        {"state": "x"},
    ],
    ids=str,
)
def test_a_view_that_no_player_has_is_refused(wrong: dict[str, object]) -> None:
    assert core.native is not None
    core.native.choose(*SOUND.values())
    with pytest.raises((TypeError, OverflowError)):
        core.native.choose(*(SOUND | wrong).values())


@pytest.mark.parametrize(
    "recent",
    [
        ((1, ((5, 1),)),),
        ((1, ((0, 2),)),),
        ((1, ((0, 1),)), (0, ((0, 1),))),
        ((0, ((0, 1), (1, 2))),),
        ((1, ((1, 2), (0, 1))),),
        ((1, ((0, 1), (4096, 3))),) * 3,
        ((1, ((0, 1), (4097, 3))),),
        ((1, ((0, 1), (2, 4))),),
    ],
)
def test_turns_that_nobody_can_have_taken_do_no_harm(recent: object) -> None:
    assert core.native is not None
    tiles = {0: 1, 4096: 3, 4097: 3, 4098: 5, 2: 4}
    arguments = SOUND | {"tiles": tiles, "recent": recent}
    assert core.native.choose(*arguments.values())[0]


def pauses() -> Iterator[None]:
    """Fails at the third pause."""
    yield
    yield
    raise KeyError("enough")


def test_long_work_pauses_and_ends_with_the_error_of_a_pause() -> None:
    observation = observe(hostile_game(), 0)
    for work in (
        lambda pause: first_plays(WORST, 5000, "points", pause),
        lambda pause: choose("expert", observation, 1, 5000, pause),
    ):
        rests: list[None] = []
        work(lambda: rests.append(None))  # noqa: B023  # called at once
        assert len(rests) > 10
        failing = pauses()
        with pytest.raises(KeyError, match="enough"):
            work(lambda: next(failing))  # noqa: B023


def test_a_pause_may_start_another_search() -> None:
    """Greenlets take turns in pauses, so that one search can begin in the middle of another."""
    nested = []
    observation = observe(hostile_game(), 0)
    alone = [choose(bot, observation, 1, 400) for bot in BOTS]

    def pause() -> None:
        if len(nested) < 3:
            nested.append(None)
            assert [choose(bot, observation, 1, 400) for bot in BOTS] == alone
            nested.append(first_plays(WORST, MANY, "found", pause))

    assert [choose(bot, observation, 1, 400, pause) for bot in BOTS] == alone
    found = first_plays(WORST, MANY, "found", pause)
    assert found[0] == PLAYS
    assert nested[-1] == found


def test_greenlets_search_in_turn_without_harm() -> None:
    observation = observe(hostile_game(), 0)
    alone = [choose("expert", observation, number, 400) for number in range(4)]
    order: list[int] = []

    def think(number: int) -> Action:
        def pause() -> None:
            order.append(number)
            gevent.sleep(0)

        return choose("expert", observation, number, 400, pause)

    thinking = [gevent.spawn(think, number) for number in range(4)]
    gevent.joinall(thinking, raise_error=True)
    assert [each.value for each in thinking] == alone
    assert order[:8] == [0, 1, 2, 3] * 2
