"""Processes count side by side on a board; nothing is lost with any of them."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.telemetry.shared_counters import CELLS, LOST, OF_NOW, Slot

COUNTER = """
import sys
from service.telemetry.shared_counters import OF_NOW, Slot
slot = Slot()
slot.cells[slot.place("early")] += 1
slot.share(sys.argv[1])
slot.cells[slot.place("counted")] += int(sys.argv[2])
slot.cells[slot.place(OF_NOW + "open")] += 1
print("counted", flush=True)
sys.stdin.read()
"""


class RateLimitStorage:
    """Processes that count on one board until they are killed."""

    def __init__(self, board: Path) -> None:
        self._board = str(board)
        self.running: list[subprocess.Popen[str]] = []

    def start(self, count: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", COUNTER, self._board, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.running.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"

    def kill_first(self) -> None:
        process = self.running.pop(0)
        process.kill()
        process.communicate()


@pytest.fixture
def board(tmp_path: Path) -> Path:
    return tmp_path / "board"


@pytest.fixture
def counters(board: Path) -> Iterator[RateLimitStorage]:
    started = RateLimitStorage(board)
    yield started
    while started.running:
        started.kill_first()


def test_sums_hold_through_deaths_and_successors(board: Path, counters: RateLimitStorage) -> None:
    watcher = Slot()
    watcher.share(str(board))
    counters.start(5)
    counters.start(7)
    assert watcher.sums() == {"early": 2, "counted": 12, OF_NOW + "open": 2}
    counters.kill_first()
    assert watcher.sums() == {"early": 2, "counted": 12, OF_NOW + "open": 1}
    size = board.stat().st_size
    counters.start(100)  # in the place of the one that was killed
    assert watcher.sums() == {"early": 3, "counted": 112, OF_NOW + "open": 2}
    assert board.stat().st_size == size
    # Looking has not freed our own place: a newcomer does not get it.
    watcher.cells[watcher.place("counted")] += 1
    counters.start(1000)
    assert watcher.sums()["counted"] == 1113


def test_what_finds_no_room_is_counted_as_lost() -> None:
    slot = Slot()
    for number in range(CELLS + 10):
        slot.cells[slot.place(f"number {number}")] += 1
    slot.cells[slot.place("long" * 100)] += 1
    sums = slot.sums()
    assert sums[LOST] == 12
    assert sum(sums.values()) == CELLS + 11
