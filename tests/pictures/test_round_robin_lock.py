"""Whoever asks for many pictures keeps nobody else waiting for more than one of them."""

import threading
import time

import pytest

from service.images.round_robin_lock import RoundRobinLock

SOON = 10.0


def wait_until(turns: RoundRobinLock, waiting: int) -> None:
    ends = time.monotonic() + SOON
    while len(turns._waiting) < waiting:
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
    def give_up(_: threading.Condition, timeout: float | None = None) -> bool:
        del timeout
        raise TimeoutError

    turns = RoundRobinLock()
    with turns.turn("first"):
        monkeypatch.setattr(threading.Condition, "wait", give_up)
        with pytest.raises(TimeoutError), turns.turn("second"):
            pass
        monkeypatch.undo()
    with turns.turn("third"):
        pass
