"""Tiles, boards and plays as text: what is written can be read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.rules.board import Board
from service.rules.cells import as_cell, cell_at, column_of, neighbours, row_of, xy
from service.rules.errors import Malformed
from service.rules.notation import (
    format_board,
    format_play,
    format_tile,
    format_tiles,
    parse_board,
    parse_play,
    parse_tile,
    parse_tiles,
)
from service.rules.tiles import COLOURS, NAMES, SHAPES, TILES, WHOLE_BAG, name_of, tile_named
from tests.rules.random_games import random_game

COORDINATES = st.integers(-1000, 1000)


def test_there_are_108_tiles_six_colours_by_six_shapes_three_times() -> None:
    assert COLOURS == ("red", "orange", "yellow", "green", "blue", "purple")
    assert SHAPES == ("circle", "square", "diamond", "star", "clover", "cross")
    assert len(WHOLE_BAG) == 108
    assert all(WHOLE_BAG.count(tile) == 3 for tile in TILES)
    assert len(set(NAMES)) == 36


def test_a_tile_is_written_by_colour_and_shape() -> None:
    assert (tile_named("red-circle"), tile_named("purple-cross")) == (0, 35)
    assert name_of(27) == "blue-star"
    assert (format_tile(27), parse_tile("b*")) == ("b*", 27)


@pytest.mark.parametrize("tile", TILES)
def test_every_tile_can_be_read_again(tile: int) -> None:
    assert parse_tile(format_tile(tile)) == tile
    assert tile_named(name_of(tile)) == tile


@given(st.lists(st.sampled_from(TILES)))
def test_lists_of_tiles_can_be_read_again(tiles: list[int]) -> None:
    assert list(parse_tiles(format_tiles(tiles))) == tiles


@given(st.lists(st.tuples(COORDINATES, COORDINATES, st.sampled_from(TILES))))
def test_plays_can_be_read_again(placed: list[tuple[int, int, int]]) -> None:
    placements = tuple((cell_at(x, y), tile) for x, y, tile in placed)
    assert parse_play(format_play(placements)) == placements


def test_a_placement_is_written_with_its_column_and_row() -> None:
    assert format_play([(cell_at(2, -1), 27)]) == "b*@2,-1"


def test_a_board_is_drawn_with_the_place_of_its_corner() -> None:
    board = Board([(cell_at(-1, 2), 0), (cell_at(0, 3), 1), (cell_at(0, 2), 27)])
    assert format_board(board) == "@-1,2\nro b*\n.. rs"
    assert parse_board(format_board(board)) == board


def test_an_empty_board_is_drawn_as_nothing() -> None:
    assert format_board(Board()) == ""
    assert parse_board("") == Board()
    assert parse_board("@3,4") == Board()


@pytest.mark.parametrize("number", range(20))
def test_every_reachable_board_can_be_read_again(number: int) -> None:
    board = list(random_game(number))[-1].game.board
    assert parse_board(format_board(board)) == board


def test_boards_are_equal_whatever_the_order_in_which_they_were_laid() -> None:
    one, other = Board(parse_play("ro@0,0 rs@1,0")), Board(parse_play("rs@1,0 ro@0,0"))
    assert one == other
    assert hash(one) == hash(other)
    assert one != Board()
    assert one != "ro rs"
    assert repr(Board([(0, 1)])) == "Board([(0, 1)])"


@given(COORDINATES, COORDINATES)
def test_a_cell_has_its_column_row_and_four_neighbours(x: int, y: int) -> None:
    cell = cell_at(x, y)
    assert as_cell(cell) == cell
    assert (column_of(cell), row_of(cell)) == xy(cell) == (x, y)
    assert [xy(beside) for beside in neighbours(cell)] == [
        (x - 1, y),
        (x + 1, y),
        (x, y - 1),
        (x, y + 1),
    ]


@pytest.mark.parametrize(
    "text", ["", "r", "rr", "xo", "RO", "ro ", "red-circle", "r*@", "ro@0", "ro@0,0,0", "ro@1001,0"]
)
def test_text_that_is_no_tile_or_placement_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        parse_tile(text)
    if text:
        with pytest.raises(Malformed):
            parse_play(text)


@pytest.mark.parametrize(
    "text",
    ["ro rz", "@0", "@0,0 1\nro", "@1000,0\nro rs", "@,\nro", "@99999,0\nro", "@0,-1001\nro"],
)
def test_text_that_is_no_board_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        parse_board(text)


@given(st.text(max_size=30))
def test_any_text_is_read_or_malformed(text: str) -> None:
    for parse in (parse_tile, parse_tiles, parse_play, parse_board, tile_named):
        try:
            parse(text)
        except Malformed:
            continue


@pytest.mark.parametrize("text", ["ro@", "ro@1", "ro@1;2", "ro 1,2", "ro@a,b"])
def test_where_a_place_should_be_the_refusal_says_how_to_write_one(text: str) -> None:
    with pytest.raises(Malformed, match="is not a place; write @column,row"):
        parse_play(text)


def test_what_stands_beside_a_corner_is_told_as_it_was_written() -> None:
    with pytest.raises(Malformed, match="'@0,0 ro' is not a place"):
        parse_board("@0,0 ro\nro")


@pytest.mark.parametrize(
    ("text", "quoted"), [("rz", "'rz'"), ("red-circle" * 9, "'red-circlered-circl")]
)
def test_where_a_tile_should_be_the_refusal_says_how_to_write_one(text: str, quoted: str) -> None:
    with pytest.raises(Malformed) as refused:
        parse_tiles(text)
    said = f"{quoted} is not a tile; write a colour of roygbp and a shape of osd*cx"
    assert str(refused.value) == said
