"""The core under AddressSanitizer and UndefinedBehaviorSanitizer, and its use of memory."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from service import core
from service.bots import BOTS, choose
from service.bots.matches import Match, no_clock, play_game
from service.bots.observation import observe
from service.core.legal_plays import first_plays
from service.rules.board import Board
from tests.rules.hostile_position import BOARD, HAND, hostile_game

ROOT = Path(__file__).parents[2]
SANITIZERS = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
LIBRARIES = ("libasan.so", "libubsan.so")


def compile_command(built: Path) -> list[str]:
    """The command of the build itself, with the sanitizers added."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    command: list[str] = build.command(ROOT / "service/core", built, *SANITIZERS)
    return command


@pytest.mark.soak
def test_the_sanitizers_find_nothing(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed: the core is not run under its sanitizers")
    built = tmp_path / "core.so"
    subprocess.run(compile_command(built), check=True)
    libraries = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in LIBRARIES
    ]
    # Python itself keeps memory to its end, so only use, not loss, is looked at here.
    sanitized = {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.core.comparing", str(built), "150"],
        cwd=ROOT,
        env=os.environ | sanitized,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "150 rounds: the same" in ran.stdout


def use_everything(observation: object, number: int) -> None:
    terms = (Board(BOARD), HAND, None)
    first_plays(terms, 50, "points")
    for bot in BOTS:
        choose(bot, observation, number, 4)  # type: ignore[arg-type]  # an observation
    play_game(Match(("greedy", "random"), 1, "memory", keep_records=True), no_clock, number)
    games = core.native.new_games(2, 2, 64)  # type: ignore[union-attr]  # built, or skipped
    core.native.deal_game(games, 0, bytes(32), bytearray(72))  # type: ignore[union-attr]
    with pytest.raises(OverflowError):
        core.native.find_plays({0: 99}, 1, 0, 0, 1, None, tuple, tuple)  # type: ignore[union-attr]
    with pytest.raises(TypeError):
        first_plays(terms, 5000, "points", None)  # type: ignore[arg-type]  # fails in a pause


@pytest.mark.soak
def test_it_keeps_no_memory() -> None:
    observation = observe(hostile_game(), 0)
    for number in range(200):
        use_everything(observation, number)
    before = psutil.Process().memory_info().rss
    for number in range(2000):
        use_everything(observation, number)
    assert psutil.Process().memory_info().rss - before < 8_000_000
