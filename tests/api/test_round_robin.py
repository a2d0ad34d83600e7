"""Whoever asks for much keeps nobody else waiting for more than one part of it."""

import subprocess
import sys
import threading
import time

import pytest

from service.api.round_robin import RoundRobinLock

SOON = 10.0


def wait_until(turns: RoundRobinLock, waiting: int) -> None:
    ends = time.monotonic() + SOON
    while sum(map(len, turns._waiting.values())) < waiting:
        assert time.monotonic() < ends
        time.sleep(0.001)


def test_callers_take_turns_however_many_each_has_waiting() -> None:
    turns, served = RoundRobinLock(), list[str]()

    def ask(caller: str) -> None:
        with turns.turn(caller):
            served.append(caller)

    with turns.turn("greedy"):
        threads = []
        for number, caller in enumerate([*["greedy"] * 5, "honest", "honest"], 1):
            threads.append(threading.Thread(target=ask, args=(caller,)))
            threads[-1].start()
            wait_until(turns, number)
    for thread in threads:
        thread.join(SOON)
    assert served == ["greedy", "honest", "greedy", "honest", "greedy", "greedy", "greedy"]
    with turns.turn("greedy"):
        pass


def test_who_stops_waiting_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(_: threading.Event, timeout: float | None = None) -> bool:
        del timeout
        raise TimeoutError

    turns = RoundRobinLock()
    with turns.turn("first"):
        monkeypatch.setattr(threading.Event, "wait", give_up)
        with pytest.raises(TimeoutError), turns.turn("second"):
            pass
        monkeypatch.undo()
    with turns.turn("third"):
        pass


SLICES = """
from gevent import monkey
monkey.patch_all()
import gevent
from service.api.round_robin import pause_in_turn

slices, between = 0, []

def compute():
    global slices
    for _ in range(20):
        slices += 1
        pause_in_turn()

def short_requests():
    seen = slices
    while not all(each.dead for each in computations):
        gevent.sleep(1e-6)
        between.append(slices - seen)
        seen = slices

computations = [gevent.spawn(compute) for _ in range(30)]
gevent.sleep(0)  # each has begun
gevent.spawn(short_requests).join()
assert slices == 600
print(max(between))
"""


def test_short_requests_wait_for_few_slices_of_many_long_computations() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLICES], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) <= 3
