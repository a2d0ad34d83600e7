"""Processes that share a folder are counted together; nothing is lost when one of them dies."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

COUNT = """
import sys
from service.telemetry import metrics
name, count = sys.argv[1:]
metrics.name_process(name)
metrics.PROCESSES.labels("web").set(1)
metrics.GAMES_CREATED.inc(int(count))
metrics.REQUEST_SECONDS.labels("/livez", "GET").observe(0.01)
print("counted", flush=True)
sys.stdin.read()
"""

SCRAPE = """
from service.telemetry.metrics import exposition
print(exposition().decode())
"""

FORGET = """
import sys
from service.telemetry.metrics import forget_process
forget_process(sys.argv[1])
"""


class Counters:
    """Processes that count in one folder until they are killed."""

    def __init__(self, folder: Path) -> None:
        self._environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
        self._running: dict[str, subprocess.Popen[str]] = {}

    def start(self, name: str, count: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", COUNT, name, str(count)],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._running[name] = process
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"

    def kill(self, name: str) -> None:
        process = self._running.pop(name)
        process.kill()
        process.communicate()
        self._call(FORGET, name)

    def close(self) -> None:
        for name in list(self._running):
            self.kill(name)

    def games_and_processes(self) -> tuple[float, float]:
        text = self._call(SCRAPE)
        assert "_sum" not in text
        lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")
        games = float(lines["qwirkle_games_created_total"])
        assert games == 0 or 'qwirkle_request_seconds_count{method="GET",route="/livez"}' in lines
        return games, float(lines.get('qwirkle_processes{kind="web"}', 0))

    def _call(self, program: str, *arguments: str) -> str:
        command = [sys.executable, "-c", program, *arguments]
        ended = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, check=True
        )
        return ended.stdout


@pytest.fixture
def counters(tmp_path: Path) -> Iterator[Counters]:
    started = Counters(tmp_path)
    yield started
    started.close()


def test_a_successor_continues_the_counters_of_a_killed_process(
    counters: Counters, tmp_path: Path
) -> None:
    assert counters.games_and_processes() == (0, 0)
    counters.start("1.0", 5)
    counters.start("1.1", 7)
    assert counters.games_and_processes() == (12, 2)
    counters.kill("1.0")
    assert counters.games_and_processes() == (12, 1)
    counters.start("1.0", 100)
    assert counters.games_and_processes() == (112, 2)
    assert len(list(tmp_path.glob("histogram_1.*.db"))) == 2
