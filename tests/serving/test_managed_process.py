"""A child is started again when it dies, unless it keeps dying."""

import time

import pytest

from service.server.managed_process import KeepsDying, ManagedProcess
from service.store.child_process import ChildProcess


def wait_for_exit(managed: ManagedProcess) -> None:
    managed.child.wait(10)


def test_the_first_death_is_followed_by_a_start_at_once() -> None:
    managed = ManagedProcess(
        "The sleeper", lambda: ChildProcess(["/bin/sleep", "600"]), stop_timeout=5
    )
    first = managed.child
    assert managed.check() is None
    first.kill()
    wait_for_exit(managed)

    code = managed.check()

    assert code == -9
    assert managed.child.pid != first.pid
    managed.child.stop(5)


def test_further_deaths_are_followed_by_longer_pauses() -> None:
    managed = ManagedProcess(
        "The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), stop_timeout=5
    )
    pauses = []
    for _ in range(3):
        wait_for_exit(managed)
        assert managed.check() == 7
        pause = managed.restart_delay()
        pauses.append(pause or 0.0)
        if pause is not None:
            assert managed.ended()
            time.sleep(pause)  # the pause itself is what is tested
            managed.check()
    wait_for_exit(managed)

    assert pauses == sorted(pauses)
    assert pauses[0] == 0.0
    assert 0.1 < pauses[2] <= 0.2


def test_five_deaths_in_ten_seconds_are_enough() -> None:
    managed = ManagedProcess(
        "The brief one", lambda: ChildProcess(["/bin/sh", "-c", "exit 7"]), stop_timeout=5
    )
    for _ in range(4):
        wait_for_exit(managed)
        managed.check()
        if pause := managed.restart_delay():
            time.sleep(pause)
            managed.check()
    wait_for_exit(managed)

    with pytest.raises(KeepsDying, match="The brief one died 5 times within 10 seconds"):
        managed.check()
