"""Read which tiles a picture shows where, and which of them are marked."""

import struct
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from service.images.theme import tile_look
from service.rules.tiles import COLOURS, SHAPES

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Picture:
    """An SVG picture of a table: what it draws, not what its titles say."""

    root: ET.Element

    @classmethod
    def of(cls, svg: str | bytes) -> "Picture":
        return cls(ET.fromstring(svg))

    @property
    def size(self) -> tuple[int, int]:
        return int(self.root.attrib["width"]), int(self.root.attrib["height"])

    @property
    def shown(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of what is shown, in cells."""
        side = tile_look().side
        left, top, width, height = (float(v) / side for v in self.root.attrib["viewBox"].split())
        return left, top, width, height

    @property
    def caption(self) -> str | None:
        return self.root.findtext(f"{SVG}title")

    @property
    def tiles(self) -> dict[tuple[int, int], str]:
        """The tile on each cell, by its colour and its outline."""
        look = tile_look()
        colours = {look.colours[colour]: colour for colour in COLOURS}
        outlines = {path.attrib["id"]: path.attrib["d"] for path in self.root.iter(f"{SVG}path")
                    if "id" in path.attrib}  # fmt: skip
        shapes = {look.shapes[shape]: shape for shape in SHAPES}
        found = {}
        for tile in self.root.findall(f"{SVG}g"):
            x, y = map(int, tile.attrib["transform"][len("translate(") : -1].split())
            used = [use.attrib["href"][1:] for use in tile.iter(f"{SVG}use")]
            assert used[0] == "tile"
            shape = shapes[outlines[used[1]]]
            name = f"{colours[tile.attrib['fill']]}-{shape}"
            cell = (x // look.side, y // look.side)
            assert tile.findtext(f"{SVG}title") == f"{name} ({cell[0]}, {cell[1]})"
            assert cell not in found
            found[cell] = name
        return found

    @property
    def marked(self) -> set[tuple[int, int]]:
        side = tile_look().side
        rings = [rect for rect in self.root.iter(f"{SVG}rect") if rect.get("class") == "last"]
        return {(int(r.attrib["x"]) // side, int(r.attrib["y"]) // side) for r in rings}


def png_size(png: bytes) -> tuple[int, int]:
    """Width and height as the head of a PNG says."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    return width, height
