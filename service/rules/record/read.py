"""Read a record that somebody handed in, and compare it with what it should say.

Nothing in it can be trusted, so everything is checked before it is used.
"""

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from service.rules.errors import RulesError
from service.rules.record.write import RECORD_VERSION, Document
from service.rules.shuffle import SECRET_BYTES, commitment

HEADER = (
    "record_version",
    "edition",
    "seats",
    "auto_bid",
    "seeded",
    "commitment",
    "seed",
    "events",
    "digest",
)

_COMMITMENT = re.compile(r"sha256:[0-9a-f]{64}")
_SEED = re.compile(r"[0-9a-f]{64}")
_UNKNOWN_SECRET = bytes(SECRET_BYTES)
_LONGEST_DETAIL = 300


class RecordBroken(RulesError):
    """The record does not replay: event ``n`` is the first wrong one, ``detail`` says why.

    ``n`` is 0 if the mistake belongs to no event.
    """

    def __init__(self, n: int, code: str, detail: str) -> None:
        # The detail quotes what is wrong, which may be very long.
        self.detail = detail if len(detail) <= _LONGEST_DETAIL else detail[:_LONGEST_DETAIL] + "..."
        super().__init__(f"event {n}: {self.detail}" if n else self.detail)
        self.n = n
        self.code = code


@dataclass(frozen=True, slots=True)
class ParsedRecord:
    """A record whose header is valid; unless ``revealed``, the secret is a placeholder."""

    document: Document
    events: list[Any]
    secret: bytes
    revealed: bool


def parse_record(document: object) -> ParsedRecord:
    """The record; RecordBroken unless its header is valid and its seed matches the commitment."""
    if not isinstance(document, dict):
        raise RecordBroken(0, "malformed", "a record is a JSON object")
    for member in HEADER:
        if member not in document:
            raise RecordBroken(0, "malformed", f"the member {member!r} is missing")
        if member == "record_version":
            _require_version(document[member])
    _require_form(document)
    events, seed = document["events"], document["seed"]
    if seed is not None:
        return ParsedRecord(
            document, events, _checked_secret(seed, document["commitment"]), revealed=True
        )
    if document.get("end") is not None:
        raise RecordBroken(0, "seed_missing", "the record of a finished game must contain its seed")
    return ParsedRecord(document, events, _UNKNOWN_SECRET, revealed=False)


def require_same(n: int, given: object, expected: Document) -> None:
    """RecordBroken if what is given for event ``n`` differs from what is expected."""
    difference = _difference(given, expected, "")
    if difference is not None:
        raise RecordBroken(n, "differs", difference)


def brief(value: object) -> str:
    """A short description of a value, however large it is."""
    match value:
        case dict():
            return "an object"
        case list():
            return f"a list of {len(value)}"
        case bool() | None:
            return "null" if value is None else str(value).lower()
        case int() if abs(value) >= 10**18:
            return "a very large number"
    return f"{value!r:.80}"


def _require_version(version: object) -> None:
    if type(version) is not int or version != RECORD_VERSION:
        detail = (
            f"this is record version {brief(version)}; only version {RECORD_VERSION} is supported"
        )
        raise RecordBroken(0, "unknown_version", detail)


def _require_form(document: Document) -> None:
    if not isinstance(document["events"], list) or not document["events"]:
        raise RecordBroken(0, "malformed", "'events' must be a list that begins with the creation")
    for member in ("auto_bid", "seeded"):
        if type(document[member]) is not bool:
            raise RecordBroken(0, "malformed", f"{member!r} must be true or false")
    if not _matches(_COMMITMENT, document["commitment"]):
        raise RecordBroken(0, "malformed", "'commitment' must be 'sha256:' and 64 hex digits")


def _checked_secret(seed: object, commitment_given: object) -> bytes:
    """The revealed secret; RecordBroken unless it matches the commitment."""
    if not _matches(_SEED, seed):
        raise RecordBroken(0, "malformed", "'seed' must be 64 hex digits, or null before the end")
    revealed = bytes.fromhex(str(seed))
    if commitment(revealed) != commitment_given:
        raise RecordBroken(0, "commitment_broken", "the seed does not match the commitment")
    return revealed


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _difference(given: Any, expected: Any, path: str) -> str | None:
    """The first difference between two values, in words; None if they are equal."""
    if type(given) is type(expected):
        if isinstance(expected, dict):
            return _difference_of_objects(given, expected, path)
        if isinstance(expected, list) and len(given) != len(expected):
            return f"{path} has {len(given)} entries, but must have {len(expected)}"
        if isinstance(expected, list):
            parts = (
                _difference(given[at], expected[at], f"{path}/{at}") for at in range(len(expected))
            )
            return next((part for part in parts if part is not None), None)
        if given == expected:
            return None
    return f"{path or 'it'} is {brief(given)}, but must be {brief(expected)}"


def _difference_of_objects(given: Document, expected: Document, path: str) -> str | None:
    for member in chain(expected, given):
        where = f"{path}/{member:.40}" if path else f"{member:.40}"
        if member not in given:
            return f"the member {where} is missing"
        if member not in expected:
            return f"the member {where} is unknown"
        found = _difference(given[member], expected[member], where)
        if found is not None:
            return found
    return None
