"""marshmallow fields that accept a JSON value as it is and never convert it.

`"3"` and `true` are not integers here; `3.0` is the integer 3, as in JSON Schema. Tiles and
placements load as the types of the rules. Each field keeps its limits as attributes, so that the
contract's tests can compare them with `openapi.yaml`.
"""

import re
import unicodedata
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from itertools import islice
from typing import Any, TypeVar, cast

import orjson
from marshmallow import ValidationError, fields

from service.api.problems import MAX_ERRORS
from service.i18n import say
from service.rules.board import Placement
from service.rules.cells import cell_at
from service.rules.messages import Message
from service.rules.tiles import COLOURS, NAMES, SHAPES, Tile

T = TypeVar("T")

_TILES = {name: tile for tile, name in enumerate(NAMES)}
_MISSING = say("field.missing")
_MESSAGES: dict[str, str | list[Any] | dict[Any, Any]] = {
    "required": _MISSING,
    "null": say("field.null"),
    "validator_failed": say("field.refused"),
}
_NO_TILE = say("field.tile", colours=", ".join(COLOURS), shapes=", ".join(SHAPES))
_OF_A_PLACEMENT = frozenset({"tile", "x", "y"})


class StrictField(fields.Field[T]):
    """A field with the error messages of this service."""

    default_error_messages = _MESSAGES


class Bounded(StrictField[T]):
    """A field whose value, length or number of entries is from `least` to `most`."""

    def __init__(self, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.least = least
        self.most = most


class WholeNumber(Bounded[int]):
    """An integer."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        number = whole_number(value)
        if number is None or not self.least <= number <= self.most:
            raise ValidationError(say("field.integer", low=self.least, high=self.most))
        return number


class WholeNumberText(WholeNumber):
    """An integer in a query string, in plain decimal digits."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        plain = value.isascii() and value.isdigit() and len(value) < 10
        return super()._deserialize(int(value) if plain else value)


class Flag(StrictField[bool]):
    """A boolean."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError(say("field.flag"))
        return value


class Choice(StrictField[str]):
    """One of a fixed set of words."""

    def __init__(self, words: Iterable[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = tuple(words)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if value in self.words:
            return cast("str", value)
        if len(self.words) == 1:
            raise ValidationError(say("field.only", word=self.words[0]))
        raise ValidationError(say("field.one_of", words=", ".join(self.words)))


class Text(Bounded[str]):
    """A string."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        if not isinstance(value, str) or not self.least <= len(value) <= self.most:
            raise ValidationError(say("field.text", shortest=self.least, longest=self.most))
        return value


class PlayerName(Text):
    """A name to show to others: trimmed, and without characters that could garble a display."""

    pattern = r"^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$"

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        name = super()._deserialize(value.strip() if isinstance(value, str) else value)
        if not name.isprintable():
            if not re.fullmatch(self.pattern, name):
                raise ValidationError(say("field.controls"))
            if all(unicodedata.category(character)[0] in "CZ" for character in name):
                return super()._deserialize("")
        return name


class WebAddress(Text):
    """An http or https URL in visible ASCII characters."""

    pattern = "^https?://[!-~]+$"

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str:
        address = super()._deserialize(value)
        if not re.fullmatch(self.pattern, address):
            raise ValidationError(say("field.address"))
        return address


class CursorText(StrictField[bytes | str]):
    """A cursor of `size` bytes in base64, as it is given to clients, or a `word` in its place."""

    def __init__(self, size: int, *, word: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        text = f"[A-Za-z0-9_-]{{{-(-size * 4 // 3)}}}"
        self.pattern = f"^({word}|{text})$" if word else f"^{text}$"
        self.word = word

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bytes | str:
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            raise ValidationError(say("field.cursor"))
        return value if value == self.word else cursor_bytes(value)


class JsonObject(StrictField[dict[str, Any]]):
    """Any JSON object of at most `most_bytes` when written without whitespace."""

    def __init__(self, most_bytes: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.most_bytes = most_bytes

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValidationError(say("field.object"))
        if (size := len(orjson.dumps(value))) > self.most_bytes:
            raise ValidationError(say("field.bytes", size=size, most=self.most_bytes))
        return value


class ObjectOf(fields.Nested):
    """A JSON object with the members of another schema."""

    default_error_messages = _MESSAGES


class ListOf(Bounded[tuple[Any, ...]]):
    """A list of entries, each loaded by `inner`."""

    def __init__(self, inner: fields.Field[Any], least: int, most: int, **kwargs: Any) -> None:
        super().__init__(least, most, **kwargs)
        self.inner = inner

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> tuple[Any, ...]:
        kept, faults = [], {}
        for index, entry in enumerate(sized_list(value, self.least, self.most)):
            try:
                kept.append(self.inner.deserialize(entry))
            except ValidationError as refused:
                faults[index] = refused.messages
        if faults:
            raise ValidationError(cast("dict[str, Any]", faults))
        return tuple(kept)


class TileName(StrictField[Tile]):
    """The name of a tile."""

    default_error_messages = {"null": _NO_TILE}  # noqa: RUF012  # as marshmallow declares it

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Tile:
        if not isinstance(value, str) or value not in _TILES:
            raise ValidationError(_NO_TILE)
        return _TILES[value]


class Placements(Bounded[tuple[Placement, ...]]):
    """A list of placements `{"tile", "x", "y"}` with coordinates from `-reach` to `reach`.

    Checked without a nested schema, which costs several times the rest of a play's validation.
    """

    def __init__(self, least: int, most: int, reach: int, **kwargs: Any) -> None:
        super().__init__(least, most, **kwargs)
        self.reach = reach

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> tuple[Placement, ...]:
        placements = sized_list(value, self.least, self.most)
        found = (
            (index, faults)
            for index, placement in enumerate(placements)
            if (faults := self._faults(placement))
        )
        told = dict(islice(found, MAX_ERRORS))
        if told:
            raise ValidationError(cast("dict[str, Any]", told))
        return tuple(
            (cell_at(int(each["x"]), int(each["y"])), _TILES[each["tile"]]) for each in placements
        )

    def _faults(self, placement: object) -> dict[str, list[Message]] | list[Message]:
        if not isinstance(placement, dict):
            return [say("field.object")]
        faults = {}
        tile = placement.get("tile")
        if not isinstance(tile, str) or tile not in _TILES:
            faults["tile"] = [_NO_TILE if "tile" in placement else _MISSING]
        for axis in ("x", "y"):
            along = whole_number(placement.get(axis))
            if along is None or not -self.reach <= along <= self.reach:
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


def cursor_text(data: bytes) -> str:
    """A cursor as it is given to clients."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def cursor_bytes(text: str) -> bytes:
    """The bytes of a cursor that `cursor_text` made."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sized_list(value: object, least: int, most: int) -> list[Any]:
    """The list itself, or `ValidationError` if it is not a list or has another length."""
    if not isinstance(value, list):
        raise ValidationError(say("field.list"))
    if not least <= len(value) <= most:
        raise ValidationError(say("field.entries", count=len(value), fewest=least, most=most))
    return value


def whole_number(value: object) -> int | None:
    """The integer that a JSON number is, also when it is written as `3.0`; None for all others."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None
