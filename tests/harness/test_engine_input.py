"""Whatever is sent to `qwirkle engine` gets an answer, and never ends it."""

import json
import random

import pytest

from service.engine.lines import LONGEST_LINE, Engine, lines_of
from tests.harness.engine_process import EngineProcess, talk

STATE = b'{"id":"after","command":"state"}'

BAD = {
    "not JSON": b"hello",
    "an empty line": b"",
    "blanks": b" \t\r",
    "half a document": b'{"command": "create", "se',
    "binary": bytes(range(256)).replace(b"\n", b""),
    "not UTF-8": b'{"command": "\xff\xfe"}',
    "a byte order mark": b'\xef\xbb\xbf{"command": "state"}',
    "NUL": b"\x00",
    "a list": b"[]",
    "a number": b"17",
    "null": b"null",
    "no command": b"{}",
    "an unknown command": b'{"command": "destroy"}',
    "a command that is no text": b'{"command": {"command": "state"}}',
    "a command that is a list": b'{"command": [["state"]]}',
    "a game that is no text": b'{"command": "state", "game": 7}',
    "a game without a name": b'{"command": "state", "game": ""}',
    "a view that is no truth": b'{"command": "state", "view": 1}',
    "a very long name": b'{"command": "state", "game": "' + b"x" * 65 + b'"}',
    "deep nesting": b'{"command": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "many values": b'{"command": "verify", "record": [' + b"1," * 60_000 + b"1]}",
    "a huge integer": b'{"command": "create", "seats": ' + b"9" * 5_000 + b"}",
    "a huge number": b'{"command": "create", "seats": 1e999}',
    "NaN": b'{"command": "create", "seats": NaN}',
    "infinity": b'{"command": "create", "seats": -Infinity}',
    "a fraction": b'{"command": "create", "seats": 2.5}',
    "truth for a number": b'{"command": "create", "seats": true}',
    "half a surrogate pair": b'{"command": "create", "seats": 2, "seed": "\\ud800"}',
    "a member twice": b'{"command": "state", "command": "state"}',
    "an unknown member": b'{"command": "state", "colour": "red"}',
    "a play of nothing": b'{"command": "play", "placements": []}',
    "a play of texts": b'{"command": "play", "placements": ["red-circle"]}',
    "cells far away": b'{"command":"play","placements":[{"tile":"red-star","x":1e18,"y":0}]}',
    "a seat that is not there": b'{"command": "state", "seat": 3}',
    "a seat below zero": b'{"command": "state", "seat": -1}',
    "an impossible set-up": (
        b'{"command": "create", "seats": 2, "setup": {"hands": [[], []], "bag": []}}'
    ),
    "too many players": b'{"command":"create","players":[{"name":"a"},{"name":"b"},{"name":"c"},'
    b'{"name":"d"},{"name":"e"}]}',
    "undo before the start": b'{"command": "undo", "after": 1}',
    "an event to come": b'{"command": "fork", "to": "x", "after": 99}',
    "a fork without a name": b'{"command": "fork"}',
    "a bot that is not there": b'{"command": "choose", "bot": "genius"}',
    "an endless budget": b'{"command": "choose", "bot": "expert", "budget": 1000000000000}',
    "a record that is a text": b'{"command": "verify", "record": "a game"}',
}
CODES = {
    "an impossible set-up": "setup_impossible",
}


@pytest.fixture(scope="module")
def engine() -> EngineProcess:
    with EngineProcess() as process:
        process.ask("create", seats=2, seed="here", auto_bid=True)
        yield process


@pytest.mark.parametrize("kind", BAD)
def test_bad_input_gets_a_problem_and_changes_nothing(engine: EngineProcess, kind: str) -> None:
    before = engine.ask_raw(STATE)
    answer = json.loads(engine.ask_raw(BAD[kind]))
    assert answer["problem"]["code"] == CODES.get(kind, "malformed_request")
    assert answer["problem"]["detail"]
    assert engine.ask_raw(STATE) == before


def test_a_line_that_is_too_long_gets_a_problem_and_costs_no_memory() -> None:
    endless = b'{"id": "' + b"x" * (20 * LONGEST_LINE) + b'"}\n'
    answers, code, errors = talk(endless + STATE + b"\n")
    assert [answer["problem"]["code"] for answer in answers] == ["body_too_large", "game_not_found"]
    assert (code, errors) == (0, b"")


def test_a_last_line_without_its_end_is_answered() -> None:
    answers, code, _ = talk(b'{"command": "create", "seats": 2}\n{"id": 5, "command": "state"}')
    assert (answers[1]["id"], answers[1]["game"]["version"], code) == (5, 2, 0)


def test_half_a_last_line_gets_a_problem() -> None:
    answers, code, _ = talk(b'{"command": "create", "sea')
    assert [answer["problem"]["code"] for answer in answers] == ["malformed_request"]
    assert code == 0


def test_no_input_is_no_conversation() -> None:
    assert talk(b"") == ([], 0, b"")


def test_many_lines_at_once_are_answered_in_order() -> None:
    lines = [b'{"command": "create", "seats": 2, "seed": "many"}']
    lines += [b'{"id": %d, "command": "state"}' % number for number in range(500)]
    answers, _, _ = talk(b"\n".join(lines) + b"\n")
    assert [answer["id"] for answer in answers[1:]] == list(range(500))


def test_a_program_may_send_everything_before_it_reads_anything() -> None:
    """Far more than the pipes hold in both directions."""
    lines = [b'{"command": "create", "seats": 2, "seed": "many"}']
    lines += [b'{"id": %d, "command": "state", "game": "game"}' % n for n in range(20_000)]
    with EngineProcess() as process:
        answers = process.send_all_then_read(b"\n".join(lines) + b"\n", len(lines))
    assert [json.loads(answer)["id"] for answer in answers[1:]] == list(range(20_000))


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    data = b"one\n\ntwo three\r\n" + b"x" * 50 + b"\nrest"
    pieces = [data[at : at + size] for at in range(0, len(data), size)] + [b""]
    found = [line for lines in lines_of(lambda _: pieces.pop(0)) for line in lines]
    assert found == data.split(b"\n")


def test_any_bytes_get_one_json_object() -> None:
    """Valid commands with bytes changed, left out and doubled."""
    engine = Engine()
    chance = random.Random(17)
    commands = [line for line in BAD.values() if len(line) < 300] + [
        b'{"command":"create","seats":2,"seed":"a","auto_bid":true}',
        b'{"command":"play","placements":[{"tile":"red-star","x":0,"y":0}]}',
        b'{"command":"exchange","tiles":["red-star"]}',
        b'{"command":"fork","to":"b","after":2}',
        STATE,
    ]
    codes = set()
    for _ in range(4000):
        line = bytearray(chance.choice(commands))
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(line) + 1)
            line[at : at + chance.randrange(3)] = chance.choice(
                (b"", b'"', b"{", b"9", b"e", bytes([chance.randrange(256)]))
            )
        answer = json.loads(engine.answer(bytes(line)))
        codes.add(answer.get("problem", {"code": None})["code"])
    assert "internal_error" not in codes
    assert {None, "malformed_request"} < codes
