"""Loads bodies and query strings by their schemas, and says precisely what is wrong with them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from marshmallow import Schema, ValidationError
from marshmallow.exceptions import SCHEMA

from service.api.problems import FieldError, MalformedRequest, malformed
from service.api.strict_json import pointer_to
from service.i18n import say
from service.rules.messages import Message


def load(schema: Schema, data: object) -> dict[str, Any]:
    """The members of `data` as `schema` loads them, or `MalformedRequest` with body pointers."""
    if not isinstance(data, dict):
        raise malformed("", say("field.object"))
    try:
        return cast("dict[str, Any]", schema.load(data))
    except ValidationError as refused:
        raise MalformedRequest(_flatten(refused.messages, "", data)) from None


def load_query(schema: Schema, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The parameters of a query string as `schema` loads them, each given at most once."""
    given: dict[str, str] = {}
    for name, value in pairs:
        if name in given:
            raise malformed(f"query:{name}", say("field.twice"))
        given[name] = value
    try:
        return cast("dict[str, Any]", schema.load(given))
    except ValidationError as refused:
        raise MalformedRequest(
            FieldError("query:" + fault.pointer.removeprefix("/"), fault.detail)
            for fault in _flatten(refused.messages, "", given)
        ) from None


def _flatten(messages: object, pointer: str, data: object) -> Iterator[FieldError]:
    """The nested messages of marshmallow as a flat sequence of faults, made one by one."""
    if isinstance(messages, Mapping):
        # What was sent comes before what is missing: a misspelt member explains a missing one.
        sent = data if isinstance(data, dict) else messages
        for step in sorted(messages, key=lambda step: step not in sent):
            # marshmallow reports faults of the whole object under a reserved name, which a client
            # may also have sent as a member.
            of_whole = step == SCHEMA and not (isinstance(data, dict) and SCHEMA in data)
            place = pointer if of_whole else pointer_to(step, pointer)
            yield from _flatten(messages[step], place, _member(data, step))
    else:
        for detail in messages if isinstance(messages, list) else [messages]:
            said = detail if isinstance(detail, Message) else Message(str(detail))
            yield FieldError(pointer, said)


def _member(data: object, step: object) -> object:
    if isinstance(data, dict):
        return cast("object", data.get(step))
    if isinstance(data, list) and isinstance(step, int):
        return cast("object", data[step])
    return None
