"""The API contract, `openapi.yaml`, as the service itself reads it."""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

_PROBLEMS = b"\nx-problems:\n"


@cache
def contract_text() -> bytes:
    """The whole file."""
    return _file().read_bytes()


@cache
def contract() -> dict[str, Any]:
    """The whole of `openapi.yaml`, read once. Do not change it."""
    return _loaded(contract_text())


@cache
def stated_problems() -> dict[str, Any]:
    """Every problem of the contract. Do not change it.

    They are last in the file, so that a first refusal need not parse all of it.
    """
    _, heading, problems = contract_text().partition(_PROBLEMS)
    found: dict[str, Any] = _loaded(heading + problems)["x-problems"]
    return found


def _loaded(text: bytes) -> dict[str, Any]:
    import yaml  # noqa: PLC0415  # loaded late: most workers never need it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    return dict(yaml.load(text, loader))  # noqa: S506  # both are safe loaders


def _file() -> Traversable:
    """In the package once installed, at the root of the source tree before."""
    installed = files("service") / "openapi.yaml"
    return installed if installed.is_file() else Path(__file__).parents[2] / "openapi.yaml"
