"""Long work is done in pieces, so that one request never holds all others up.

Work is counted in calls of functions; a thousand of them take about a tenth of a millisecond.
"""

import pytest

from service import core
from service.bots import choose
from service.bots.observation import observe
from service.rules.actions import create, place
from service.rules.board import Board
from service.rules.events import Played
from service.rules.legal_plays import best_play, by_least, by_points, each_play, legal_plays
from service.rules.record.verify import verify
from service.rules.record.write import record_of
from service.rules.starting_position import Setup
from service.rules.state import MOST_EVENTS
from service.rules.tiles import SHAPES, tile_named
from service.rules.timeouts import timeout_step
from tests.rules.hostile_position import BOARD, HAND, PLAYS, hostile_game
from tests.rules.long_games import long_game
from tests.rules.positions import SEED, entrants
from tests.work import Work

A_PIECE = 100_000
"""Calls between two pauses, at most."""

A_FORCED_MOVE = 5_000


def in_pieces(work: Work, least: int) -> None:
    assert work.rests >= least
    assert work.most < A_PIECE


def test_plays_are_searched_for_in_pieces() -> None:
    work = Work()
    found = work.of(lambda: list(each_play(Board(BOARD), HAND, pause=work.rest)))
    assert len(set(found)) == len(found) == PLAYS
    in_pieces(work, 20)


def test_the_best_play_is_searched_for_in_pieces() -> None:
    work = Work()
    best = work.of(lambda: best_play(Board(BOARD), HAND, pause=work.rest))
    assert best == min(legal_plays(Board(BOARD), HAND), key=by_points)
    in_pieces(work, 2)


def test_a_forced_move_takes_little_work_on_any_table() -> None:
    """Workers make forced moves before they think for bots: many such tables must not stop them."""
    work = Work()
    game = hostile_game(bag=(), other=(tile_named("blue-circle"),))
    step = work.of(lambda: timeout_step(game))
    assert isinstance(step.event, Played)
    (least, *_) = sorted(legal_plays(game.board, HAND), key=by_least)
    assert (step.event.points, step.event.placements) == (least.points, least.placements)
    assert work.most < A_FORCED_MOVE


def test_a_forced_opening_takes_little_work_though_there_are_thousands() -> None:
    six = tuple(tile_named(f"red-{shape}") for shape in SHAPES)
    other = tuple(tile_named(f"blue-{shape}") for shape in SHAPES)
    game = create(SEED, entrants(2), setup=Setup((), (six, other)), auto_bid=True).game
    work = Work()
    step = work.of(lambda: timeout_step(game))
    assert isinstance(step.event, Played)
    assert game.mover is not None
    openings = legal_plays(game.board, game.player(game.mover).hand, 6)
    assert len(openings) > 8000
    assert step.event.placements == min(openings, key=by_least).placements
    assert work.most < A_FORCED_MOVE


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots run in Python: the compiled core does the same before a first pause is due."""
    monkeypatch.setattr(core, "native", None)


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("bot", ["random", "greedy", "expert"])
@pytest.mark.parametrize("bag", [None, ()], ids=["with a bag", "at the end"])
def test_a_bot_thinks_in_pieces(bot: str, bag: tuple[int, ...] | None) -> None:
    work = Work()
    other = None if bag is None else (tile_named("blue-circle"), tile_named("blue-star"))
    game = hostile_game(bag, other)
    observation = observe(game, 0)
    chosen = work.of(lambda: choose(bot, observation, 1, 32, work.rest))
    assert place(game, 0, chosen.placements)
    in_pieces(work, 2)


def test_a_bot_chooses_the_same_with_and_without_pauses() -> None:
    observation = observe(hostile_game(), 0)
    for bot in ("random", "greedy", "expert"):
        assert choose(bot, observation, 7, 12) == choose(bot, observation, 7, 12, Work().rest)


def test_a_record_is_verified_in_pieces() -> None:
    steps = long_game(MOST_EVENTS)
    record = record_of([step.event for step in steps], steps[-1].game)
    work = Work()
    report = work.of(lambda: verify(record, work.rest))
    assert report.ok
    assert report.checked_events == len(steps)
    in_pieces(work, len(steps))
