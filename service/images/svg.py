"""The table as an SVG picture.

Everything is drawn with presentation attributes, so that the picture needs no styles and no
scripts, and looks the same everywhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from typing import NamedTuple

from service.images.theme import THEMES, Theme, TileLook, tile_look
from service.rules.cells import CENTRE, Cell, xy
from service.rules.tiles import COLOURS, NAMES, SHAPES, Tile

_FEWEST = 5  # cells across and down, so that a few tiles do not fill the picture
_MARGIN = 0.75  # of a cell, around the tiles


class _Frame(NamedTuple):
    """What part of the table a picture shows, in cells."""

    left: float
    top: float
    across: float
    down: float


def draw_board(tiles: Mapping[Cell, Tile], laid: Sequence[int], size: int, theme: str) -> str:
    """The table as SVG, its longer side ``size`` pixels; the tiles of the last play are marked.

    ``laid`` has the turn in which each tile was placed; 0 means with the set-up.
    """
    look, colours = tile_look(), THEMES[theme]
    last = max(laid, default=0)
    newest = [cell for cell, turn in zip(tiles, laid, strict=True) if turn == last > 0]
    frame = _framed(tiles or (CENTRE,))
    parts = [
        _head(frame, look.side, size),
        f"<title>{_caption(len(tiles), len(newest))}</title>",
        _definitions(look, colours),
        _ground(look, colours, frame),
        *(_tile(look, cell, tile) for cell, tile in tiles.items()),
        *(_mark(look, cell) for cell in newest),
    ]
    if not tiles:
        parts.append(_centre(look, colours))
    return "\n".join([*parts, "</svg>\n"])


def _head(frame: _Frame, side: int, size: int) -> str:
    scale = size / max(frame.across, frame.down)
    view = " ".join(f"{value * side:g}" for value in frame)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'width="{round(frame.across * scale)}" height="{round(frame.down * scale)}" '
        f'viewBox="{view}">'
    )


def _framed(cells: Iterable[Cell]) -> _Frame:
    """The part of the table that shows all these cells, centred."""
    columns, rows = zip(*map(xy, cells), strict=True)
    left, across = _stretch(min(columns), max(columns))
    top, down = _stretch(min(rows), max(rows))
    return _Frame(left, top, across, down)


def _stretch(first: int, last: int) -> tuple[float, float]:
    length = last - first + 1
    shown = max(length, _FEWEST) + 2 * _MARGIN
    return first - (shown - length) / 2, shown


def _caption(tiles: int, newest: int) -> str:
    lie = "1 tile lies" if tiles == 1 else f"{tiles} tiles lie"
    marked = f"; the {newest} of the last play are marked" if newest > 1 else ""
    marked = "; the one of the last play is marked" if newest == 1 else marked
    return f"Qwirkle: {lie} on the table{marked}." if tiles else "Qwirkle: the table is empty."


def _definitions(look: TileLook, theme: Theme) -> str:
    """What is used many times: the tile and the six shapes."""
    body = f'x="3" width="{look.side - 6}" height="{look.side - 6}" rx="{look.corner}"'
    return "\n".join(
        [
            "<defs>",
            '<g id="tile">',
            f'<rect {body} y="7" fill="{theme.shadow}"/>',
            f'<rect {body} y="3" fill="{look.face}" stroke="{look.edge}" stroke-width="2"/>',
            "</g>",
            *(f'<path id="{shape}" d="{path}"/>' for shape, path in look.shapes.items()),
            "</defs>",
        ]
    )


def _ground(look: TileLook, theme: Theme, frame: _Frame) -> str:
    """The table itself, with a small cross where four cells meet.

    The crosses are the dashes of long lines: a pattern would take 50% longer to render.
    """
    side, arm = look.side, look.side * 0.06
    left, top, across, down = (value * side for value in frame)
    columns = range(floor(frame.left), ceil(frame.left + frame.across) + 1)
    rows = range(floor(frame.top), ceil(frame.top + frame.down) + 1)
    upright = "".join(f"M{x * side} {rows[0] * side - arm:g}V{rows[-1] * side}" for x in columns)
    level = "".join(f"M{columns[0] * side - arm:g} {y * side}H{columns[-1] * side}" for y in rows)
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{across:g}" height="{down:g}" '
        f'fill="{theme.table}"/>\n'
        f'<path d="{upright}{level}" stroke="{theme.weave}" stroke-width="3" '
        f'stroke-dasharray="{2 * arm:g} {side - 2 * arm:g}"/>'
    )


def _tile(look: TileLook, cell: Cell, tile: Tile) -> str:
    colour, shape = COLOURS[tile // len(SHAPES)], SHAPES[tile % len(SHAPES)]
    x, y = xy(cell)
    return (
        f'<g transform="translate({x * look.side} {y * look.side})" fill="{look.colours[colour]}">'
        f'<title>{NAMES[tile]} ({x}, {y})</title><use href="#tile"/><use href="#{shape}"/></g>'
    )


def _mark(look: TileLook, cell: Cell) -> str:
    """A bright ring on the dark face of a tile; it stands out in every theme."""
    x, y = xy(cell)
    return (
        f'<rect class="last" x="{x * look.side + 8}" y="{y * look.side + 8}" '
        f'width="{look.side - 16}" height="{look.side - 16}" rx="{look.corner - 4}" '
        'fill="none" stroke="#fff" stroke-width="6"/>'
    )


def _centre(look: TileLook, theme: Theme) -> str:
    """The cell that the opening line must cover: the middle of the empty table."""
    return (
        f'<rect x="3" y="3" width="{look.side - 6}" height="{look.side - 6}" rx="{look.corner}" '
        f'fill="none" stroke="{theme.shadow}" stroke-width="4" stroke-dasharray="11 8"/>'
    )
