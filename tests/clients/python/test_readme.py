"""The README's games are played as they are written, and a type checker accepts them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.document import ROOT
from tests.servers import QwirkleServer

README = (ROOT / "clients/python/README.md").read_text()


FIRST, WITH_ASYNCIO = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, valkey_server: QwirkleServer) -> Path:
    """The examples, at the address of a real server."""
    for name, text in (("first.py", FIRST), ("with_asyncio.py", WITH_ASYNCIO)):
        program = text.replace("http://127.0.0.1:8000", valkey_server.base_url)
        (tmp_path / name).write_text(program)
    return tmp_path


def lines_of(program: Path) -> list[str]:
    """What it prints."""
    played = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, timeout=100, check=False
    )
    assert played.returncode == 0, played.stderr
    return played.stdout.splitlines()


def test_it_starts_with_a_whole_game_in_25_lines(folder: Path) -> None:
    assert len(FIRST.splitlines()) <= 25
    lines = lines_of(folder / "first.py")
    assert lines[0] == "created"
    assert "dealt" in lines
    assert any(line.startswith("Ada scores") for line in lines)
    assert re.fullmatch(r"Ada \d+\nRobo \d+", "\n".join(lines[-2:]))


def test_a_whole_game_is_watched_with_asyncio(folder: Path) -> None:
    lines = lines_of(folder / "with_asyncio.py")
    assert lines[:2] == ["created", "dealt"]
    assert lines.count("played") > 10


def test_its_types_are_right(folder: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "."],
        cwd=folder,
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
