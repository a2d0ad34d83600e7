"""`qwirkle watch` on a terminal and without one."""

import os
import pty
import re
import select
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.clients.http_proxy import HttpProxy
from tests.live.streams import exchanges
from tests.proxy import until
from tests.servers import COMMAND, environment_for

CLEARED = "\x1b[H\x1b[2J"


class Terminal:
    """The command on a pseudo terminal; `screen` is everything since it was last cleared."""

    def __init__(self, table: Table, *arguments: str, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        url = table.client.base_url + table.path()
        settings = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            [COMMAND, "watch", url, *arguments],
            env=environment_for() | settings | environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.written = ""

    @property
    def screen(self) -> str:
        return self.written.rpartition(CLEARED)[2]

    def until(self, pattern: str) -> None:
        """Read on until the screen shows this."""
        deadline = monotonic() + 40
        while not re.search(pattern, self.screen):
            assert monotonic() < deadline, self.written
            if select.select([self._ours], [], [], 1)[0]:
                try:
                    self.written += os.read(self._ours, 65_536).decode()
                except OSError:
                    break
        assert re.search(pattern, self.screen), self.written

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


@pytest.fixture
def terminal(request: pytest.FixtureRequest, table: Table) -> Iterator[Terminal]:
    started = Terminal(table, **getattr(request, "param", {}))
    yield started
    started.close()


def test_the_table_is_drawn_in_colour_and_again_at_each_event(
    terminal: Terminal, table: Table
) -> None:
    terminal.until("6 in the bag, playing")
    assert "\x1b[38;5;196m●" in terminal.screen
    assert "> 0 Ada" in terminal.screen
    assert "your hand" not in terminal.screen
    table.play(0, "rd@2,0").ok(201)
    terminal.until("2: Ada lays 1 for 3 points")
    assert "> 1 Ben" in terminal.screen
    assert "\x1b[48;5;238m\x1b[38;5;196m◆" in terminal.screen
    table.resign(0).ok(201)
    terminal.until("Ben wins\\.")
    assert terminal.process.wait(20) == 0


@pytest.mark.parametrize("terminal", [{"NO_COLOR": "1"}], indirect=True)
def test_who_wants_no_colour_gets_letters(terminal: Terminal, table: Table) -> None:
    terminal.until("6 in the bag, playing")
    assert "ro rs" in terminal.screen
    assert "\x1b[38" not in terminal.screen


def test_a_players_hand_is_shown_to_the_token_that_a_file_holds(
    table: Table, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(table.tokens[0] + "\n")
    terminal = Terminal(table, "--token-file", str(file), NO_COLOR="1")
    terminal.until("your hand: .*rd")
    terminal.close()


def test_without_a_terminal_each_event_is_a_line(table: Table) -> None:
    url = table.client.base_url + table.path()
    process = subprocess.Popen(
        [COMMAND, "watch", url],
        env=environment_for(QWIRKLE_TOKEN=table.tokens[1]),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    while "your hand" not in process.stdout.readline():
        pass
    exchanges(table, 1)
    assert process.stdout.readline() == "2: Ada exchanges 1\n"
    table.delete().ok(204)
    assert process.wait(30) == 1
    process.stdout.close()


def test_a_lost_connection_is_bridged(table: Table) -> None:
    with HttpProxy(table.client.base_url) as proxy:
        process = subprocess.Popen(
            [COMMAND, "watch", proxy.base_url + table.path()],
            env=environment_for(),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        while "in the bag" not in process.stdout.readline():
            pass
        for n, who in ((2, "Ada"), (3, "Ben"), (4, "Ada")):
            until(lambda: proxy.asked("GET .*/events(/stream)?"))
            proxy.cut_all()
            exchanges(table, 1)
            assert process.stdout.readline() == f"{n}: {who} exchanges 1\n"
        table.resign(0).ok(201)
        assert process.stdout.read().endswith("Ben wins.\n")
        assert process.wait(30) == 0
        process.stdout.close()


@pytest.mark.parametrize(
    ("token", "words"),
    [("qwh_wrong", "not one of this game's tokens"), ("", "this id")],
)
def test_what_cannot_be_watched_is_said_in_a_sentence(table: Table, token: str, words: str) -> None:
    url = table.client.base_url + table.path()
    done = subprocess.run(
        [COMMAND, "watch", url if token else f"{table.client.base_url}/v1/games/{'a' * 26}"],
        env=environment_for(QWIRKLE_TOKEN=token),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert words in done.stderr
