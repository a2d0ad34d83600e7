"""The same pictures in pixels, as PNG."""

import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from service.images import render_png as painter
from service.images.turns import Turns

_KEPT = 32  # pictures of some 60 KB
_PATIENCE = 20.0
_turns = Turns()


def painted(svg: str, caller: str = "") -> bytes:
    """An SVG picture as PNG, in the size that it says it has.

    Painting takes some 50 ms (600 pixels) to 150 ms (1,200), in which the renderer does not let
    go of the interpreter. So a process of its own does it, one at a time for each worker, for one
    caller after the other, and a picture that many ask for is kept.
    """
    with _turns.turn(caller):
        return _painted(svg)


@lru_cache(_KEPT)
def _painted(svg: str) -> bytes:
    # Without the site's own start-up, which takes as long as painting a small picture.
    command = [sys.executable, "-I", "-S", painter.__file__, _where_the_renderer_is()]
    done = subprocess.run(  # noqa: S603  # nothing of it is a caller's
        command, input=svg.encode(), capture_output=True, timeout=_PATIENCE, check=False
    )
    if done.returncode or not done.stdout:
        raise RuntimeError(f"the painter ended with {done.returncode}: {done.stderr[-500:]!r}")
    return done.stdout


@lru_cache(1)
def _where_the_renderer_is() -> str:
    found = find_spec("resvg_py")
    if found is None or found.origin is None:
        raise RuntimeError("resvg_py is not installed")
    return str(Path(found.origin).parents[1])
