"""The parts of a view that are written by hand for speed say what the plain way would."""

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.api.board_json import board_text
from service.games.session import timestamp
from service.rules.cells import REACH, cell_at
from service.rules.tiles import NAMES, TILES

cells = st.builds(cell_at, *[st.integers(-REACH, REACH)] * 2)
near = st.builds(cell_at, *[st.integers(-51, 51)] * 2)
turns = st.integers(0, 201) | st.integers(0, 2**32 - 1)
boards = st.dictionaries(cells | near, st.sampled_from(TILES), max_size=108)


def written(tiles: dict[int, int], laid: list[int]) -> list[dict[str, object]]:
    shape = []
    for (cell, tile), turn in zip(tiles.items(), laid, strict=True):
        x = next(x for x in range(-REACH, REACH + 1) if (cell - x) % 4096 == 0)
        shape.append({"tile": NAMES[tile], "x": x, "y": (cell - x) // 4096, "turn": turn})
    return shape


@given(tiles=boards, data=st.data())
def test_the_text_of_a_board_is_what_a_writer_of_json_makes_of_it(
    tiles: dict[int, int], data: st.DataObject
) -> None:
    laid = data.draw(st.lists(turns, min_size=len(tiles), max_size=len(tiles)))
    for _ in range(2):  # the second time from parts that were kept
        assert board_text(tiles, laid) == orjson.dumps(written(tiles, laid))


@pytest.mark.parametrize("laid", [[], [1], [1, 2, 3]])
def test_a_board_has_a_turn_for_every_tile(laid: list[int]) -> None:
    with pytest.raises(ValueError, match="extended slice"):
        board_text({0: 1, 1: 2}, laid)


@given(unix_ms=st.integers(0, 253_402_300_799_999))
def test_a_moment_is_written_as_the_library_writes_it(unix_ms: int) -> None:
    seconds, milliseconds = divmod(unix_ms, 1000)
    plain = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    assert timestamp(unix_ms) == f"{plain}.{milliseconds:03}Z"
