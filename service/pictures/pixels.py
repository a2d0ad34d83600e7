"""The same pictures in pixels, as PNG."""

from functools import lru_cache

import resvg_py

_KEPT = 32  # pictures of some 60 KB


@lru_cache(_KEPT)
def painted(svg: str) -> bytes:
    """An SVG picture as PNG, in the size that it says it has.

    Takes a worker's whole attention for some 50 ms (600 pixels) to 150 ms (1,200), so a picture
    that many ask for is kept. No picture has text, and looking for fonts would take longer.
    """
    png: bytes = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    return png
