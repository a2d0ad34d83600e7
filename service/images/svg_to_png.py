"""The same pictures in pixels, as PNG."""

import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_CACHED = 32  # pictures of about 60 KB
_TIMEOUT = 20.0

# Reads SVG, writes PNG, with low priority. Its only argument is the folder of the renderer. No
# picture has text, and searching for fonts would take longer than everything else.
_PROGRAM = """
import os, sys
sys.path.append(sys.argv[1])
os.nice(5)
import resvg_py
svg = sys.stdin.buffer.read().decode()
sys.stdout.buffer.write(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))
"""


@lru_cache(_CACHED)
def png_from(svg: str) -> bytes:
    """An SVG picture as PNG, in the size that the SVG gives.

    Rendering takes from 50 ms (600 pixels) to 150 ms (1,200), during which the renderer holds the
    interpreter. So a separate process does it.
    """
    # -S: importing `site` takes as long as rendering a small picture.
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, _renderer_folder()]
    done = subprocess.run(  # noqa: S603  # no part of it comes from a caller
        command, input=svg.encode(), capture_output=True, timeout=_TIMEOUT, check=False
    )
    if done.returncode or not done.stdout:
        raise RuntimeError(f"the renderer ended with {done.returncode}: {done.stderr[-500:]!r}")
    return done.stdout


@lru_cache(1)
def _renderer_folder() -> str:
    found = find_spec("resvg_py")
    if found is None or found.origin is None:
        raise RuntimeError("resvg_py is not installed")
    return str(Path(found.origin).parents[1])
