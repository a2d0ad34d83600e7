"""Strict JSON on the standard library's decoder, and where exactly a document is not strict.

`decode` stops at the first fault and does not know where it is. Only for documents that it
refuses, `faults_of` reads them again, leniently, and looks for faults one by one.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from service.i18n import say
from service.rules.messages import Message
from service.rules.yielding import Pause, no_pause

Path = tuple[str | int, ...]
"""The names and indices that lead to a value."""

_INT64 = range(-(2**63), 2**63)
_LONGEST_INT64 = len(str(-(2**63)))
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_SURROGATES = re.compile("[\ud800-\udfff]")
_SIMPLE_TYPES = frozenset({int, float, bool, type(None)})


class TooDeep(Exception):
    """The values are nested deeper than allowed."""


class NotStrict(ValueError):
    """The document is not JSON, or JSON that the service does not accept."""


def decode(raw: bytes, max_depth: int) -> object:
    """The JSON value in `raw`; `NotStrict` or `TooDeep` if it is refused."""
    try:
        value = _STRICT.decode(raw.decode())
    except RecursionError:
        raise TooDeep from None
    except ValueError:
        raise NotStrict from None
    if raw.count(b"[") + raw.count(b"{") > max_depth:
        _check_depth(value, max_depth)
    if b"\\u" in raw and _has_surrogate(json.dumps(value, ensure_ascii=False)):
        raise NotStrict
    return value


def _check_depth(value: object, levels: int) -> None:
    if isinstance(value, dict | list):
        if not levels:
            raise TooDeep
        for entry in value.values() if isinstance(value, dict) else value:
            _check_depth(entry, levels - 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrict
    return members


def _int(digits: str) -> int:
    if len(digits) < _LONGEST_INT64 - 1:
        return int(digits)
    if isinstance(value := _int_or_fault(digits), _Fault):
        raise NotStrict
    return value


def _float(digits: str) -> float:
    if isinstance(value := _float_or_fault(digits), _Fault):
        raise NotStrict
    return value


def _constant(_name: str) -> NoReturn:
    raise NotStrict


_STRICT = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_int, parse_float=_float, parse_constant=_constant
)


# Finding the faults


class _Members(list[tuple[str, Any]]):
    """An object's members as written, repeats included."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """A number that JSON or the service cannot hold; the message is only made if it is shown."""

    detail: Callable[[], Message]


def _constant_fault(name: str) -> _Fault:
    return _Fault(lambda: say("field.constant", name=name))


_LONG_INTEGER = _Fault(lambda: say("field.long_integer"))
_LARGE_NUMBER = _Fault(lambda: say("field.large_number"))
_CONSTANTS = {name: _constant_fault(name) for name in ("NaN", "Infinity", "-Infinity")}


def faults_of(
    raw: bytes, max_depth: int, pause: Pause = no_pause
) -> Iterator[tuple[Path, Message]]:
    """Every fault of a document, found one by one: those not asked for cost nothing.

    `pause` is called between two passes over it.
    """
    if raw.startswith(_BYTE_ORDER_MARKS):
        yield (), say("field.byte_order")
        return
    try:
        text = raw.decode()
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
        yield from _faults(value, (), max_depth)


def _faults(value: object, path: Path, max_depth: int) -> Iterator[tuple[Path, Message]]:
    """What `_LENIENT` let through."""
    match value:
        case _Fault(detail):
            yield path, detail()
        case str() if _has_surrogate(value):
            yield path, say("field.surrogate")
        case list() if len(path) >= max_depth:
            raise TooDeep
        case _Members():
            yield from _faults_of_members(value, path, max_depth)
        case list():
            for index, entry in enumerate(value):
                if not _is_faultless(entry):
                    yield from _faults(entry, (*path, index), max_depth)


def _faults_of_members(
    members: _Members, path: Path, max_depth: int
) -> Iterator[tuple[Path, Message]]:
    seen: set[str] = set()
    for name, member in members:
        if _has_surrogate(name):
            yield path, say("field.surrogate_name")
            continue
        if name in seen:
            yield (*path, name), say("field.twice")
        seen.add(name)
        if not _is_faultless(member):
            yield from _faults(member, (*path, name), max_depth)


def _is_faultless(value: object) -> bool:
    """Whether a value is simple and sound; most are, and need no closer look."""
    kind = type(value)
    return kind in _SIMPLE_TYPES or (kind is str and not _has_surrogate(cast("str", value)))


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and _SURROGATES.search(text) is not None


def _int_or_fault(digits: str) -> int | _Fault:
    if len(digits) <= _LONGEST_INT64 and (value := int(digits)) in _INT64:
        return value
    return _LONG_INTEGER


def _float_or_fault(digits: str) -> float | _Fault:
    value = float(digits)
    return _LARGE_NUMBER if math.isinf(value) else value


_LENIENT = json.JSONDecoder(
    object_pairs_hook=_Members,
    parse_int=_int_or_fault,
    parse_float=_float_or_fault,
    parse_constant=_CONSTANTS.__getitem__,
)
