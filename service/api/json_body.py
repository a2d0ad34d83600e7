"""Reads request bodies and query strings strictly, and says precisely what is wrong with them.

Every fault is a `FieldError`: a pointer to the place and a clause that completes the sentence
"the value there ...". Pointers into the body are RFC 6901 (`/placements/0/x`; the empty
pointer is the whole body), those to parameters name the place first (`query:limit`,
`header:If-Match`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, cast

import orjson
from marshmallow import Schema, ValidationError, missing
from marshmallow.exceptions import SCHEMA

from service.api.fields import MAX_ERRORS, StrictField
from service.api.json_faults import TooDeep, faults_of
from service.i18n import say, unsaid
from service.rules.messages import Message
from service.rules.pauses import Pause, no_pause

MAX_DEPTH = 32
MAX_VALUES = 50_000  # the record of the longest game has 40,000
MAX_GROUPS = 10_000  # objects and lists; that record has 6,000
_LONGEST_NAME = 80  # of a member that a pointer names
_LONG = 2**62  # above this orjson may have rounded
_MANY = 2**62  # outweighs any count of members


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: where it is and what is wrong there."""

    pointer: str
    detail: Message


class MalformedBody(Exception):
    """The request cannot be understood; `errors` holds the first faults found, never none.

    Faults beyond `MAX_ERRORS` are not even looked for: a hostile body has a hundred thousand.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(islice(errors, MAX_ERRORS))
        super().__init__("; ".join(f"{e.pointer or 'body'} {e.detail}" for e in self.errors))


def read_json(raw: bytes, pause: Pause = no_pause) -> object:
    """The JSON value in `raw`, or `MalformedBody`. `pause` is called between passes over it.

    Stricter than the standard library: UTF-8 alone, no member twice, no NaN, no infinities, no
    integer beyond 64 bits, no half surrogate pair, at most `MAX_DEPTH` levels, `MAX_VALUES`
    values and `MAX_GROUPS` objects and lists.
    """
    # Counted before anything is built, so that no body takes long to read, whatever it holds.
    # Every value follows a comma, unless it is the first of an object or a list.
    groups = raw.count(b"[") + raw.count(b"{")
    if groups > MAX_GROUPS or groups + raw.count(b",") > MAX_VALUES:
        detail = say("field.values", values=MAX_VALUES, groups=MAX_GROUPS)
        raise MalformedBody([FieldError("", detail)])
    try:
        return _read(raw, pause)
    except TooDeep:
        raise MalformedBody([FieldError("", say("field.depth", most=MAX_DEPTH))]) from None


def _read(raw: bytes, pause: Pause) -> object:
    try:
        value: object = orjson.loads(raw)
    except orjson.JSONDecodeError as fault:
        unread = FieldError("", say("field.json", reason=str(fault)))
        raise MalformedBody(_faults_of(raw, pause) or [unread]) from None
    # orjson keeps the last of two equal members and rounds long integers. Each member needs a
    # colon, so equal counts prove that none was lost; only other bodies need the slow look.
    if _count_members(value) != raw.count(b":"):
        pause()
        if faults := _faults_of(raw, pause):
            raise MalformedBody(faults)
    return value


def _faults_of(raw: bytes, pause: Pause) -> list[FieldError]:
    """The first faults of a body that the fast reader refused or doubts."""
    found = islice(faults_of(raw, MAX_DEPTH, pause), MAX_ERRORS)
    return [FieldError(_pointer(path), detail) for path, detail in found]


def read_no_body(raw: bytes) -> None:
    """Accept what an operation without a body accepts: nothing, blanks, or `{}`."""
    if not raw.strip():
        return
    value = read_json(raw)
    if not isinstance(value, dict):
        raise MalformedBody([FieldError("", say("field.no_body"))])
    if value:
        raise MalformedBody(
            FieldError(_pointer((name,)), say("field.no_members")) for name in value
        )


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


def _count_members(value: object, depth: int = 0) -> int:
    """How many members all objects in `value` have; -1 or less if a number looks too long.

    `TooDeep` if they are nested deeper than `MAX_DEPTH`.
    """
    count = 0
    entries: Any = (value,)
    if type(value) is dict:
        count = len(value)
        entries = value.values()
    elif type(value) is list:
        entries = value
    if depth >= MAX_DEPTH:
        raise TooDeep
    for entry in entries:
        kind = type(entry)
        if kind is dict or kind is list:
            count += _count_members(entry, depth + 1)
        elif (kind is int or kind is float) and not -_LONG < entry < _LONG:
            count -= _MANY
    return count


def _pointer(path: Iterable[object]) -> str:
    return "".join(f"/{_step(step)}" for step in path)


def _step(step: object) -> str:
    """A name or an index as part of a pointer; of a very long name, its beginning."""
    name = str(step)
    if len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME] + "..."
    return name.replace("~", "~0").replace("/", "~1")


def _flatten(messages: object, pointer: str, data: object) -> Iterator[FieldError]:
    """The nested messages of marshmallow as one flat run of faults, made as they are read."""
    if isinstance(messages, Mapping):
        # What was sent comes before what is missing: a misspelt member explains the missing one.
        sent = data if isinstance(data, dict) else messages
        for step in sorted(messages, key=lambda step: step not in sent):
            inner = messages[step]
            # marshmallow files what concerns the whole object under a reserved name, which a
            # client may also have sent as a member.
            of_whole = step == SCHEMA and not (isinstance(data, dict) and SCHEMA in data)
            place = pointer if of_whole else f"{pointer}/{_step(step)}"
            yield from _flatten(inner, place, _member(data, step))
    elif isinstance(messages, list):
        for detail in messages:
            yield FieldError(pointer, _said(detail))
    else:
        yield FieldError(pointer, _said(messages))


def _said(detail: object) -> Message:
    return detail if isinstance(detail, Message) else unsaid(str(detail))


def _member(data: object, step: object) -> object:
    if isinstance(data, dict):
        return cast("object", data.get(step))
    if isinstance(data, list) and isinstance(step, int):
        return cast("object", data[step])
    return None
