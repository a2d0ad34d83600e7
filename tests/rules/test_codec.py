"""The state of a game and its events as bytes."""

import struct
from typing import Any

import orjson
import pytest

from service.rules.actions import create, join, pass_turn, resign
from service.rules.cells import ACROSS, DOWN, cell_at
from service.rules.codec import FORMAT, UnknownFormat, event_from, event_row, pack, unpack
from service.rules.events import (
    Bid,
    Entrant,
    Event,
    Exchanged,
    Passed,
    Played,
    Resigned,
    Updated,
)
from service.rules.host_actions import deal
from service.rules.lines import Line
from service.rules.starting_position import Setup
from service.rules.state import MOST_EVENTS, End
from tests.rules.long_games import long_game
from tests.rules.positions import SEED, entrants, position
from tests.rules.random_games import random_game


def test_a_packed_state_can_be_unpacked() -> None:
    game = deal(create(SEED, entrants(3, (9, None, 40)), edition="polish").game).game
    assert unpack(pack(game)) == game


def test_a_waiting_set_up_game_keeps_its_position() -> None:
    setup = Setup(board=((0, 0), (1, 1)), scores=(3, 4), turn=1)
    game = unpack(pack(create(SEED, entrants(1), seats=2, setup=setup, seeded=True).game))
    assert (game.phase, game.seeded, game.positioned) == ("waiting", True, True)
    started = join(game, Entrant("Eve")).game
    assert (started.phase, started.mover, started.player(1).score) == ("playing", 1, 4)


def test_the_seed_is_kept_and_takes_space_only_if_it_differs_from_the_secret() -> None:
    waiting = create(SEED, entrants(2)).game
    plain, mixed = deal(waiting).game, deal(waiting, "dice").game
    assert (plain.seed, pack(plain).count(SEED)) == (SEED, 1)
    assert mixed.seed != SEED
    assert mixed.seed in pack(mixed)
    assert unpack(pack(mixed)) == mixed


def test_the_order_in_which_tiles_were_laid_is_kept() -> None:
    game = position("rs ro", "rd bd", "gx gs")
    assert list(unpack(pack(game)).board.tiles) == list(game.board.tiles)


def test_the_longest_game_can_be_packed() -> None:
    game = long_game(MOST_EVENTS)[-1].game
    assert unpack(pack(game)) == game


def test_who_has_passed_and_who_has_won_is_kept() -> None:
    passed = pass_turn(position("ro", "bs bd", "rs bs"), 0).game
    assert unpack(pack(passed)) == passed
    left = resign(passed, 1).game
    assert unpack(pack(left)) == left
    assert (passed.passed, left.winners) == ((0,), (0,))


def test_a_state_cut_off_anywhere_is_not_read_as_a_smaller_one() -> None:
    data = pack(position("ro rs rd", "r* bd yo y* gc px", "gx gs oo os ox o*", bag="bo b*"))
    tiles = len(data) - data.rindex(SEED)
    for missing in range(1, tiles):
        with pytest.raises((ValueError, struct.error)):
            unpack(data[:-missing])
    with pytest.raises(ValueError, match="bytes instead of"):
        unpack(data + b"\0")


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x01\x00\x00", bytes(100)])
def test_bytes_of_another_format_are_refused(data: bytes) -> None:
    with pytest.raises(UnknownFormat):
        unpack(data)


def test_a_state_of_the_next_format_is_refused() -> None:
    data = bytes([FORMAT + 1]) + pack(position("ro", "rs bd", "gx gs"))[1:]
    with pytest.raises(UnknownFormat, match=str(FORMAT + 1)):
        unpack(data)


@pytest.mark.parametrize("row", [[], ["danced", 1], ["z"], [None]])
def test_an_event_of_an_unknown_kind_is_refused(row: list[object]) -> None:
    with pytest.raises(UnknownFormat, match=r"event 5 .* of a type that this release cannot read"):
        event_from(row, 5)


LINES = (Line(0, ACROSS, 2), Line(cell_at(-1, 3), DOWN, 6))
ENDS = ((None, ()), ("hand_empty", (1,)), ("all_passed", (0, 2)))


@pytest.mark.parametrize("timeout", [False, True])
@pytest.mark.parametrize(("end", "winners"), ENDS)
def test_whatever_an_event_tells_survives_its_row(
    end: End | None, winners: tuple[int, ...], timeout: bool
) -> None:
    laid = ((cell_at(-2, 1), 35), (cell_at(3, -4), 0))
    rest: tuple[Any, ...] = (end, winners, timeout)
    events: list[Event] = [
        Bid(7, 1, 4, timeout),
        Played(7, 2, laid, 18, LINES, 6, (3, 3, 35), *rest),
        Exchanged(7, 3, (0, 35), (1, 2), timeout),
        Passed(7, 1, *rest),
        Resigned(7, 2, *rest),
    ]
    for event in events:
        row = event_row(event)
        assert event_from(orjson.loads(orjson.dumps(row)), 7) == event
        # What is rare is written only where there is something to write.
        assert (row[-1] is True) == timeout
        assert (end in row) == (not isinstance(event, Bid | Exchanged) and (timeout or bool(end)))


def test_what_a_host_changed_survives_its_row() -> None:
    rows: list[tuple[Event, list[object]]] = [
        (Updated(7, 4), ["u", 4]),
        (Resigned(7, 2), ["r", 2]),
        (Resigned(7, 2, removed=True), ["r", 2, None, [], False, True]),
    ]
    for event, row in rows:
        assert orjson.loads(orjson.dumps(event_row(event))) == row
        assert event_from(row, 7) == event


def test_the_making_of_a_table_keeps_the_number_it_is_read_under() -> None:
    made = create(SEED, entrants(2)).event
    assert event_from(orjson.loads(orjson.dumps(event_row(made))), 4).n == 4


def test_every_event_of_a_course_survives_its_row() -> None:
    kinds = set()
    for number in range(40):
        for event, _ in random_game(number):
            row = orjson.loads(orjson.dumps(event_row(event)))
            assert event_from(row, event.n) == event
            kinds.add(type(event).__name__)
    assert kinds == {
        "Created", "Joined", "Dealt", "Bid", "Played", "Exchanged", "Passed", "Resigned",
    }  # fmt: skip


def test_a_mid_game_state_takes_at_most_700_bytes() -> None:
    sizes = [
        len(pack(game))
        for number in range(40)
        for _, game in random_game(number)
        if 35 <= len(game.board) <= 45
    ]
    assert sizes
    assert max(sizes) <= 700
