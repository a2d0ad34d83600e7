"""The tables of lines, made anew and held against the plain words of the rule."""

from service.rules import lines
from service.rules.tiles import TILES, kinds_of
from tests.rules.positions import reference_tiles
from tests.rules.reference_rules import is_line


def test_what_may_join_a_line_is_every_tile_with_which_it_is_a_line_still() -> None:
    rooms = lines._rooms()
    assert rooms == lines.ROOM
    # 36 single tiles; of each family those of 2 to 6 tiles are in no other; and no tile at all.
    assert len(rooms) == 1 + 36 + 12 * (2**6 - 1 - 6)
    for kinds, room in rooms.items():
        tiles = [tile for tile in TILES if kinds >> tile & 1]
        joining = [
            tile for tile in TILES if tile not in tiles and is_line(reference_tiles([*tiles, tile]))
        ]
        assert room == kinds_of(joining)


def test_every_tile_alone_and_no_tile_at_all_have_room() -> None:
    assert lines.ROOM[0] == kinds_of(TILES)
    assert {1 << tile for tile in TILES} <= lines.ROOM.keys()
