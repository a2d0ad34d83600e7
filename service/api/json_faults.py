"""What is wrong with JSON that the fast reader refused or doubts, and where."""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from service.i18n import say
from service.rules.messages import Message
from service.rules.pauses import Pause, no_pause

Path = tuple[str | int, ...]
"""The names and indices that lead to a value."""

_INT64 = range(-(2**63), 2**63)
_LONGEST_INT64 = len(str(-(2**63)))
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SURROGATES = re.compile("[\ud800-\udfff]")
_FAULTLESS = frozenset({int, float, bool, type(None)})


class TooDeep(Exception):
    """The values are nested deeper than allowed."""


class _Members(list[tuple[str, Any]]):
    """An object's members as written, repeats included."""


@dataclass(frozen=True, slots=True)
class _Unfit:
    """A number that JSON or the service cannot hold, and what to say of it if it is told."""

    detail: Callable[[], Message]


def _constant(name: str) -> _Unfit:
    return _Unfit(lambda: say("field.constant", name=name))


_LONG_INTEGER = _Unfit(lambda: say("field.long_integer"))
_LARGE_NUMBER = _Unfit(lambda: say("field.large_number"))
_CONSTANTS = {name: _constant(name) for name in ("NaN", "Infinity", "-Infinity")}


def faults_of(
    raw: bytes, most_depth: int, pause: Pause = no_pause
) -> Iterator[tuple[Path, Message]]:
    """Every fault of a body, found one by one, so that nobody pays for those not asked for.

    `pause` is called once the body is read, before it is looked through.
    """
    if raw.startswith(_BYTE_ORDER_MARKS):
        yield (), say("field.byte_order")
        return
    try:
        text = raw.decode("utf-8")
        if not text.strip():
            yield (), say("field.empty")
            return
        value = _LENIENT.decode(text)
    except UnicodeDecodeError as fault:
        yield (), say("field.utf8", offset=fault.start)
    except json.JSONDecodeError as fault:
        reason = fault.msg[0].lower() + fault.msg[1:]
        yield (), say("field.json_at", reason=reason, line=fault.lineno, column=fault.colno)
    except RecursionError:
        raise TooDeep from None
    else:
        pause()
        yield from _faults(value, (), most_depth)


def _faults(value: object, path: Path, most_depth: int) -> Iterator[tuple[Path, Message]]:
    """What `_LENIENT` let through."""
    match value:
        case _Unfit(detail):
            yield path, detail()
        case str() if _has_surrogate(value):
            yield path, say("field.surrogate")
        case list() if len(path) >= most_depth:
            raise TooDeep
        case _Members():
            yield from _faults_of_members(value, path, most_depth)
        case list():
            for index, entry in enumerate(value):
                if not _is_sound(entry):
                    yield from _faults(entry, (*path, index), most_depth)


def _faults_of_members(
    members: _Members, path: Path, most_depth: int
) -> Iterator[tuple[Path, Message]]:
    seen: set[str] = set()
    for name, member in members:
        if _has_surrogate(name):
            yield path, say("field.surrogate_name")
            continue
        if name in seen:
            yield (*path, name), say("field.twice")
        seen.add(name)
        if not _is_sound(member):
            yield from _faults(member, (*path, name), most_depth)


def _is_sound(value: object) -> bool:
    """Whether there is nothing to find in a value; most need no closer look."""
    kind = type(value)
    return kind in _FAULTLESS or (kind is str and not _has_surrogate(cast("str", value)))


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None


def _any_int(digits: str) -> int | _Unfit:
    if len(digits) <= _LONGEST_INT64 and (value := int(digits)) in _INT64:
        return value
    return _LONG_INTEGER


def _any_float(digits: str) -> float | _Unfit:
    value = float(digits)
    return _LARGE_NUMBER if math.isinf(value) else value


_LENIENT = json.JSONDecoder(
    object_pairs_hook=_Members,
    parse_int=_any_int,
    parse_float=_any_float,
    parse_constant=_CONSTANTS.__getitem__,
)
