"""Reads request bodies and query strings strictly, and reports precisely what is wrong.

Every fault is a `FieldError`: a pointer, and a clause that completes the sentence "the value
there ...". Pointers into the body are RFC 6901 (`/placements/0/x`; the empty pointer is the
whole body); those to parameters start with where they are (`query:limit`, `header:If-Match`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from marshmallow import Schema, ValidationError
from marshmallow.exceptions import SCHEMA

from service.api.fields import MAX_ERRORS
from service.api.strict_json import decode
from service.i18n import say, untranslated
from service.rules.messages import Message
from service.rules.yielding import Pause, no_pause

MAX_DEPTH = 32
MAX_VALUES = 50_000  # the record of the longest game has 40,000
MAX_GROUPS = 10_000  # objects and lists; that record has 6,000
_LONGEST_NAME = 80  # of a member that a pointer names


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: where it is and what is wrong there."""

    pointer: str
    detail: Message


class MalformedBody(Exception):
    """The request cannot be understood; `errors` holds the first faults, at least one.

    The search stops at `MAX_ERRORS`: a hostile body can have a hundred thousand.
    """

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(islice(errors, MAX_ERRORS))
        super().__init__("; ".join(f"{e.pointer or 'body'} {e.detail}" for e in self.errors))


def read_json(raw: bytes, pause: Pause = no_pause) -> object:
    """The JSON value in `raw`, or `MalformedBody`. `pause` is called before a search for faults.

    Stricter than the standard library: UTF-8 only, no member twice, no NaN, no infinities, no
    integer beyond 64 bits, no half surrogate pair, at most `MAX_DEPTH` levels, `MAX_VALUES`
    values and `MAX_GROUPS` objects and lists.
    """
    # Counted before anything is decoded, so that reading never takes long, whatever is sent.
    # Every value follows a comma, unless it is the first of an object or a list.
    groups = raw.count(b"[") + raw.count(b"{")
    if groups > MAX_GROUPS or groups + raw.count(b",") > MAX_VALUES:
        detail = say("field.values", values=MAX_VALUES, groups=MAX_GROUPS)
        raise MalformedBody([FieldError("", detail)])
    value, found = decode(raw, MAX_DEPTH, pause)
    faults = MalformedBody(FieldError(_pointer(path), detail) for path, detail in found)
    if faults.errors:
        raise faults
    return value


def load(schema: Schema, data: object) -> dict[str, Any]:
    """The members of `data` as `schema` loads them, or `MalformedBody` with body pointers."""
    if not isinstance(data, dict):
        raise MalformedBody([FieldError("", say("field.object"))])
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
    try:
        return cast("dict[str, Any]", schema.load(given))
    except ValidationError as refused:
        raise MalformedBody(
            FieldError("query:" + fault.pointer.removeprefix("/"), fault.detail)
            for fault in _flatten(refused.messages, "", given)
        ) from None


def _pointer(path: Iterable[object]) -> str:
    return "".join(f"/{_step(step)}" for step in path)


def _step(step: object) -> str:
    """A name or an index as part of a pointer; very long names are cut off."""
    name = str(step)
    if len(name) > _LONGEST_NAME:
        name = name[:_LONGEST_NAME] + "..."
    return name.replace("~", "~0").replace("/", "~1")


def _flatten(messages: object, pointer: str, data: object) -> Iterator[FieldError]:
    """The nested messages of marshmallow as a flat sequence of faults, made one by one."""
    if isinstance(messages, Mapping):
        # What was sent comes before what is missing: a misspelt member explains a missing one.
        sent = data if isinstance(data, dict) else messages
        for step in sorted(messages, key=lambda step: step not in sent):
            inner = messages[step]
            # marshmallow reports faults of the whole object under a reserved name, which a client
            # may also have sent as a member.
            of_whole = step == SCHEMA and not (isinstance(data, dict) and SCHEMA in data)
            place = pointer if of_whole else f"{pointer}/{_step(step)}"
            yield from _flatten(inner, place, _member(data, step))
    elif isinstance(messages, list):
        for detail in messages:
            yield FieldError(pointer, _said(detail))
    else:
        yield FieldError(pointer, _said(messages))


def _said(detail: object) -> Message:
    return detail if isinstance(detail, Message) else untranslated(str(detail))


def _member(data: object, step: object) -> object:
    if isinstance(data, dict):
        return cast("object", data.get(step))
    if isinstance(data, list) and isinstance(step, int):
        return cast("object", data[step])
    return None
