"""Change a record in one place, as a forger would."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path to every value inside a document."""
    keys: Any = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield (*path, key)
        if isinstance(value[key], dict | list):
            yield from paths(value[key], (*path, key))


def altered(document: dict[str, Any], path: Path, to: Any) -> dict[str, Any]:
    copy = deepcopy(document)
    inside: Any = copy
    for key in path[:-1]:
        inside = inside[key]
    if to is ...:
        del inside[path[-1]]
    else:
        inside[path[-1]] = to
    return copy


def like(value: Any, chance: Random) -> Any:
    """A different value of the same kind, which could be there."""
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1))
        case None:
            return chance.choice((0, True, "red-circle", []))
        case str() if value.startswith("sha256:"):
            return value[:-1] + ("0" if value[-1] != "0" else "1")
        case str() if "-" in value:
            return "red-circle" if value != "red-circle" else "blue-cross"
        case str():
            return value + "x"
        case list():
            return value[:-1] or [7]
        case _:
            return {**value, "more": 1}
