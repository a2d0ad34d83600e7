"""Lines in, lines out: each is answered, in order, whatever is in it."""

import traceback
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import orjson
from marshmallow import ValidationError, missing

from service.api import fields
from service.api.fields import StrictField
from service.api.problems import Problem, malformed, problem_of, serialize_problem
from service.api.strict_json import read_json
from service.api.validation import load
from service.engine.commands import COMMANDS, Tables
from service.i18n import say
from service.rules.errors import Malformed, RulesBroken, Untimely
from service.rules.messages import Message

T = TypeVar("T")

LONGEST_LINE = 2 << 20  # a record to verify has at most 1 MiB
_AT_ONCE = 1 << 16

_COMMAND = fields.Choice(COMMANDS, required=True)
_GAME = fields.Text(1, 64, load_default="game")
_VIEW = fields.Flag(load_default=True)


class Engine:
    """All games of one conversation, by name."""

    def __init__(self) -> None:
        self._tables: Tables = {}

    def answer(self, line: bytes) -> bytes:
        """The answer to one line, without the end of the line; it is always a JSON object."""
        said: dict[str, Any] = {"id": None}
        try:
            said |= self._carried_out(line, said)
        except Problem as problem:
            said["problem"] = serialize_problem(problem)
        except (RulesBroken, Untimely, Malformed) as error:
            said["problem"] = serialize_problem(problem_of(error))
        except Exception:  # noqa: BLE001  # a fault of ours must not end the other games
            traceback.print_exc()
            said["problem"] = serialize_problem(Problem("internal_error", say("internal")))
        return orjson.dumps(said)

    def _carried_out(self, line: bytes, said: dict[str, Any]) -> dict[str, Any]:
        if len(line) > LONGEST_LINE:
            raise Problem("body_too_large", say("form.size", most=LONGEST_LINE))
        sent = read_json(line)
        if not isinstance(sent, dict):
            raise malformed("", say("field.object"))
        said["id"] = sent.pop("id", None)
        command = COMMANDS[_taken(sent, "command", _COMMAND)]
        game, view = _taken(sent, "game", _GAME), _taken(sent, "view", _VIEW)
        result = command.run(self._tables, game, load(command.schema, sent))
        return result if view else {name: result[name] for name in result if name != "game"}


def _taken(sent: dict[str, Any], member: str, field: StrictField[T]) -> T:
    """A member that every command has; the rest is for the command's own schema."""
    try:
        return cast("T", field.deserialize(sent.pop(member, missing)))
    except ValidationError as refused:
        raise malformed(f"/{member}", cast("Message", refused.messages[0])) from None


def lines_of(read: Callable[[int], bytes]) -> Iterator[list[bytes]]:
    """The complete lines that have arrived, as often as some have; the last may lack its end.

    Of a line that is too long only the beginning is kept, so that it takes no memory.
    """
    begun = bytearray()
    while piece := read(_AT_ONCE):
        *lines, rest = piece.split(b"\n")
        if lines:
            lines[0] = bytes(begun) + lines[0]
            begun.clear()
            yield lines
        if len(begun) <= LONGEST_LINE:
            begun += rest
    if begun:
        yield [bytes(begun)]


def converse(read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
    """Answer every line until the input ends.

    Answers to lines that arrived together are written together, which saves most of the time.
    """
    engine = Engine()
    for lines in lines_of(read):
        answers: list[bytes] = []
        size = 0
        for line in lines:
            answers.append(engine.answer(line))
            size += len(answers[-1])
            if size > _AT_ONCE:
                write(b"\n".join(answers) + b"\n")
                answers, size = [], 0
        if answers:
            write(b"\n".join(answers) + b"\n")
