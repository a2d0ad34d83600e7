"""The examples of docs/live.md, run as they stand there."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.live.streams import client_for, exchanges, log_of
from tests.servers import COMMAND, QwirkleServer

PAGE = (Path(__file__).parents[2] / "docs" / "live.md").read_text(encoding="utf-8")
Run = Callable[..., subprocess.Popen[str]]


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def run() -> Iterator[Run]:
    """Starts a program with the variables of the page; all end with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(command: list[str], table: Table, *, known: bool = True) -> subprocess.Popen[str]:
        variables = {
            "GAME": f"{table.client.base_url}/v1/games/{table.id}",
            "PATH": f"{COMMAND.parent}:{os.environ['PATH']}",
        }
        if known:
            variables["TOKEN"] = table.tokens[0]
        started.append(
            subprocess.Popen(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def lines(process: subprocess.Popen[str], count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline().rstrip("\n") for _ in range(count)]


def test_curl_shows_the_stream_as_it_comes(client: Client, run: Run) -> None:
    table = in_play(client)
    process = run(["sh", "-ec", examples("sh")[0]], table)
    first = lines(process, 6)
    assert (first[0], first[3]) == ("retry: 2000", "event: created")
    table.resign(0).ok(201)
    table.act(1, "rematch").ok(201)
    rest = process.communicate(timeout=60)[0]
    assert rest.index("event: resigned\n") < rest.index("event: rematch\n")
    assert process.returncode == 0


def test_curl_waits_for_news(client: Client, run: Run) -> None:
    table = in_play(client)
    process = run(["sh", "-ec", examples("sh")[1]], table)
    exchanges(table, 1)
    assert '"type":"exchanged"' in process.communicate(timeout=60)[0]


@pytest.mark.parametrize(("example", "last"), [(0, "event: resigned\n"), (2, "Ben wins.\n")])
def test_whoever_has_no_token_watches_as_anybody_does(
    client: Client, run: Run, example: int, last: str
) -> None:
    table = in_play(client)
    process = run(["sh", "-euc", examples("sh")[example]], table, known=False)
    lines(process, 1)
    table.resign(0).ok(201)
    assert last in process.communicate(timeout=60)[0]
    assert process.returncode == 0


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_program_tells_every_event_once_through_a_restart_and_ends_with_the_game(
    kept_qwirkle: Callable[..., QwirkleServer],
    run: Run,
    language: str,
    known: bool,
    tmp_path: Path,
) -> None:
    server = kept_qwirkle()
    (text,) = examples(language)
    runtime, file = sys.executable, tmp_path / "example.py"
    if language == "javascript":
        runtime, file = shutil.which("node") or "", tmp_path / "example.mjs"
        if not runtime:
            pytest.skip("node is not installed: the example in JavaScript did not run")
    file.write_text(text, encoding="utf-8")
    table = in_play(client_for(server))
    process = run([runtime, str(file)], table, known=known)
    assert lines(process, 1) == ["1 created"]
    exchanges(table, 1)
    assert lines(process, 1) == ["2 exchanged"]
    os.kill(server.pid, signal.SIGHUP)
    exchanges(table, 2)
    assert lines(process, 2) == ["3 exchanged", "4 exchanged"]
    table.resign(0).ok(201)
    assert process.communicate(timeout=60)[0] == "5 resigned\n"
    assert process.returncode == 0
    assert len(log_of(table)) == 5


def test_the_table_is_shown_in_the_terminal(client: Client, run: Run) -> None:
    table = in_play(client)
    process = run(["sh", "-ec", examples("sh")[2]], table)
    table.resign(1).ok(201)
    assert "Ada wins" in process.communicate(timeout=60)[0]
    assert process.returncode == 0
