"""Long work calls its pause now and then, and short work does not."""

from itertools import pairwise

from service.rules.actions import create, each_play_of, join, plays_of
from service.rules.board import Board
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.legal_plays import best_play, by_points, each_play
from service.rules.notation import parse_board, parse_tiles
from service.rules.record.verify import verify
from service.rules.record.write import record_of
from service.rules.yielding import PAUSE_EVERY, paced
from tests.rules.hostile_position import BOARD, HAND, PLAYS, hostile_game
from tests.rules.long_games import long_game
from tests.rules.positions import SEED, entrants


class Pauses:
    """Counts how often it is called."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


def test_a_pause_comes_after_every_fifty_items() -> None:
    pauses = Pauses()
    seen = [(item, pauses.count) for item in paced(range(1, 151), pauses)]
    assert PAUSE_EVERY == 50
    assert seen == [(item, (item - 1) // 50) for item in range(1, 151)]
    assert pauses.count == 3


def test_fewer_than_fifty_items_need_no_pause() -> None:
    pauses = Pauses()
    assert list(paced(iter("abc"), pauses)) == ["a", "b", "c"]
    assert list(paced(range(49), pauses)) == list(range(49))
    assert pauses.count == 0


def test_a_long_search_pauses_about_once_per_thousand_plays() -> None:
    """A part ends with the tile that fills it, so it has some more than a thousand plays."""
    pauses = Pauses()
    found_by_then: dict[int, int] = {}
    for number, _ in enumerate(each_play(Board(BOARD), HAND, pause=pauses)):
        found_by_then.setdefault(pauses.count, number)
    assert number + 1 == PLAYS
    starts = [*found_by_then.values(), PLAYS]
    parts = [end - start for start, end in pairwise(starts)]
    assert min(parts[:-1]) >= 1000
    assert max(parts) < 2500


def test_a_search_that_finds_few_plays_needs_no_pause() -> None:
    pauses = Pauses()
    assert list(each_play(parse_board("ro"), parse_tiles("bs"), pause=pauses)) == []
    assert len(list(each_play(parse_board("ro"), parse_tiles("rs rd"), pause=pauses))) == 36
    assert pauses.count == 0


def test_the_plays_of_a_seat_are_the_same_with_pauses() -> None:
    pauses = Pauses()
    game = hostile_game()
    assert list(each_play_of(game, 0, pauses)) == plays_of(game, 0)
    assert pauses.count >= 20


def test_the_best_play_is_the_same_with_pauses() -> None:
    pauses = Pauses()
    best = best_play(Board(BOARD), HAND, pause=pauses)
    assert best == min(each_play(Board(BOARD), HAND), key=by_points)
    assert pauses.count >= 2


def test_the_openings_have_a_pause_between_two_lines_of_cells() -> None:
    pauses = Pauses()
    game = deal(create(SEED, entrants(2), auto_bid=True).game).game
    assert game.mover is not None
    length = game.player(game.mover).bid
    assert length is not None
    assert list(each_play_of(game, game.mover, pauses)) == plays_of(game, game.mover)
    assert pauses.count == 2 * length - 1


def test_a_record_is_written_with_a_pause_after_every_fifty_events() -> None:
    events = [step.event for step in long_game(120)]
    pauses = Pauses()
    assert record_of(events, pause=pauses) == record_of(events)
    assert pauses.count == 2


def test_a_verification_pauses_after_every_event_and_every_entrant_compared_again() -> None:
    steps = [create(SEED, entrants(1), seats=2)]
    steps.append(join(steps[-1].game, Entrant("Eve")))
    steps.append(deal(steps[-1].game))
    pauses = Pauses()
    report = verify(record_of([step.event for step in steps]), pauses)
    assert (report.ok, report.checked_events) == (True, 3)
    assert pauses.count == 3 + 2
