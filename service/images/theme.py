"""How tiles and table look: the themes, and the file that the web page reads too."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a table: the surface, its grid, and the shadows of the tiles."""

    table: str
    weave: str
    shadow: str


THEMES = {
    "light": Theme(table="#eee7da", weave="#ddd3c1", shadow="#b9ad97"),
    "dark": Theme(table="#2d4739", weave="#3a5a49", shadow="#1e3127"),
}


@dataclass(frozen=True, slots=True)
class TileLook:
    """A tile of ``side`` by ``side``: its face, and each shape's outline on it as an SVG path."""

    side: int
    corner: int
    face: str
    edge: str
    colours: dict[str, str]
    shapes: dict[str, str]


@cache
def tile_look() -> TileLook:
    """The look of the tiles, read once."""
    written: dict[str, Any] = json.loads((files("service") / "web/table/tiles.json").read_bytes())
    return TileLook(**written)
