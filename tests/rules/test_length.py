"""A game has a longest length; from then on players can only leave it."""

from collections.abc import Callable

import pytest

from service.rules.actions import (
    Step,
    create,
    exchange,
    join,
    pass_turn,
    place,
    plays_of,
    resign,
    try_play,
)
from service.rules.errors import Untimely
from service.rules.events import Entrant, Resigned
from service.rules.record.verify import verify
from service.rules.record.write import record_of
from service.rules.state import MOST_EVENTS, MOST_WAITING_EVENTS, Game
from service.rules.timeouts import timeout_step
from tests.rules.long_games import long_game
from tests.rules.positions import SEED

ACTIONS: dict[str, Callable[[Game, int], Step]] = {
    "play": lambda game, seat: place(game, seat, plays_of(game, seat)[0].placements),
    "exchange": lambda game, seat: exchange(game, seat, game.player(seat).hand[:1]),
    "pass": pass_turn,
}


def at_the_limit() -> Game:
    return long_game(MOST_EVENTS)[-1].game


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(Untimely) as refused:
        act()
    return refused.value.code


@pytest.mark.parametrize("action", ACTIONS)
def test_a_game_has_at_most_2000_events_and_then_only_resignations(action: str) -> None:
    game = at_the_limit()
    assert game.version == MOST_EVENTS == 2000
    for seat in (0, 1):
        assert refusal(lambda seat=seat: ACTIONS[action](game, seat)) == "game_too_long"
    before = long_game(MOST_EVENTS - 1)[-1].game
    assert before.mover is not None
    if action != "pass":
        assert ACTIONS[action](before, before.mover).game.version == MOST_EVENTS
    ended = resign(game, 0).game
    assert (ended.version, ended.end, ended.winners) == (2001, "last_player", (1,))
    assert refusal(lambda: ACTIONS[action](ended, 1)) == "wrong_phase"


def test_a_play_can_still_be_tried_at_the_limit() -> None:
    game = at_the_limit()
    play = plays_of(game, 0)[0]
    assert try_play(game, 0, play.placements) == play


def test_whoever_runs_out_of_time_at_the_limit_leaves() -> None:
    step = timeout_step(at_the_limit())
    assert step is not None
    assert isinstance(step.event, Resigned)
    assert step.event.timeout
    assert step.game.phase == "finished"


def test_a_record_of_the_longest_game_is_right_and_of_a_longer_one_is_not() -> None:
    steps = long_game(MOST_EVENTS)
    last = resign(steps[-1].game, 1)
    record = record_of([*(step.event for step in steps), last.event])
    assert verify(record).ok
    events: list[dict[str, object]] = record["events"]
    longer = record | {"events": [*events[:-1], events[-2] | {"n": MOST_EVENTS + 1}, events[-1]]}
    report = verify(longer)
    assert report.problem is not None
    assert (report.problem.n, report.problem.code) == (MOST_EVENTS + 1, "game_too_long")
    assert report.checked_events == MOST_EVENTS


def test_coming_and_going_leaves_most_of_the_length_to_the_game() -> None:
    """Whoever joins and leaves for ever takes no more than a tenth of what the game may have."""
    game = create(SEED, [Entrant("Ada")], seats=3).game
    while game.version < MOST_WAITING_EVENTS - 1:
        game = (resign(game, 1) if game.is_active(1) else join(game, Entrant("Eve"))).game
    game = join(game, Entrant("Fay"), 2).game
    assert game.version == MOST_WAITING_EVENTS <= MOST_EVENTS // 10
    assert game.open_seats == [1]
    assert refusal(lambda: join(game, Entrant("Dan"))) == "game_too_long"
    assert resign(game, 2).game.open_seats == [1, 2]
