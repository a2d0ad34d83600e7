"""Strict JSON on the standard library's decoder, and where exactly a document is not strict."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast

from service.api.problems import MAX_ERRORS, FieldError, MalformedRequest, malformed
from service.i18n import say
from service.rules.messages import Message
from service.rules.yielding import Pause, no_pause

MAX_DEPTH = 32
MAX_VALUES = 50_000  # the record of the longest game has 40,000
MAX_GROUPS = 10_000  # objects and lists; that record has 6,000

_LONGEST_NAME = 80  # of a member that a pointer names
_INT64 = range(-(2**63), 2**63)
_LONGEST_INT64 = len(str(-(2**63)))
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SIMPLE_TYPES = frozenset({int, float, bool, type(None)})
_SUSPICIOUS = (b"NaN", b"Infinity", b"\\u")
"""May stand for a number that JSON does not have, or for half a surrogate pair."""


class _TooDeep(Exception):
    """The values are nested deeper than allowed."""


class _RepeatedNames(list[tuple[str, Any]]):
    """The members of an object in which a name occurs twice."""


_LONG_INTEGER = say("field.long_integer")
_LARGE_NUMBER = say("field.large_number")
_CONSTANTS = {name: say("field.constant", name=name) for name in ("NaN", "Infinity", "-Infinity")}


class _Decoding:
    """Decodes one document. What is not strict stays in place, for `_faults` to find.

    In the place of a number that JSON or the service cannot hold is a `Message` that says so.
    """

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
        self.strict = False
        return _LONG_INTEGER

    def _float(self, digits: str) -> object:
        value = float(digits)
        if not math.isinf(value):
            return value
        self.strict = False
        return _LARGE_NUMBER


def read_json(raw: bytes, pause: Pause = no_pause) -> object:
    """The JSON value in `raw`, or `MalformedRequest`. `pause` is called before a search for faults.

    Stricter than the standard library: UTF-8 only, no member twice, no NaN, no infinities, no
    integer beyond 64 bits, no half surrogate pair, at most `MAX_DEPTH` levels, `MAX_VALUES`
    values and `MAX_GROUPS` objects and lists.
    """
    # Counted before anything is decoded, so that reading never takes long, whatever is sent.
    # Every value follows a comma, unless it is the first of an object or a list.
    groups = raw.count(b"[") + raw.count(b"{")
    if groups > MAX_GROUPS or groups + raw.count(b",") > MAX_VALUES:
        raise malformed("", say("field.values", values=MAX_VALUES, groups=MAX_GROUPS))
    decoding = _Decoding()
    try:
        value = decoding.decode(raw.decode())
    except RecursionError:
        raise malformed("", say("field.depth", most=MAX_DEPTH)) from None
    except ValueError as error:
        raise malformed("", _reason(raw, error)) from None
    if decoding.strict and groups <= MAX_DEPTH and not any(each in raw for each in _SUSPICIOUS):
        return value
    pause()
    faults: list[FieldError] = []
    try:
        faults.extend(islice(_faults(value, "", MAX_DEPTH), MAX_ERRORS))
    except _TooDeep:
        faults.append(FieldError("", say("field.depth", most=MAX_DEPTH)))
    if faults:
        raise MalformedRequest(faults)
    return value


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


def _faults(value: object, pointer: str, levels: int) -> Iterator[FieldError]:
    match value:
        case Message():
            yield FieldError(pointer, value)
        case str() if _has_surrogate(value):
            yield FieldError(pointer, say("field.surrogate"))
        case dict() | list() if not levels:
            raise _TooDeep
        case dict():
            yield from _faults_of_members(value.items(), pointer, levels)
        case _RepeatedNames():
            yield from _faults_of_members(value, pointer, levels)
        case list():
            for index, entry in enumerate(value):
                if not _is_faultless(entry):
                    yield from _faults(entry, f"{pointer}/{index}", levels - 1)


def _faults_of_members(
    members: Iterable[tuple[str, object]], pointer: str, levels: int
) -> Iterator[FieldError]:
    seen: set[str] = set()
    for name, member in members:
        if _has_surrogate(name):
            yield FieldError(pointer, say("field.surrogate_name"))
            continue
        if name in seen:
            yield FieldError(pointer_to(name, pointer), say("field.twice"))
        seen.add(name)
        if not _is_faultless(member):
            yield from _faults(member, pointer_to(name, pointer), levels - 1)


def _is_faultless(value: object) -> bool:
    """Whether a value is simple and sound; most are, and need no closer look."""
    kind = type(value)
    return kind in _SIMPLE_TYPES or (kind is str and not _has_surrogate(cast("str", value)))


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None


def pointer_to(step: object, pointer: str) -> str:
    """The pointer to a member or an entry; very long names are cut off."""
    name = str(step)
    if len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME] + "..."
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"
