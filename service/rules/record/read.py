"""A record as it was handed in: whether it can be read at all, and where it departs from the truth.

Nothing in it can be relied on, so everything is looked at before it is used.
"""

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from service.rules.errors import RulesError
from service.rules.record.write import RECORD_VERSION, Document
from service.rules.shuffle import SEED_BYTES, commitment

HEADING = (
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
_UNKNOWN_SEED = bytes(SEED_BYTES)
_LONGEST_DETAIL = 300


class RecordBroken(RulesError):
    """The record does not replay: event ``n`` is the first that is wrong, ``detail`` how.

    ``n`` is 0 if what is wrong belongs to no event.
    """

    def __init__(self, n: int, code: str, detail: str) -> None:
        # What is wrong may be very long, and is told in words that quote it.
        self.detail = detail if len(detail) <= _LONGEST_DETAIL else detail[:_LONGEST_DETAIL] + "..."
        super().__init__(f"event {n}: {self.detail}" if n else self.detail)
        self.n = n
        self.code = code


@dataclass(frozen=True, slots=True)
class Told:
    """A record whose heading makes sense; the seed is a stand-in unless it is revealed."""

    document: Document
    events: list[Any]
    seed: bytes
    revealed: bool


def opened(document: object) -> Told:
    """The record, if its heading makes sense and its seed keeps the commitment."""
    if not isinstance(document, dict):
        raise RecordBroken(0, "malformed", "a record is a JSON object")
    for member in HEADING:
        if member not in document:
            raise RecordBroken(0, "malformed", f"the member {member!r} is missing")
        if member == "record_version":
            _require_known(document[member])
    _require_form(document)
    events, seed = document["events"], document["seed"]
    if seed is not None:
        return Told(document, events, _kept(seed, document["commitment"]), revealed=True)
    if document.get("end") is not None:
        raise RecordBroken(0, "seed_missing", "the record of a finished game tells its seed")
    return Told(document, events, _UNKNOWN_SEED, revealed=False)


def require_same(n: int, told: object, true: Document) -> None:
    """Refuse what is told of event ``n`` if it departs from the truth."""
    difference = _difference(told, true, "")
    if difference is not None:
        raise RecordBroken(n, "differs", difference)


def brief(value: object) -> str:
    """A value in a few words, however large it is."""
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


def _require_known(version: object) -> None:
    if type(version) is not int or version != RECORD_VERSION:
        detail = f"this is record version {brief(version)}; only {RECORD_VERSION} is known here"
        raise RecordBroken(0, "unknown_version", detail)


def _require_form(document: Document) -> None:
    if not isinstance(document["events"], list) or not document["events"]:
        raise RecordBroken(0, "malformed", "'events' must be a list that begins with the creation")
    for member in ("auto_bid", "seeded"):
        if type(document[member]) is not bool:
            raise RecordBroken(0, "malformed", f"{member!r} must be true or false")
    promised = document["commitment"]
    if promised is not None and not _matches(_COMMITMENT, promised):
        raise RecordBroken(0, "malformed", "'commitment' must be sha256: and 64 hex digits")


def _kept(seed: object, promised: object) -> bytes:
    """The seed revealed, if it keeps the commitment."""
    if not _matches(_SEED, seed):
        raise RecordBroken(0, "malformed", "'seed' must be 64 hex digits, or null before the end")
    given = bytes.fromhex(str(seed))
    if commitment(given) != promised:
        raise RecordBroken(0, "commitment_broken", "the commitment is not that of the seed")
    return given


def _matches(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _difference(told: Any, true: Any, path: str) -> str | None:
    """Where the first of two values departs from the second, in words."""
    if type(told) is type(true):
        if isinstance(true, dict):
            return _difference_of_objects(told, true, path)
        if isinstance(true, list) and len(told) != len(true):
            return f"{path} has {len(told)} entries, but must have {len(true)}"
        if isinstance(true, list):
            parts = (_difference(told[at], true[at], f"{path}/{at}") for at in range(len(true)))
            return next((part for part in parts if part is not None), None)
        if told == true:
            return None
    return f"{path or 'it'} is {brief(told)}, but must be {brief(true)}"


def _difference_of_objects(told: Document, true: Document, path: str) -> str | None:
    for member in chain(true, told):
        where = f"{path}/{member:.40}" if path else f"{member:.40}"
        if member not in told:
            return f"the member {where} is missing"
        if member not in true:
            return f"the member {where} is not known"
        found = _difference(told[member], true[member], where)
        if found is not None:
            return found
    return None
