"""What holds in any course of play, shown on random ones."""

from collections import Counter

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules.actions import (
    exchange,
    may_exchange,
    may_pass,
    may_play,
    pass_turn,
    place,
    plays_of,
)
from service.rules.codec import event_from, event_row, pack, unpack
from service.rules.errors import RulesBroken
from service.rules.record.replay import replay_record
from service.rules.record.write import record_of
from service.rules.reducer import reduce, replay
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG
from tests.rules import reference_rules
from tests.rules.positions import reference_board
from tests.rules.random_games import random_game, tiles_of

NUMBERS = st.integers(0, 2**32)
COURSES = settings(max_examples=50)
MANY = settings(max_examples=3000)


def check_tiles_are_conserved(number: int) -> None:
    steps = list(random_game(number))
    first = steps[0].game
    whole = tiles_of(first) if first.positioned else Counter(WHOLE_BAG)
    for _, game in steps:
        dealt = game.positioned or game.phase != "waiting"
        assert tiles_of(game) == (whole if dealt else Counter())


def check_no_invalid_line_is_reached(number: int) -> None:
    game = list(random_game(number))[-1].game
    table = reference_board(game.board)
    for cell in table:
        for axis in (reference_rules.ACROSS, reference_rules.DOWN):
            line = reference_rules.line_through(table, cell, axis)
            assert len(line) == 1 or reference_rules.is_line([table[covered] for covered in line])
    seen, edge = set(), set(list(table)[:1])
    while edge:
        seen |= edge
        edge = {
            cell for cell in table if reference_rules.touches(dict.fromkeys(edge, ("", "")), cell)
        } - seen
    assert seen == set(table), "all tiles hang together"


def check_somebody_can_act(game: Game) -> None:
    if game.phase == "finished":
        assert game.end is not None
        assert game.mover is None
        assert set(game.winners) <= set(game.active)
        assert game.winners
    elif game.phase == "bidding":
        assert any(player.bid is None for player in game.active.values())
    elif game.phase == "playing":
        seat = game.mover
        assert seat in game.active
        assert seat is not None
        hand = game.player(seat).hand
        assert hand
        assert len(hand) == 6 or not game.bag
        if may_play(game, seat):
            place(game, seat, plays_of(game, seat)[0].placements)
        if most := may_exchange(game, seat):
            exchange(game, seat, hand[:most])
        if may_pass(game, seat):
            pass_turn(game, seat)
        else:
            with pytest.raises(RulesBroken):
                pass_turn(game, seat)
        assert may_play(game, seat) or may_exchange(game, seat) or may_pass(game, seat)


def check_folding_and_packing(number: int) -> None:
    steps = list(random_game(number))
    events = [event for event, _ in steps]
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    folded = None
    for event, game in steps:
        folded = reduce(folded, event)
        assert folded == game
        assert unpack(pack(game)) == game
        assert event_from(orjson.loads(orjson.dumps(event_row(event))), event.n) == event
    final = steps[-1].game
    again = replay(events)
    assert again == final
    assert list(again.board.tiles.items()) == list(final.board.tiles.items())
    assert list(unpack(pack(final)).board.tiles.items()) == list(final.board.tiles.items())


@COURSES
@given(NUMBERS)
def test_tiles_are_conserved_through_any_course_of_play(number: int) -> None:
    check_tiles_are_conserved(number)


@COURSES
@given(NUMBERS)
def test_no_course_of_play_reaches_an_invalid_line_or_an_island(number: int) -> None:
    check_no_invalid_line_is_reached(number)


@COURSES
@given(NUMBERS)
def test_no_course_of_play_reaches_a_state_where_nobody_can_act(number: int) -> None:
    for _, game in random_game(number):
        check_somebody_can_act(game)


@COURSES
@given(NUMBERS)
def test_folding_the_events_gives_the_state_and_packing_keeps_it(number: int) -> None:
    check_folding_and_packing(number)


@COURSES
@given(NUMBERS)
def test_the_record_of_a_finished_game_replays_to_the_same_events(number: int) -> None:
    steps = list(random_game(number))
    document = orjson.loads(orjson.dumps(record_of([event for event, _ in steps])))
    game = steps[-1].game
    if game.phase != "finished":
        assert document["seed"] is None
        return
    replayed = replay_record(document)
    assert record_of([event for event, _ in replayed]) == document
    assert [step.game.bag for step in replayed] == [step.game.bag for step in steps]
    assert replayed[-1].game.winners == game.winners


@COURSES
@given(NUMBERS)
def test_a_course_of_play_is_the_same_whenever_it_is_played(number: int) -> None:
    assert list(random_game(number)) == list(random_game(number))


@COURSES
@given(NUMBERS)
def test_scores_are_the_sums_of_points_and_bonuses(number: int) -> None:
    steps = list(random_game(number))
    first = next((game for _, game in steps if game.phase != "waiting"), steps[-1].game)
    total = {seat: player.score for seat, player in first.seated.items()}
    for event, _ in steps:
        if hasattr(event, "points"):
            total[event.seat] += event.points + event.bonus
    final = steps[-1].game
    if final.phase != "waiting":
        assert total == {seat: player.score for seat, player in final.seated.items()}


def test_random_courses_reach_every_end() -> None:
    reached: set[str | None] = set()
    for number in range(400):
        reached |= {game.end for _, game in random_game(number)}
        if len(reached) == 5:
            break
    assert reached == {None, "hand_empty", "all_passed", "blocked", "last_player"}


@pytest.mark.soak
@MANY
@given(NUMBERS)
def test_everything_that_holds_in_any_course_holds_in_thousands(number: int) -> None:
    check_tiles_are_conserved(number)
    check_no_invalid_line_is_reached(number)
    check_folding_and_packing(number)
    for _, game in random_game(number):
        check_somebody_can_act(game)
