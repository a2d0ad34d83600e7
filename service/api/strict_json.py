"""Strict JSON on the standard library's decoder, and where exactly a document is not strict."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from service.i18n import say
from service.rules.messages import Message
from service.rules.yielding import Pause, no_pause

Path = tuple[str | int, ...]
"""The names and indices that lead to a value."""

Fault = tuple[Path, Message]

_INT64 = range(-(2**63), 2**63)
_LONGEST_INT64 = len(str(-(2**63)))
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SIMPLE_TYPES = frozenset({int, float, bool, type(None)})


class _TooDeep(Exception):
    """The values are nested deeper than allowed."""


class _RepeatedNames(list[tuple[str, Any]]):
    """The members of an object in which a name occurs twice."""


@dataclass(frozen=True, slots=True)
class _BadNumber:
    """A number that JSON or the service cannot hold; the message is only made if it is shown."""

    detail: Callable[[], Message]


def _constant(name: str) -> _BadNumber:
    return _BadNumber(lambda: say("field.constant", name=name))


_LONG_INTEGER = _BadNumber(lambda: say("field.long_integer"))
_LARGE_NUMBER = _BadNumber(lambda: say("field.large_number"))
_CONSTANTS = {name: _constant(name) for name in ("NaN", "Infinity", "-Infinity")}
_SUSPICIOUS = (b"NaN", b"Infinity", b"\\u")
"""May stand for a number that JSON does not have, or for half a surrogate pair."""


class _Decoding:
    """Decodes one document. What is not strict stays in place, for `_faults` to find."""

    def __init__(self) -> None:
        self.strict = True
        self.decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._int,
            parse_float=self._float,
            parse_constant=_CONSTANTS.__getitem__,
        ).decode

    def _object(self, pairs: list[tuple[str, Any]]) -> object:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        self.strict = False
        return _RepeatedNames(pairs)

    def _int(self, digits: str) -> object:
        if len(digits) < _LONGEST_INT64 - 1:
            return int(digits)
        if len(digits) <= _LONGEST_INT64 and (value := int(digits)) in _INT64:
            return value
        return self._bad(_LONG_INTEGER)

    def _float(self, digits: str) -> object:
        value = float(digits)
        return self._bad(_LARGE_NUMBER) if math.isinf(value) else value

    def _bad(self, number: _BadNumber) -> object:
        self.strict = False
        return number


def decode(raw: bytes, max_depth: int, pause: Pause = no_pause) -> tuple[object, Iterator[Fault]]:
    """The JSON value in `raw`, and every fault that makes it unusable.

    Faults are found one by one: those not asked for cost nothing. `pause` is called before the
    search begins.
    """
    too_deep = ((), say("field.depth", most=max_depth))
    decoding = _Decoding()
    try:
        value = decoding.decode(raw.decode())
    except RecursionError:
        return None, iter([too_deep])
    except ValueError as error:
        return None, iter([((), _reason(raw, error))])
    could_be_deep = raw.count(b"[") + raw.count(b"{") > max_depth
    if decoding.strict and not could_be_deep and not any(each in raw for each in _SUSPICIOUS):
        return value, iter(())

    def search() -> Iterator[Fault]:
        pause()
        try:
            yield from _faults(value, (), max_depth)
        except _TooDeep:
            yield too_deep

    return value, search()


def _reason(raw: bytes, error: ValueError) -> Message:
    """Why the document cannot be decoded at all."""
    if raw.startswith(_BYTE_ORDER_MARKS):
        return say("field.byte_order")
    if isinstance(error, UnicodeDecodeError):
        return say("field.utf8", offset=error.start)
    if not raw.strip():
        return say("field.empty")
    known = cast("json.JSONDecodeError", error)
    reason = known.msg[0].lower() + known.msg[1:]
    return say("field.json_at", reason=reason, line=known.lineno, column=known.colno)


def _faults(value: object, path: Path, levels: int) -> Iterator[Fault]:
    match value:
        case _BadNumber(detail):
            yield path, detail()
        case str() if _has_surrogate(value):
            yield path, say("field.surrogate")
        case dict() | list() if not levels:
            raise _TooDeep
        case dict():
            yield from _faults_of_members(value.items(), path, levels)
        case _RepeatedNames():
            yield from _faults_of_members(value, path, levels)
        case list():
            for index, entry in enumerate(value):
                if not _is_faultless(entry):
                    yield from _faults(entry, (*path, index), levels - 1)


def _faults_of_members(
    members: Iterable[tuple[str, object]], path: Path, levels: int
) -> Iterator[Fault]:
    seen: set[str] = set()
    for name, member in members:
        if _has_surrogate(name):
            yield path, say("field.surrogate_name")
            continue
        if name in seen:
            yield (*path, name), say("field.twice")
        seen.add(name)
        if not _is_faultless(member):
            yield from _faults(member, (*path, name), levels - 1)


def _is_faultless(value: object) -> bool:
    """Whether a value is simple and sound; most are, and need no closer look."""
    kind = type(value)
    return kind in _SIMPLE_TYPES or (kind is str and not _has_surrogate(cast("str", value)))


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None
