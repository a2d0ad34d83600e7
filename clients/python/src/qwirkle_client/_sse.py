"""Read `text/event-stream`, as the HTML standard describes it."""

import codecs
import re
from dataclasses import dataclass

from qwirkle_client.errors import UnexpectedAnswer

LONGEST_MESSAGE = 1 << 20
"""The most characters of a message, with its names and comments."""
_LINE_END = re.compile(r"\r\n|\n|\r")
_RETRY = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Message:
    """One message of a stream."""

    event: str
    data: str
    id: str | None


class Decoder:
    """Turns the bytes of a stream into messages.

    Only CR and LF end a line: other separators, such as U+2028, may be part of a name.
    """

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._after_cr = False
        self._line: list[str] = []
        self._event = ""
        self._id: str | None = None  # stays until the next one, also after a message without data
        self._data: list[str] = []
        self._size = 0
        self.retry: float | None = None
        """After how many seconds the service asks its clients to reconnect."""
        self.heartbeats = 0
        """How many comments have come; the service sends them to show that it is there."""

    def feed(self, piece: bytes) -> list[Message]:
        """The messages that are complete with these bytes."""
        text = self._decode(piece)
        if not text:
            return []
        start, self._after_cr = int(self._after_cr and text[0] == "\n"), text[-1] == "\r"
        first, *others = _LINE_END.split(text[start:])
        self._add(first)
        messages = []
        for part in others:
            message = self._end_line()
            if message:
                messages.append(message)
            self._add(part)
        return messages

    def _add(self, part: str) -> None:
        """Go on with a line, which may come in many parts."""
        self._size += len(part)
        if self._size > LONGEST_MESSAGE:
            raise UnexpectedAnswer("a message of the stream is too long")
        self._line.append(part)

    def _end_line(self) -> Message | None:
        line, self._line = "".join(self._line), []
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "retry" and _RETRY.fullmatch(value):
            self.retry = int(value) / 1000
        elif name == "event":
            self._event = value
        elif name == "id":
            self._id = value
        elif not line:
            return self._end_message()
        elif not name:
            self.heartbeats += 1
        return None

    def _end_message(self) -> Message | None:
        event, data = self._event or "message", self._data
        self._event, self._data, self._size = "", [], 0
        return Message(event, "\n".join(data), self._id) if data else None
