"""A child is started again when it dies, unless it keeps dying."""

import time

import pytest

from service.server.managed_process import KeepsDying, ManagedProcess
from service.store.child_process import ChildProcess


def wait_for_exit(child: ManagedProcess) -> None:
    assert child.running is not None
    child.running.process.wait(10)


def test_the_first_death_is_followed_by_a_start_at_once() -> None:
    child = ManagedProcess(
        "The sleeper", lambda: ChildProcess(["/bin/sleep", "600"]), stop_timeout=5
    )
    child.start()
    assert child.running is not None
    first = child.running
    assert child.check() is None
    first.process.kill()
    wait_for_exit(child)

    code = child.check()

    assert code == -9
    assert child.running is not None
    assert child.running.pid != first.pid
    child.running.stop(5)


def test_further_deaths_are_followed_by_longer_pauses() -> None:
    child = ManagedProcess(
        "The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), stop_timeout=5
    )
    child.start()
    pauses = []
    for _ in range(3):
        wait_for_exit(child)
        assert child.check() == 7
        pause = child.restart_delay()
        pauses.append(pause or 0.0)
        if pause is not None:
            assert child.running is None
            time.sleep(pause)  # the pause itself is what is tested
            child.check()
    wait_for_exit(child)

    assert pauses == sorted(pauses)
    assert pauses[0] == 0.0
    assert 0.1 < pauses[2] <= 0.2


def test_five_deaths_in_ten_seconds_are_enough() -> None:
    child = ManagedProcess(
        "The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), stop_timeout=5
    )

    child.start()
    for _ in range(4):
        wait_for_exit(child)
        child.check()
        if child.running is None:
            child.start()
    wait_for_exit(child)

    with pytest.raises(KeepsDying, match="The brief one died 5 times within 10 seconds"):
        child.check()
