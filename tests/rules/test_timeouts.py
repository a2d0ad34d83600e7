"""What is done in the place of a player who lets the time run out."""

from service.rules.actions import (
    Step,
    bid,
    create,
    exchange,
    may_exchange,
    pass_turn,
    place,
    plays_of,
    resign,
)
from service.rules.events import Bid, Event, Exchanged, Passed, Played, Resigned
from service.rules.host_actions import deal
from service.rules.notation import parse_play, parse_tiles
from service.rules.record.verify import Report, verify
from service.rules.record.write import record_of
from service.rules.starting_position import Setup
from service.rules.timeouts import awaited_seat, seat_to_remove, timeout_step
from tests.rules.positions import SEED, codes, entrants, hand_of, position
from tests.rules.random_games import random_game

UNFIT = "bs bd b* bc bx gs"
UNFIT_TOO = "gd g* gc gx ys yd"


def test_nobody_keeps_a_waiting_or_finished_game_waiting() -> None:
    waiting = create(SEED, entrants(2)).game
    finished = resign(position("ro", "rs", "rd"), 0).game
    for game in (waiting, finished):
        assert (awaited_seat(game), timeout_step(game), seat_to_remove(game)) == (None, None, None)


def test_the_bid_of_an_absent_player_is_the_one_that_the_hand_has() -> None:
    game = bid(position("", "ro rs bd", "gs gd g*", "yx bo bx"), 0, 2).game
    assert awaited_seat(game) == 1
    step = timeout_step(game)
    assert step is not None
    assert step.event == Bid(3, 1, 3, timeout=True)
    assert step.game.player(1).timeouts == 1


def test_an_absent_opener_lays_the_line_that_was_bid() -> None:
    step = timeout_step(position("", "ro rs bd", "gs gd", auto_bid=True))
    assert step is not None
    assert isinstance(step.event, Played)
    assert (step.event.points, step.event.timeout) == (2, True)


def test_an_absent_player_exchanges_one_tile_while_the_bag_holds_any() -> None:
    game = position("ro", "rs bd b* bc bx gs", UNFIT_TOO, bag="yx rx")
    step = timeout_step(game)
    assert step is not None
    assert step.event == Exchanged(2, 0, hand_of(game, 0)[:1], parse_tiles("yx"), timeout=True)


def test_with_an_empty_bag_an_absent_player_makes_the_play_of_fewest_points() -> None:
    least = timeout_step(position("ro rs rd", "bo rx", "bo bs"))
    assert least is not None
    assert isinstance(least.event, Played)
    assert (least.event.points, least.event.placements) == (2, parse_play("rx@0,-1"))


def test_an_absent_player_who_can_only_pass_passes() -> None:
    step = timeout_step(position("ro", "bs bd", "rs bs"))
    assert step is not None
    assert step.event == Passed(2, 0, timeout=True)


def test_after_three_timeouts_in_a_row_a_player_has_to_leave() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx rx")
    for row in (1, 2, 3):
        assert seat_to_remove(game) is None
        step = timeout_step(game)
        assert step is not None
        game = step.game
        assert game.player(0).timeouts == row
        if row < 3:
            game = exchange(game, 1, hand_of(game, 1)[:1]).game
    assert seat_to_remove(game) == 0
    event, game = resign(game, 0, timeout=True)
    assert event == Resigned(7, 0, timeout=True, end="last_player", winners=(1,))
    assert seat_to_remove(game) is None


def test_whatever_a_player_does_in_time_ends_the_row_of_timeouts() -> None:
    game = position("ro", UNFIT, UNFIT_TOO, bag="yx rx")
    step = timeout_step(game)
    assert step is not None
    game = exchange(step.game, 1, hand_of(step.game, 1)[:1]).game
    game = exchange(game, 0, hand_of(game, 0)[:1]).game
    assert game.player(0).timeouts == 0


def test_who_is_absent_and_cannot_exchange_makes_the_cheapest_then_shortest_then_first_play() -> (
    None
):
    made = 0
    for number in range(40):
        for _, game in random_game(number):
            seat = game.mover
            if seat is None or game.opening or may_exchange(game, seat):
                continue
            if plays := plays_of(game, seat):
                step = timeout_step(game)
                assert step is not None
                assert isinstance(step.event, Played)
                ranked = [(play.points, len(play.placements), play.placements) for play in plays]
                laid = step.event.placements
                assert (step.event.points, len(laid), laid) == min(ranked)
                made += ranked[0] != min(ranked)
    assert made > 20, "the first play listed must often be another"


def test_an_absent_player_keeps_to_the_rules() -> None:
    game = position("ro", "rs bd", "gs bs")
    assert codes(lambda: pass_turn(game, 0, timeout=True)) == ["must_play"]
    assert codes(lambda: place(game, 0, parse_play("bd@1,0"), timeout=True)) == ["line_mixed"]


def absent_to_the_end(step: Step) -> list[Event]:
    """The events of a game in which nobody does anything in time any more."""
    events = [step.event]
    while step.game.phase != "finished":
        late = seat_to_remove(step.game)
        done = timeout_step(step.game) if late is None else resign(step.game, late, timeout=True)
        assert done is not None
        step = done
        events.append(step.event)
    return events


def test_absent_players_bring_any_game_to_an_end_or_leave() -> None:
    *before, last = absent_to_the_end(deal(create(SEED, entrants(3)).game))
    assert isinstance(last, Resigned)
    assert last.end == "last_player"
    assert len(before) < 40


def test_a_record_tells_what_was_done_for_absent_players_and_proves_right() -> None:
    created = create(SEED, entrants(3))
    hands = tuple(map(parse_tiles, ("rs bx", "bs gx", "gs yx")))
    closing = create(SEED, entrants(3), setup=Setup(board=((0, 0),), hands=hands, bag=()))
    late = set()
    for events in (
        [created.event, *absent_to_the_end(deal(created.game))],
        absent_to_the_end(closing),
    ):
        for count in range(1, len(events) + 1):
            document = record_of(events[:count])
            assert verify(document) == Report(True, document["seed"] is not None, count)
            late |= {each["type"] for each in document["events"] if each.get("timeout")}
    assert late == {"bid", "played", "exchanged", "passed", "resigned"}
