"""The state of a game and its events as bytes."""

from dataclasses import replace

import orjson
import pytest

from service.rules.actions import create, deal, join
from service.rules.events import Entrant
from service.rules.packing import FORMAT, UnknownFormat, event_from, event_row, pack, unpack
from service.rules.setup import Setup
from tests.rules.courses import course
from tests.rules.tables import SEED, entrants, position


def test_a_packed_state_can_be_unpacked() -> None:
    game = deal(create(SEED, entrants(3, (9, None, 40)), edition="polish").game).game
    assert unpack(pack(game)) == game


def test_a_waiting_set_up_game_keeps_its_position() -> None:
    setup = Setup(board=((0, 0), (1, 1)), scores=(3, 4), turn=1)
    game = unpack(pack(create(SEED, entrants(1), seats=2, setup=setup, seeded=True).game))
    assert (game.phase, game.seeded, game.positioned) == ("waiting", True, True)
    started = join(game, Entrant("Eve")).game
    assert (started.phase, started.mover, started.player(1).score) == ("playing", 1, 4)


def test_the_order_in_which_tiles_were_laid_is_kept() -> None:
    game = position("rs ro", "rd bd", "gx gs")
    assert list(unpack(pack(game)).board.tiles) == list(game.board.tiles)


@pytest.mark.parametrize("turn", [0xFFFF, 0x10000, 10**6])
def test_an_endless_exchange_war_can_still_be_packed(turn: int) -> None:
    game = replace(position("ro", "rs bd", "gx gs"), turn=turn, laid=(turn,))
    assert unpack(pack(game)) == game


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
    with pytest.raises(UnknownFormat):
        event_from(row, 5)


def test_every_event_of_a_course_survives_its_row() -> None:
    kinds = set()
    for number in range(40):
        for event, _ in course(number):
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
        for _, game in course(number)
        if 35 <= len(game.board) <= 45
    ]
    assert sizes
    assert max(sizes) <= 700
