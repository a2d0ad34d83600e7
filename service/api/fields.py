"""marshmallow fields that accept a JSON value as it is and never convert it.

`"3"`, `3.0` and `true` are not integers here. Each field keeps its limits as attributes, so that
the contract's tests can compare them with `openapi.yaml`.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar, cast

import orjson
from marshmallow import ValidationError, fields

from service.i18n import say
from service.rules.messages import Message
from service.rules.tiles import COLOURS, NAMES, SHAPES

T = TypeVar("T")

MAX_ERRORS = 20
"""Faults that a response lists; the search stops there."""

_KNOWN_TILES = frozenset(NAMES)
_MISSING = say("field.missing")
_MESSAGES: dict[str, str | list[Any] | dict[Any, Any]] = {
    "required": _MISSING,
    "null": say("field.null"),
    "validator_failed": say("field.refused"),
}
_NO_TILE = say("field.tile", colours=", ".join(COLOURS), shapes=", ".join(SHAPES))
_OF_A_PLACEMENT = frozenset({"tile", "x", "y"})


class StrictField(fields.Field[T]):
    """A field whose `check` returns the loaded value, or raises `ValidationError`."""

    default_error_messages = _MESSAGES

    def check(self, value: object) -> T:
        """The loaded value, or `ValidationError`."""
        raise NotImplementedError

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> T:
        return self.check(value)


class WholeNumber(StrictField[int]):
    """An integer from `low` to `high`."""

    def __init__(self, low: int, high: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.low = low
        self.high = high

    def check(self, value: object) -> int:
        """The integer itself."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise ValidationError(say("field.integer", low=self.low, high=self.high))
        return value


class Flag(StrictField[bool]):
    """A boolean."""

    def check(self, value: object) -> bool:
        """The boolean itself."""
        if not isinstance(value, bool):
            raise ValidationError(say("field.flag"))
        return value


class Choice(StrictField[str]):
    """One of a fixed set of words."""

    def __init__(self, words: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = tuple(words)

    def check(self, value: object) -> str:
        """The word itself."""
        if not isinstance(value, str) or value not in self.words:
            if len(self.words) == 1:
                raise ValidationError(say("field.only", word=self.words[0]))
            raise ValidationError(say("field.one_of", words=", ".join(self.words)))
        return value


class Text(StrictField[str]):
    """A string of `shortest` to `longest` characters."""

    def __init__(self, shortest: int, longest: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shortest = shortest
        self.longest = longest

    def check(self, value: object) -> str:
        """The string itself."""
        if not isinstance(value, str) or not self.shortest <= len(value) <= self.longest:
            raise ValidationError(say("field.text", shortest=self.shortest, longest=self.longest))
        return value


class PlayerName(Text):
    """A name to show to others: trimmed, and without characters that could garble a display."""

    pattern = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$"

    def check(self, value: object) -> str:
        """The name without surrounding whitespace."""
        name = super().check(value.strip() if isinstance(value, str) else value)
        if not name.isprintable():
            if not re.fullmatch(self.pattern, name):
                raise ValidationError(say("field.controls"))
            if all(unicodedata.category(character)[0] in "CZ" for character in name):
                return super().check("")
        return name


class WebAddress(Text):
    """An http or https URL in visible ASCII characters."""

    pattern = "^https?://[!-~]+$"

    def check(self, value: object) -> str:
        """The URL itself."""
        address = super().check(value)
        if not re.fullmatch(self.pattern, address):
            raise ValidationError(say("field.address"))
        return address


class JsonObject(StrictField[dict[str, Any]]):
    """Any JSON object of at most `most_bytes` when written without whitespace."""

    def __init__(self, most_bytes: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most_bytes = most_bytes

    def check(self, value: object) -> dict[str, Any]:
        """The object itself."""
        if not isinstance(value, dict):
            raise ValidationError(say("field.object"))
        if (size := len(orjson.dumps(value))) > self.most_bytes:
            raise ValidationError(say("field.bytes", size=size, most=self.most_bytes))
        return value


class ListOf(StrictField[list[Any]]):
    """A list of `fewest` to `most` entries, each loaded by `inner`."""

    def __init__(self, inner: fields.Field[Any], fewest: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = inner
        self.fewest = fewest
        self.most = most

    def check(self, value: object) -> list[Any]:
        """The loaded entries."""
        kept, faults = [], {}
        for index, entry in enumerate(sized_list(value, self.fewest, self.most)):
            try:
                kept.append(self.inner.deserialize(entry))
            except ValidationError as refused:
                faults[index] = refused.messages
        if faults:
            raise ValidationError(cast("dict[str, Any]", faults))
        return kept


class Tiles(StrictField[list[str]]):
    """A list of `fewest` to `most` tiles, in the order given."""

    def __init__(self, fewest: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fewest = fewest
        self.most = most

    def check(self, value: object) -> list[str]:
        """The names of the tiles."""
        tiles = sized_list(value, self.fewest, self.most)
        faults = {index: [_NO_TILE] for index, tile in enumerate(tiles) if not is_tile(tile)}
        if faults:
            raise ValidationError(cast("dict[str, Any]", faults))
        return cast("list[str]", tiles)


class Placements(StrictField[list[dict[str, Any]]]):
    """A list of placements `{"tile", "x", "y"}` with coordinates from `-reach` to `reach`.

    Checked without a nested schema, which costs several times the rest of a play's validation.
    """

    def __init__(self, fewest: int, most: int, reach: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.fewest = fewest
        self.most = most
        self.reach = reach

    def check(self, value: object) -> list[dict[str, Any]]:
        """The placements as given."""
        placements = sized_list(value, self.fewest, self.most)
        found = (
            (index, faults)
            for index, placement in enumerate(placements)
            if (faults := self._faults(placement))
        )
        told = dict(islice(found, MAX_ERRORS))
        if told:
            raise ValidationError(cast("dict[str, Any]", told))
        return cast("list[dict[str, Any]]", placements)

    def _faults(self, placement: object) -> dict[str, list[Message]] | list[Message]:
        if not isinstance(placement, dict):
            return [say("field.object")]
        faults = {}
        if not is_tile(placement.get("tile")):
            faults["tile"] = [_NO_TILE if "tile" in placement else _MISSING]
        for axis in ("x", "y"):
            along = placement.get(axis)
            if type(along) is not int or not -self.reach <= along <= self.reach:
                faults[axis] = [
                    say("field.integer", low=-self.reach, high=self.reach)
                    if axis in placement
                    else _MISSING
                ]
        if len(placement) + len(faults) > 3:
            unknown = (name for name in placement if name not in _OF_A_PLACEMENT)
            for name in islice(unknown, MAX_ERRORS):
                faults[name] = [say("field.unknown", known="tile, x, y")]
        return faults


class WholeNumberText(WholeNumber):
    """An integer in a query string, in plain decimal digits."""

    def check(self, value: object) -> int:
        """The integer."""
        plain = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10
        return super().check(int(cast("str", value)) if plain else value)


class ObjectOf(fields.Nested):
    """A JSON object with the members of another schema."""

    default_error_messages = _MESSAGES


def sized_list(value: object, fewest: int, most: int) -> Sequence[object]:
    """The list itself, or `ValidationError` if it is not a list or has another length."""
    if not isinstance(value, list):
        raise ValidationError(say("field.list"))
    if not fewest <= len(value) <= most:
        raise ValidationError(say("field.entries", count=len(value), fewest=fewest, most=most))
    return value


def is_tile(value: object) -> bool:
    """Whether the value is the name of a tile."""
    return isinstance(value, str) and value in _KNOWN_TILES
