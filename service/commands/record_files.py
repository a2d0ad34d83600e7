"""Read files of records: one record as JSON, or many as JSON lines."""

import sys
from dataclasses import dataclass
from pathlib import Path

from service.api.problems import MalformedRequest
from service.api.strict_json import read_json
from service.config import CannotRun


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """The text of one record, and its name: the file, and the line if it has several."""

    name: str
    text: bytes

    def read(self) -> object:
        """The JSON value of the text; CannotRun if it is not JSON."""
        try:
            return read_json(self.text)
        except MalformedRequest as error:
            raise CannotRun(f"{self.name} is not a record: it {error.errors[0].detail}") from error


def records_in(name: str) -> list[StoredRecord]:
    """The records in a file, at least one; ``-`` is standard input. CannotRun without a file."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CannotRun(f"{name} cannot be read: {error.strerror or error}") from error
    lines = [
        StoredRecord(f"{name}:{number}", line)
        for number, line in enumerate(raw.split(b"\n"), start=1)
        if line.strip()
    ]
    return lines if len(lines) > 1 and _is_whole(lines[0]) else [StoredRecord(name, raw)]


def _is_whole(line: StoredRecord) -> bool:
    """Whether the line is a whole JSON value, and not the beginning of one of many lines."""
    try:
        line.read()
    except CannotRun:
        return False
    return True
