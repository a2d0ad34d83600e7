"""Reads request bodies and query strings strictly, and says precisely what is wrong with them.

Every fault is a `FieldError`: a pointer to the place and a clause that completes the sentence
"the value there ...". Pointers into the body are RFC 6901 (`/placements/0/x`; the empty
pointer is the whole body), those to parameters name the place first (`query:limit`,
`header:If-Match`).
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import orjson
from marshmallow import Schema, ValidationError, missing
from marshmallow.exceptions import SCHEMA

from service.api.fields import StrictField
from service.rules.saying import Said
from service.words import say, unsaid

MAX_DEPTH = 32
MAX_ERRORS = 20
_INT64 = range(-(2**63), 2**63)
_LONGEST_INT64 = len(str(-(2**63)))
_LONG = 2**62  # above this orjson may have rounded
_MANY = 2**62  # outweighs any count of members
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: where it is and what is wrong there."""

    pointer: str
    detail: Said


class MalformedBody(Exception):
    """The request cannot be understood; `errors` holds every fault found, never none."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)[:MAX_ERRORS]
        super().__init__("; ".join(f"{e.pointer or 'body'} {e.detail}" for e in self.errors))


def read_json(raw: bytes) -> object:
    """The JSON value in `raw`, or `MalformedBody`.

    Stricter than the standard library: UTF-8 alone, no member twice, no NaN, no infinities, no
    integer beyond 64 bits, no half surrogate pair, at most `MAX_DEPTH` levels.
    """
    # Counting brackets is far cheaper than finding the depth, and clears nearly every body.
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise MalformedBody([FieldError("", say("field.depth", most=MAX_DEPTH))])
    try:
        value: object = orjson.loads(raw)
    except orjson.JSONDecodeError as fault:
        unread = FieldError("", say("field.json", reason=str(fault)))
        raise MalformedBody(_faults_of(raw) or [unread]) from None
    # orjson keeps the last of two equal members and rounds long integers. Each member needs a
    # colon, so equal counts prove that none was lost; only other bodies need the slow look.
    if _count_members(value) != raw.count(b":") and (faults := _faults_of(raw)):
        raise MalformedBody(faults)
    return value


def read_no_body(raw: bytes) -> None:
    """Accept what an operation without a body accepts: nothing, blanks, or `{}`."""
    if not raw.strip():
        return
    value = read_json(raw)
    if not isinstance(value, dict):
        raise MalformedBody([FieldError("", say("field.no_body"))])
    if value:
        raise MalformedBody(FieldError(_join("", name), say("field.no_members")) for name in value)


def load(schema: Schema, data: object) -> dict[str, Any]:
    """The members of `data` as `schema` loads them, or `MalformedBody` with body pointers."""
    if not isinstance(data, dict):
        raise MalformedBody([FieldError("", say("field.object"))])
    loaded = load_plainly(schema, data)
    if loaded is not None:
        return loaded
    try:
        return cast("dict[str, Any]", schema.load(data))
    except ValidationError as refused:
        raise MalformedBody(_flatten(refused.messages, "", data)) from None


def load_query(schema: Schema, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The parameters of a query string as `schema` loads them, each given at most once."""
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise MalformedBody([FieldError(f"query:{name}", say("field.twice"))])
        given[name] = value
    loaded = load_plainly(schema, given)
    if loaded is not None:
        return loaded
    try:
        return cast("dict[str, Any]", schema.load(given))
    except ValidationError as refused:
        raise MalformedBody(
            FieldError("query:" + fault.pointer.removeprefix("/"), fault.detail)
            for fault in _flatten(refused.messages, "", given)
        ) from None


def load_plainly(schema: Schema, data: dict[str, Any]) -> dict[str, Any] | None:
    """What `schema` loads of faultless `data`; None if it has to look itself.

    Most bodies are faultless and have nothing but their fields' own checks to pass. Carrying
    these out costs a fraction of what the schema takes to be ready for faults.
    """
    fields = plain_fields(schema)
    if fields is None or not data.keys() <= fields.keys():
        return None
    try:
        return {name: _plainly(field, data, name) for name, field in fields.items()}
    except ValidationError:
        return None


def _plainly(field: StrictField[Any], data: dict[str, Any], name: str) -> Any:
    value = data.get(name)
    if value is not None:
        return field.check(value)
    if name in data and field.allow_none:
        return None
    if name in data or field.required:
        raise ValidationError("must be there")
    default = field.load_default
    return default() if callable(default) else default


@cache
def plain_fields(schema: Schema) -> dict[str, StrictField[Any]] | None:
    """The fields of a schema that has no checks but theirs."""
    fields = schema.load_fields
    hooked = any(schema._hooks.values())  # noqa: SLF001  # marshmallow tells of them nowhere else
    plain = not hooked and all(
        isinstance(field, StrictField)
        and (field.required or field.load_default is not missing)
        and not (field.validators or field.data_key)
        for field in fields.values()
    )
    return cast("dict[str, StrictField[Any]]", fields) if plain else None


def _count_members(value: object) -> int:
    """How many members all objects in `value` have; -1 or less if a number looks too long."""
    count = 0
    entries: Any = (value,)
    if type(value) is dict:
        count = len(value)
        entries = value.values()
    elif type(value) is list:
        entries = value
    for entry in entries:
        kind = type(entry)
        if kind is dict or kind is list:
            count += _count_members(entry)
        elif (kind is int or kind is float) and not -_LONG < entry < _LONG:
            count -= _MANY
    return count


class _Members(list[tuple[str, Any]]):
    """An object's members as written, repeats included."""


@dataclass(frozen=True, slots=True)
class _Unfit:
    """A number that JSON or the service cannot hold."""

    detail: Said


_BRACKETS_OUTSIDE_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _depth(raw: bytes) -> int:
    deepest = depth = 0
    for match in _BRACKETS_OUTSIDE_STRINGS.finditer(raw):
        match match.group():
            case b"{" | b"[":
                depth += 1
                deepest = max(deepest, depth)
            case b"}" | b"]":
                depth -= 1
    return deepest


def _any_int(digits: str) -> int | _Unfit:
    if len(digits) <= _LONGEST_INT64 and (value := int(digits)) in _INT64:
        return value
    return _Unfit(say("field.long_integer"))


def _any_float(digits: str) -> float | _Unfit:
    value = float(digits)
    return _Unfit(say("field.large_number")) if math.isinf(value) else value


_LENIENT = json.JSONDecoder(
    object_pairs_hook=_Members,
    parse_int=_any_int,
    parse_float=_any_float,
    parse_constant=lambda name: _Unfit(say("field.constant", name=name)),
)


def _faults_of(raw: bytes) -> list[FieldError]:
    """Every fault of a body that the fast reader refused or doubts."""
    if raw.startswith(_BYTE_ORDER_MARKS):
        return [FieldError("", say("field.byte_order"))]
    try:
        text = raw.decode("utf-8")
        if not text.strip():
            return [FieldError("", say("field.empty"))]
        return list(_faults(_LENIENT.decode(text), ""))
    except UnicodeDecodeError as fault:
        detail = say("field.utf8", offset=fault.start)
    except json.JSONDecodeError as fault:
        reason = fault.msg[0].lower() + fault.msg[1:]
        detail = say("field.json_at", reason=reason, line=fault.lineno, column=fault.colno)
    return [FieldError("", detail)]


def _faults(value: object, pointer: str) -> Iterator[FieldError]:
    """What `_LENIENT` let through; the recursion is bounded by `MAX_DEPTH`."""
    match value:
        case _Unfit(detail):
            yield FieldError(pointer, detail)
        case str() if _has_surrogate(value):
            yield FieldError(pointer, say("field.surrogate"))
        case _Members():
            seen: set[str] = set()
            for name, member in value:
                if _has_surrogate(name):
                    yield FieldError(pointer, say("field.surrogate_name"))
                    continue
                if name in seen:
                    yield FieldError(_join(pointer, name), say("field.twice"))
                seen.add(name)
                yield from _faults(member, _join(pointer, name))
        case list():
            for index, entry in enumerate(value):
                yield from _faults(entry, _join(pointer, index))


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _join(pointer: str, step: object) -> str:
    return f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}"


def _flatten(messages: object, pointer: str, data: object) -> Iterator[FieldError]:
    """The nested messages of marshmallow as one flat run of faults."""
    if isinstance(messages, Mapping):
        # What was sent comes before what is missing: a misspelt member explains the missing one.
        sent = data if isinstance(data, dict) else messages
        for step in sorted(messages, key=lambda step: step not in sent):
            inner = messages[step]
            # marshmallow files what concerns the whole object under a reserved name, which a
            # client may also have sent as a member.
            of_whole = step == SCHEMA and not (isinstance(data, dict) and SCHEMA in data)
            yield from _flatten(
                inner, pointer if of_whole else _join(pointer, step), _member(data, step)
            )
    elif isinstance(messages, list):
        for detail in messages:
            yield FieldError(pointer, _said(detail))
    else:
        yield FieldError(pointer, _said(messages))


def _said(detail: object) -> Said:
    return detail if isinstance(detail, Said) else unsaid(str(detail))


def _member(data: object, step: object) -> object:
    if isinstance(data, dict):
        return cast("object", data.get(step))
    if isinstance(data, list) and isinstance(step, int):
        return cast("object", data[step])
    return None
