"""The log: one JSON object a line, or a line of text for people at a terminal.

What was asked goes to standard output, a line for each request (`service.telemetry.access_log`);
what is worth an operator's attention goes to standard error. Nothing here knows a token, a
hand or a seed, and nothing that a client sent gets in but its request id.
"""

import logging
import os
import sys
import time
import traceback
from typing import Final, Literal

import orjson

from service.telemetry.log_writer import LONGEST, Sink

Format = Literal["json", "text"]

OUTPUT: Final = Sink(1)
ERRORS: Final = Sink(2)

_TRACE: Final = 3000
"""Bytes of a traceback that are kept, the last ones: the whole line must fit in one piece."""
_TEXT: Final = 600


def format_for(wished: Format | None) -> Format:
    """The form that was asked for; without a wish, text on a terminal and JSON elsewhere."""
    return wished or ("text" if sys.stderr.isatty() else "json")


def stamp(seconds: float) -> str:
    """A time in RFC 3339, UTC, of fixed width."""
    whole = int(seconds)
    return f"{_second(whole)}.{int((seconds - whole) * 1000):03}Z"


def _second(whole: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))


class LineFormatter(logging.Formatter):
    """A record as one line of JSON that fits in one piece, whatever it says."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        said = {
            "time": stamp(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "pid": record.process,
            "message": _cut(record.getMessage(), _TEXT),
        }
        if not record.exc_info or record.exc_info[1] is None:
            return orjson.dumps(said).decode()
        told = _told(record.exc_info[1])
        line = orjson.dumps({**said, "traceback": told[-_TRACE:]})
        if len(line) >= LONGEST:
            # Escapes have made it too long; each takes six bytes for one at most.
            line = orjson.dumps({**said, "traceback": told[-_TRACE // 6 :]})
        return line.decode()


class TextFormatter(logging.Formatter):
    """A record for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and where it went wrong if something did."""
        error = record.exc_info[1] if record.exc_info else None
        line = f"{self.formatTime(record)} {record.levelname} {record.getMessage()}"
        return line if error is None else f"{line}\n{_told(error)}"


class SinkHandler(logging.Handler):
    """Hands lines to a sink."""

    def __init__(self, sink: Sink, format_: Format) -> None:
        super().__init__()
        self._sink = sink
        self.setFormatter(LineFormatter() if format_ == "json" else TextFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record now, if that takes no waiting."""
        try:
            self._sink.write_now(self.format(record).encode(errors="replace") + b"\n")
        except Exception:  # noqa: BLE001  # as every handler does
            self.handleError(record)


def open_log(level: str, format_: Format | None) -> None:
    """Have everything that is logged in this process go where it belongs."""
    root = logging.getLogger()
    for handler in list(root.handlers):
        root.removeHandler(handler)
    root.addHandler(SinkHandler(ERRORS, format_for(format_)))
    root.setLevel(logging.WARNING)
    logging.getLogger("qwirkle").setLevel(level.upper())


def announce(text: str, format_: Format | None) -> None:
    """Tell on standard output that something is ready: a sentence for people, or a line."""
    if format_for(format_) == "json":
        said = {"time": stamp(time.time()), "level": "info", "pid": os.getpid(), "message": text}
        text = orjson.dumps(said).decode()
    OUTPUT.write_now(text.encode() + b"\n")


def _told(error: BaseException) -> str:
    """Where an error was raised, and its kind, with what it came from.

    Its text is left out, since anything may be in it: a key of the store, a tile of a hand.
    """
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    before = "" if cause is None else _told(cause) + "\n"
    frames = "".join(traceback.format_tb(error.__traceback__))
    return f"{before}Traceback (most recent call last):\n{frames}{type(error).__name__}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
