"""What a picture of the table shows, and that it can be told apart by everybody."""

from itertools import combinations

import pytest

from service.images.svg import draw_board
from service.images.svg_to_png import png_from
from service.images.theme import THEMES, tile_look
from service.rules.board import Board
from service.rules.cells import xy
from service.rules.notation import parse_board
from service.rules.tiles import COLOURS, NAMES, SHAPES, TILES
from tests.pictures.picture_reader import Picture, png_size

BOARD = """
    ro rs rd
    bo
    go gx
"""


def drawn(board: Board, laid: list[int], size: int = 600, theme: str = "light") -> Picture:
    return Picture.of(draw_board(board.tiles, laid, size, theme))


def test_every_tile_lies_on_its_cell() -> None:
    board = parse_board(BOARD)
    expected = {xy(cell): NAMES[tile] for cell, tile in board.tiles.items()}
    assert len(expected) == 6
    assert drawn(board, [1, 1, 1, 2, 3, 4]).tiles == expected


def test_all_36_kinds_are_drawn_as_what_they_are() -> None:
    tiles = {y * 4096 + x: 6 * y + x for x in range(6) for y in range(6)}
    assert sorted(tiles.values()) == list(TILES)
    picture = Picture.of(draw_board(tiles, [0] * 36, 600, "dark"))
    assert picture.tiles == {xy(cell): NAMES[tile] for cell, tile in tiles.items()}


def test_only_the_tiles_of_the_last_play_are_marked() -> None:
    board = parse_board("ro rs rd rc")
    cells = [xy(cell) for cell in board.tiles]
    picture = drawn(board, [1, 1, 3, 3])
    assert picture.marked == set(cells[2:])
    assert (
        picture.caption == "Qwirkle: 4 tiles lie on the table; the 2 of the last play are marked."
    )
    picture = drawn(board, [1, 1, 3, 4])
    assert picture.marked == {cells[3]}
    assert (
        picture.caption == "Qwirkle: 4 tiles lie on the table; the one of the last play is marked."
    )


def test_a_position_that_was_set_up_has_no_last_play() -> None:
    picture = drawn(parse_board("ro"), [0])
    assert picture.marked == set()
    assert picture.caption == "Qwirkle: 1 tile lies on the table."


@pytest.mark.parametrize("theme", THEMES)
def test_an_empty_table_is_a_picture_too(theme: str) -> None:
    picture = drawn(Board(), [], 300, theme)
    assert picture.tiles == {}
    assert picture.size == (300, 300)
    left, top, width, height = picture.shown
    assert (left + width / 2, top + height / 2) == (0.5, 0.5)
    assert picture.caption == "Qwirkle: the table is empty."


def test_the_longer_side_has_the_size_asked_for_and_nothing_is_cut_off() -> None:
    row = {x: x % 36 for x in range(-30, 40)}
    for tiles in (row, {4096 * cell: tile for cell, tile in row.items()}):
        picture = Picture.of(draw_board(tiles, [1] * len(tiles), 700, "light"))
        assert max(picture.size) == 700
        left, top, width, height = picture.shown
        for x, y in map(xy, tiles):
            assert left < x < x + 1 < left + width
            assert top < y < y + 1 < top + height
        assert picture.size[0] / picture.size[1] == pytest.approx(width / height, rel=0.02)


def test_a_picture_holds_nothing_that_runs_loads_or_needs_style() -> None:
    picture = drawn(parse_board(BOARD), [1, 1, 1, 2, 3, 4])
    names = {element.tag.rpartition("}")[2] for element in picture.root.iter()}
    assert names == {"svg", "title", "defs", "g", "rect", "path", "use"}
    for element in picture.root.iter():
        assert not {"style", "onload", "onclick"} & set(element.attrib)
        assert element.get("href", "#").startswith("#")


def test_pixels_are_as_many_as_the_drawing_says() -> None:
    svg = draw_board(parse_board(BOARD).tiles, [1, 1, 1, 2, 3, 4], 128, "dark")
    assert png_size(png_from(svg)) == Picture.of(svg).size


# Colours for everybody. The matrices show full dichromacy (Machado, Oliveira and Fernandes, 2009).

Colour = tuple[float, float, float]
SIGHTS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no blue": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


@pytest.mark.parametrize("sight", SIGHTS)
def test_every_two_colours_differ_for_every_kind_of_sight(sight: str) -> None:
    seen = {
        name: perceived(through(SIGHTS[sight], linear(tile_look().colours[name])))
        for name in COLOURS
    }
    for one, other in combinations(COLOURS, 2):
        gap = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other], strict=True)) ** 0.5
        assert gap > 0.12, (one, other, gap)  # a just noticeable step is about 0.02


@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_stands_out_from_the_face_of_a_tile(name: str) -> None:
    bright, dark = luminance(tile_look().colours[name]), luminance(tile_look().face)
    assert (bright + 0.05) / (dark + 0.05) > 3.5


def test_the_shapes_are_those_of_the_game() -> None:
    assert tuple(tile_look().shapes) == SHAPES
    assert tuple(tile_look().colours) == COLOURS


def linear(colour: str) -> Colour:
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return red, green, blue


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def through(matrix: tuple[Colour, ...], colour: Colour) -> Colour:
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, colour, strict=True)))) for row in matrix
    )
    return red, green, blue


def perceived(colour: Colour) -> Colour:
    """The colour in Oklab, where equal distances look about equally far."""
    red, green, blue = colour
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )
