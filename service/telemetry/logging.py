"""The log: one JSON object a line, or a line of text for people at a terminal.

Standard output gets a line for each request (`service.telemetry.access_log`), standard error what
an operator should know. No line has a token, a hand or a seed, and of what clients send only the
request id is logged.
"""

import logging
import os
import sys
import time
import traceback
from typing import Final, Literal

import orjson

from service.telemetry.log_writer import MAX_LINE, LineWriter

Format = Literal["json", "text"]

STDOUT: Final = LineWriter(1)
STDERR: Final = LineWriter(2)

_MAX_TRACEBACK: Final = 3000
"""Characters, of which the last are kept, so that the whole line fits into one write."""
_MAX_MESSAGE: Final = 600


def format_for(setting: Format | None) -> Format:
    """The format from the settings; by default text in a terminal and JSON elsewhere."""
    return setting or ("text" if sys.stderr.isatty() else "json")


def timestamp(seconds: float) -> str:
    """A time in UTC and of fixed width, as in RFC 3339."""
    whole = int(seconds)
    second = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{second}.{int((seconds - whole) * 1000):03}Z"


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON that always fits into one write."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without its line feed."""
        fields = {
            "time": timestamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "message": _shortened(record.getMessage()),
        }
        if not record.exc_info or record.exc_info[1] is None:
            return orjson.dumps(fields).decode()
        trace = _traceback(record.exc_info[1])
        line = orjson.dumps({**fields, "traceback": trace[-_MAX_TRACEBACK:]})
        if len(line) >= MAX_LINE:
            # Escapes have made it too long: an escaped character takes at most six bytes.
            line = orjson.dumps({**fields, "traceback": trace[-_MAX_TRACEBACK // 6 :]})
        return line.decode()


class TextFormatter(logging.Formatter):
    """Formats a record for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, followed by the traceback of an error."""
        error = record.exc_info[1] if record.exc_info else None
        line = f"{self.formatTime(record)} {record.levelname} {record.getMessage()}"
        return line if error is None else f"{line}\n{_traceback(error)}"


class LineHandler(logging.Handler):
    """Writes records to standard error."""

    def __init__(self, format_: Format) -> None:
        super().__init__()
        self.setFormatter(JsonFormatter() if format_ == "json" else TextFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record now, unless that means waiting."""
        try:
            STDERR.write_now(self.format(record).encode(errors="replace") + b"\n")
        except Exception:  # noqa: BLE001  # as every handler does
            self.handleError(record)


def open_log(level: str, format_: Format | None) -> None:
    """Send everything that this process logs to standard error."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(LineHandler(format_for(format_)))
    root.setLevel(logging.WARNING)
    logging.getLogger("qwirkle").setLevel(level.upper())


def announce(text: str, format_: Format | None) -> None:
    """Write to standard output that something is ready."""
    if format_for(format_) == "json":
        fields = {
            "time": timestamp(time.time()),
            "level": "info",
            "pid": os.getpid(),
            "message": text,
        }
        text = orjson.dumps(fields).decode()
    STDOUT.write_now(text.encode() + b"\n")


def _traceback(error: BaseException) -> str:
    """The traceback of an error and of its causes.

    The texts of errors are left out: they may contain a key of the store or a tile of a hand.
    """
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = "" if cause is None else _traceback(cause) + "\n"
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{before}Traceback (most recent call last):\n{frames}{type(error).__name__}"


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_MESSAGE else text[: _MAX_MESSAGE - 1] + "…"
