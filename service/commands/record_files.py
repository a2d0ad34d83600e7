"""Reads files of records: one record in JSON, or many as JSON lines."""

import sys
from dataclasses import dataclass
from pathlib import Path

from service.api.json_body import MalformedBody, read_json


class CannotRead(Exception):
    """There is no such file, or it holds no JSON; the message says which."""


@dataclass(frozen=True, slots=True)
class Written:
    """The text of one record, and what to call it: the file, and the line if it has several."""

    name: str
    text: bytes

    def read(self) -> object:
        """What the text holds."""
        try:
            return read_json(self.text)
        except MalformedBody as error:
            raise CannotRead(f"{self.name} is no record: it {error.errors[0].detail}") from error


def records_in(name: str) -> list[Written]:
    """The records that a file holds, never none; ``-`` is the standard input."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CannotRead(f"{name} cannot be read: {error.strerror or error}") from error
    lines = [
        Written(f"{name}:{number}", line)
        for number, line in enumerate(raw.split(b"\n"), start=1)
        if line.strip()
    ]
    return lines if len(lines) > 1 and _is_whole(lines[0]) else [Written(name, raw)]


def _is_whole(line: Written) -> bool:
    """Whether the line is a JSON value by itself, and not the beginning of one over many lines."""
    try:
        line.read()
    except CannotRead:
        return False
    return True
