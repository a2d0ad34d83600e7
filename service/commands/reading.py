"""Reads the file of a record."""

import sys
from pathlib import Path

from service.api.body import MalformedBody, read_json


class CannotRead(Exception):
    """There is no such file, or it holds no JSON; the message says which."""


def read_record(name: str) -> object:
    """What the file holds; ``-`` is the standard input."""
    try:
        raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CannotRead(f"{name} cannot be read: {error.strerror or error}") from error
    try:
        return read_json(raw)
    except MalformedBody as error:
        raise CannotRead(f"{name} is no record: it {error.errors[0].detail}") from error
