"""The compiled core, if it was built: the search for plays, the bots and whole games, in C.

The rules and the bots in Python are the reference. The core gives the same results, play for play
and choice for choice, only faster; ``tests/core`` compares the two. It is built with the package
if there is a compiler. ``QWIRKLE_CORE=python`` leaves it unused.

``native`` is the compiled module, or None. It refuses with OverflowError what is too large for its
tables, which no game is; the reference takes that too.
"""

import os
from importlib import import_module
from types import ModuleType


def _load() -> ModuleType | None:
    if os.environ.get("QWIRKLE_CORE", "").strip().lower() == "python":
        return None
    try:
        return import_module("service.core._native")
    except ImportError:
        return None


native = _load()


def name() -> str:
    """Which one runs: ``C`` or ``Python``."""
    return "Python" if native is None else "C"
