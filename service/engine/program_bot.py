"""Programs as players: asked with the documents of the API, answering with commands.

docs/engine.md describes the conversation.
"""

from collections.abc import Iterable
from threading import Lock, local
from typing import Any, Self

import orjson

from service.api.legal_plays import serialize_legal_plays
from service.api.problems import MalformedRequest, malformed, problem_of
from service.api.rules_json import serialize_position, serialize_unseen
from service.api.schemas import EMPTY, LEGAL_PLAYS_MOST, ExchangeSchema, PlaySchema
from service.api.strict_json import read_json
from service.api.validation import load
from service.bots.actions import Action, Exchange, Forfeit, Outsider, Pass, Place, perform
from service.engine.program import Program
from service.i18n import say
from service.rules.actions import Step
from service.rules.errors import Malformed, RulesBroken, Untimely
from service.rules.state import Game
from service.rules.yielding import no_pause

_GOODBYE_SECONDS = 5.0
_SCHEMAS = {"play": PlaySchema(), "exchange": ExchangeSchema(), "pass": EMPTY}


class Programs:
    """The programs that play in a match; each thread has its own process of each of them.

    Every process has ended when the block ends.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._own = local()
        self._running: set[Program] = set()
        self._lock = Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._lock:
            self._closed = True
        for program in tuple(self._running):
            self._end(program, _GOODBYE_SECONDS if kind is None else 0.0)

    def players(self, commands: Iterable[str]) -> dict[str, Outsider]:
        """The player of each command, by the name `cmd:COMMAND`."""
        return {f"cmd:{command}": self._player(command) for command in commands}

    def _player(self, command: str) -> Outsider:
        def act(step: Step, seat: int, name: str) -> Step:
            program = self._program(command)
            try:
                answer = program.ask(request_for(step, seat, name), self._seconds)
                return performed(step.game, seat, answer)
            except Forfeit:
                # Nobody knows what it would say next: the next game gets a new process.
                del self._own.__dict__[command]
                self._end(program)
                raise

        return act

    def _program(self, command: str) -> Program:
        program: Program | None = self._own.__dict__.get(command)
        if program is None:
            with self._lock:
                program = self._started(command)
                self._running.add(program)
            self._own.__dict__[command] = program
        return program

    def _started(self, command: str) -> Program:
        if self._closed:
            raise Forfeit("crash", "the match is over")
        try:
            return Program(command)
        except OSError as error:
            raise Forfeit("crash", f"it cannot be run: {error.strerror}") from error

    def _end(self, program: Program, patience: float = 0.0) -> None:
        program.close(patience)
        with self._lock:
            self._running.discard(program)


def request_for(step: Step, seat: int, name: str) -> bytes:
    """What a program is asked: the game as its seat sees it, its plays, what it does not see."""
    game, newest = step.game, type(step.event).__name__.lower()
    return orjson.dumps(
        {
            "id": game.version,
            "command": "choose",
            "game": {"id": name, **serialize_position(game, newest, seat)},
            "legal_plays": serialize_legal_plays(
                game, seat, LEGAL_PLAYS_MOST, no_pause, points=True
            ),
            "unseen": serialize_unseen(game, seat),
        }
    )


def performed(game: Game, seat: int, answer: bytes) -> Step:
    """The step that a program answered; Forfeit if it is not a legal one."""
    try:
        said = read_json(answer)
        if not isinstance(said, dict) or said.get("id") != game.version:
            raise Forfeit("illegal action", f"its answer does not have the id {game.version}")
        return perform(game, seat, _action(said.get("action")))
    except MalformedRequest as error:
        raise Forfeit("illegal action", f"its answer is wrong: {error.detail}") from error
    except (RulesBroken, Untimely, Malformed) as error:
        raise Forfeit("illegal action", str(problem_of(error).detail)) from error


def _action(given: Any) -> Action:
    if not isinstance(given, dict):
        raise malformed("/action", say("field.object"))
    command = given.pop("command", None)
    if not isinstance(command, str) or command not in _SCHEMAS:
        raise malformed("/action/command", say("field.one_of", words=", ".join(_SCHEMAS)))
    body = load(_SCHEMAS[command], given)
    match command:
        case "play":
            return Place(body["placements"])
        case "exchange":
            return Exchange(body["tiles"])
    return Pass()
