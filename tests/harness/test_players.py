"""Players that know nothing but the public interface play whole games on a real server."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.bots.observation import observe
from service.commands.bot import observation_from
from service.rules.record.verify import verify
from service.rules.tiles import NAMES
from tests.api.client import Client, Table, placements_of
from tests.clients.http_proxy import Fault, HttpProxy
from tests.golden.make import GAMES
from tests.servers import COMMAND, QwirkleServer

EXAMPLES = Path(__file__).parents[2] / "examples"
PATIENCE = 100


def started(*command: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )


def told(process: subprocess.Popen[str]) -> str:
    """What it said, once it has ended well."""
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0, said
    return said


def finished(table: Table) -> dict[str, object]:
    """The record of the game, which is over and right."""
    assert table.view()["status"] == "finished"
    record = table.look(rest="/record").ok(200).json
    assert verify(record).ok
    return record


def test_the_python_example_plays_both_seats_to_the_end(client: Client) -> None:
    table = client.create(seed="example python", players=2)
    table.deal().ok()
    where = client.base_url + table.path()
    players = [started(sys.executable, str(EXAMPLES / "bot.py"), where, t) for t in table.tokens]
    for player in players:
        assert "over: {'Ada':" in told(player)
    finished(table)


def test_the_javascript_example_plays_both_seats_to_the_end(client: Client) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the JavaScript example is not run")
    table = client.create(seed="example javascript", players=2)
    table.deal().ok()
    where = client.base_url + table.path()
    players = [started(node, str(EXAMPLES / "bot.mjs"), where, token) for token in table.tokens]
    for player in players:
        assert "over: Ada" in told(player)
    finished(table)


def test_the_examples_use_nothing_of_ours_and_are_short() -> None:
    for name in ("bot.py", "bot.mjs"):
        text = (EXAMPLES / name).read_text()
        assert "service" not in text
        assert "require(" not in text
        lines = [line for line in text.splitlines() if line.strip()]
        assert len(lines) <= 45


def test_bots_play_at_a_remote_table_by_the_command(client: Client, tmp_path: Path) -> None:
    table = client.create(seed="remote bots", players=3)
    table.deal().ok()
    where = client.base_url + table.path()
    file = tmp_path / "token"
    file.write_text(table.tokens[1] + "\n")
    command = (str(COMMAND), "bot", "--url", where, "--seed", "1", "--bot")
    players = [
        started(*command, "greedy", QWIRKLE_TOKEN=table.tokens[0]),
        started(*command, "random", "--token-file", str(file)),
        started(*command, "greedy", "--token", table.tokens[2]),
    ]
    for player in players:
        assert "The game is over" in told(player)
    finished(table)


def test_a_bot_at_a_remote_table_outlives_restarts_of_the_service(tmp_path: Path) -> None:
    with QwirkleServer(workers=2, data_dir=tmp_path) as server:
        port = server.base_url.rsplit(":", 1)[1]
        client = Client(server.base_url)
        table = client.create(seed="restarts", players=2)
        table.deal().ok()
        where = client.base_url + table.path()
        command = (str(COMMAND), "bot", "--url", where, "--bot", "greedy", "--patience", "60")
        players = [started(*command, QWIRKLE_TOKEN=token) for token in table.tokens]
        first = players[0].stdout
        assert first is not None
        for _ in range(3):
            assert first.readline().startswith("turn ")
        server.process.send_signal(signal.SIGHUP)  # every worker is replaced
        assert first.readline().startswith("turn ")
        server.stop()
        again = QwirkleServer(workers=2, data_dir=tmp_path)
        again._command[again._command.index("--port") + 1] = port
        with again:
            for player in players:
                assert "The game is over" in told(player)
            finished(table)


def test_a_bot_at_a_remote_table_plays_on_when_answers_are_lost(client: Client) -> None:
    table = client.create(seed="lost answers", players=2)
    table.deal().ok()
    with HttpProxy(client.base_url) as proxy:
        lost = proxy.trouble("POST .*/(bids|plays)", Fault.LOSE, times=8)
        cut = proxy.trouble("GET .*/(events|score)?", Fault.CUT, times=8)
        command = (str(COMMAND), "bot", "--bot", "greedy", "--url", proxy.base_url + table.path())
        players = [started(*command, QWIRKLE_TOKEN=token) for token in table.tokens]
        for player in players:
            assert "The game is over" in told(player)
        assert lost.over
        assert cut.over
    finished(table)


def test_a_bot_with_a_wrong_token_says_so(client: Client) -> None:
    table = client.create(players=2)
    where = client.base_url + table.path()
    done = started(str(COMMAND), "bot", "--url", where, QWIRKLE_TOKEN="nonsense")
    said, _ = done.communicate(timeout=PATIENCE)
    assert done.returncode == 1
    assert "refuses (401)" in said


def test_a_bot_without_a_token_does_not_begin() -> None:
    where = f"http://127.0.0.1:1/v1/games/{'a' * 26}"
    done = started(str(COMMAND), "bot", "--url", where, QWIRKLE_TOKEN="")
    said, _ = done.communicate(timeout=PATIENCE)
    assert done.returncode == 2
    assert "QWIRKLE_TOKEN" in said


def test_a_bot_far_away_sees_exactly_what_a_bot_here_sees(client: Client) -> None:
    steps = [step for step in GAMES["two_players"]() if step.game.phase == "playing"]
    for step in steps[:: len(steps) // 6]:
        game = step.game
        assert game.mover is not None
        players = [game.player(seat) for seat in (0, 1)]
        if game.opening:
            continue
        table = client.create(
            players=2,
            setup={
                "board": placements_of(game.board.tiles.items()),
                "hands": [[NAMES[tile] for tile in player.hand] for player in players],
                "bag": [NAMES[tile] for tile in game.bag],
                "scores": [player.score for player in players],
                "turn": game.mover,
            },
        )
        view = table.view(game.mover)
        seen = observation_from(view, view["you"], view["turn"], ())
        expected = observe(game, game.mover)
        for member in ("seat", "mover", "hand", "board", "unseen", "bag", "held", "scores"):
            assert getattr(seen, member) == getattr(expected, member), member
        assert (seen.active, seen.opening, seen.may_exchange) == (
            expected.active,
            expected.opening,
            expected.may_exchange,
        )
