"""A child is started again when it dies, unless it keeps dying."""

import time

import pytest

from service.server.managed_process import Child, KeepsDying
from service.store.child_process import ChildProcess


def wait_for_its_end(child: Child) -> None:
    assert child.running is not None
    child.running.process.wait(10)


def test_the_first_death_is_followed_by_a_start_at_once() -> None:
    child = Child("The sleeper", lambda: ChildProcess(["/bin/sleep", "600"]), patience=5)
    child.start()
    assert child.running is not None
    first = child.running
    assert child.tend() is None
    first.process.kill()
    wait_for_its_end(child)

    code = child.tend()

    assert code == -9
    assert child.running is not None
    assert child.running.pid != first.pid
    child.running.stop(5)


def test_further_deaths_are_followed_by_longer_pauses() -> None:
    child = Child("The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), patience=5)
    child.start()
    pauses = []
    for _ in range(3):
        wait_for_its_end(child)
        assert child.tend() == 7
        pause = child.pause()
        pauses.append(pause or 0.0)
        if pause is not None:
            assert child.running is None
            time.sleep(pause)  # the pause itself is what is tested
            child.tend()
    wait_for_its_end(child)

    assert pauses == sorted(pauses)
    assert pauses[0] == 0.0
    assert 0.1 < pauses[2] <= 0.2


def test_five_deaths_in_ten_seconds_are_enough() -> None:
    child = Child("The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), patience=5)

    child.start()
    for _ in range(4):
        wait_for_its_end(child)
        child.tend()
        if child.running is None:
            child.start()
    wait_for_its_end(child)

    with pytest.raises(KeepsDying, match="The brief one died 5 times within 10 seconds"):
        child.tend()
