"""`qwirkle top` shows what a real server is doing."""

import subprocess

import pytest

from service.cli import main
from service.commands.top import Metrics, picture
from tests.api.client import Client
from tests.api.positions import in_play
from tests.servers import COMMAND, QwirkleServer


def test_it_shows_what_happened_between_two_looks(server: QwirkleServer, client: Client) -> None:
    before = Metrics.of(server.base_url)
    table = in_play(client)
    table.play(0, "rd@2,0").ok(201)
    for _ in range(20):
        table.play(0, "rd@2,0").refused(409, "not_your_turn")
    now = Metrics.of(server.base_url)
    now.at = before.at + 10  # as if ten seconds had passed
    said = "\n".join(picture(server.base_url, before, now))
    assert "2 web, 1 background workers" in said
    assert "2.1/s  POST /v1/games/{game_id}/plays" in said
    assert "6.0/min created" in said
    assert "0.1/s by players" in said
    assert "not_your_turn 2.0/s" in said
    assert "99% within" in said


def test_a_restart_between_two_looks_is_no_negative_rate(server: QwirkleServer) -> None:
    before = Metrics.of(server.base_url)
    after = Metrics("", before.at + 1)
    assert "-" not in "".join(picture("", before, after)).replace("99% within -", "")


def test_it_runs_as_a_command(server: QwirkleServer) -> None:
    said = subprocess.run(
        [COMMAND, "top", server.base_url, "--once", "--interval", "0.2"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert said.stdout.startswith(server.base_url)
    assert "streams" in said.stdout


def test_a_server_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "http://127.0.0.1:1", "--once"]) == 2
    assert "http://127.0.0.1:1 does not show its metrics" in capsys.readouterr().err
