"""The README's game is played as it is written, and a type checker accepts it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.document import ROOT
from tests.servers import QwirkleServer

README = (ROOT / "clients/python/README.md").read_text()


@pytest.fixture
def program(tmp_path: Path, valkey_server: QwirkleServer) -> Path:
    """The first example, at the address of a real server."""
    found = re.search(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found
    assert len(found[1].splitlines()) <= 25
    file = tmp_path / "game.py"
    file.write_text(found[1].replace("http://127.0.0.1:8000", valkey_server.base_url))
    return file


def test_it_plays_a_whole_game(program: Path) -> None:
    played = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=100, check=False
    )
    assert played.returncode == 0, played.stderr
    lines = played.stdout.splitlines()
    assert lines[0] == "created"
    assert "dealt" in lines
    assert any(line.startswith("Ada scores") for line in lines)
    assert re.fullmatch(r"Ada \d+\nRobo \d+", "\n".join(lines[-2:]))


def test_its_types_are_right(program: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", program],
        cwd=program.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_it_names_every_method() -> None:
    from qwirkle_client import GameClient, Qwirkle

    written = set(re.findall(r"`(\w+)`", README))
    for kind, left_out in (
        (Qwirkle, {"game", "close"}),
        (GameClient, {"id", "url", "token", "etag"}),
    ):
        assert {name for name in dir(kind) if name[0] != "_"} - left_out <= written
