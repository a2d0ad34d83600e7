"""Read `text/event-stream`, as the HTML standard describes it."""

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r(?!$)")


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
        self._text = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._fields: dict[str, str] = {}
        self.retry: float | None = None
        """After how many seconds the service asks its clients to reconnect."""
        self.heartbeats = 0
        """How many comments have come; the service sends them to show that it is there."""

    def feed(self, piece: bytes) -> list[Message]:
        """The messages that are complete with these bytes."""
        *lines, self._text = _LINE_END.split(self._text + self._decode(piece))
        return [message for line in lines if (message := self._line(line))]

    def _line(self, line: str) -> Message | None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data" and "data" in self._fields:
            self._fields["data"] += f"\n{value}"
        elif name == "retry" and value.isdecimal():
            self.retry = int(value) / 1000
        elif name:
            self._fields[name] = value
        elif line:
            self.heartbeats += 1
        else:
            return self._message()
        return None

    def _message(self) -> Message | None:
        fields, self._fields = self._fields, {}
        if "data" not in fields:
            return None
        return Message(fields.get("event", "message"), fields["data"], fields.get("id"))
