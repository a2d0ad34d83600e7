"""Tries the mutants that mutmut has made, several at a time.

mutmut would load and collect all tests anew for each of them, which takes longer than to run
them. Here they are collected once; each mutant gets a forked process, and first of all the
tests that have noticed others of the same function or module. Those that were noticed before
are not tried again (mutmut forgets them when their function changes).

    python tests/mutants/run.py JOBS SECONDS

asks only tests that take no longer than SECONDS: a first round without the few long ones
leaves little for a second round with all of them.
"""

import json
import os
import resource
import signal
import sys
import time
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "mutants"
SURVIVED, NOTICED, UNTOUCHED, TIMEOUT = 0, 1, 33, 36
PATIENCE = 10.0, 20.0
"""Seconds of CPU that a test may take in any case, and so many times what it takes without."""

LONGEST = 1200
WHERE = "MUTANT_UNDER_TEST"
OPTIONS = ["-q", "-x", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"]


@dataclass(frozen=True)
class Mutant:
    """One changed place, by the name that mutmut has given it."""

    name: str
    meta: Path

    @property
    def function(self) -> str:
        return self.name.partition("__mutmut_")[0]

    @property
    def module(self) -> str:
        return self.name.rpartition(".")[0]


def untried() -> list[Mutant]:
    """Those of which nothing is known, then those that the tests of then did not notice."""
    found: dict[bool, list[Mutant]] = {True: [], False: []}
    for meta in sorted((FOLDER / "service" / "rules").rglob("*.py.meta")):
        for name, code in json.loads(meta.read_text())["exit_code_by_key"].items():
            if code in (None, SURVIVED, UNTOUCHED):
                found[code is None].append(Mutant(name, meta))
    return found[True] + found[False]


def note(mutant: Mutant, code: int) -> None:
    kept = json.loads(mutant.meta.read_text())
    kept["exit_code_by_key"][mutant.name] = code
    mutant.meta.write_text(json.dumps(kept, indent=4))


class Trials:
    """Runs in the place of pytest's own loop, when everything is collected."""

    def __init__(self, jobs: int, most_seconds: float) -> None:
        self._jobs = jobs
        self._most_seconds = most_seconds
        known = json.loads((FOLDER / "mutmut-stats.json").read_text())
        self._touching = known["tests_by_mangled_function_name"]
        self._seconds = known["duration_by_test"]
        self._noticing: dict[str, Counter[int]] = defaultdict(Counter)
        self._running: dict[int, tuple[Mutant, int, float]] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        mutants = untried()
        for number, mutant in enumerate(mutants):
            items = self._items(mutant, session.items)
            if not items:
                note(mutant, UNTOUCHED)
                continue
            while len(self._running) >= self._jobs:
                self._reap()
            self._begin(mutant, items, session)
            print(f"\r{number + 1} of {len(mutants)} ", end="", flush=True)
        while self._running:
            self._reap()
        return True

    def _items(self, mutant: Mutant, collected: list[pytest.Item]) -> list[int]:
        """Where the tests stand that touch its function: the likely ones first, then the quick.

        Of a test that is new since mutmut looked nobody knows what it touches: it is asked too.
        """
        touching = set(self._touching.get(mutant.function, ()))
        seconds = {
            at: self._seconds.get(item.nodeid, 0.0)
            for at, item in enumerate(collected)
            if item.nodeid in touching or item.nodeid not in self._seconds
        }
        of_function, of_module = self._noticing[mutant.function], self._noticing[mutant.module]
        quick = [at for at in seconds if seconds[at] <= self._most_seconds]
        return sorted(quick, key=lambda at: (-of_function[at], -of_module[at], seconds[at]))

    def _begin(self, mutant: Mutant, items: list[int], session: pytest.Session) -> None:
        ear, mouth = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            os.close(mouth)
            self._running[pid] = mutant, ear, time.monotonic()
            return
        os.close(ear)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.environ[WHERE] = mutant.name
        for at in items:
            item = session.items[at]
            _allow(self._seconds.get(item.nodeid, 0.0))
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed:
                os.write(mouth, str(at).encode())
                os._exit(NOTICED)
        os._exit(SURVIVED)

    def _reap(self) -> None:
        """Wait until one has ended, or end one that does not come to an end."""
        for pid, (mutant, ear, began) in list(self._running.items()):
            if time.monotonic() - began > LONGEST:
                os.kill(pid, signal.SIGKILL)
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                continue
            del self._running[pid]
            noticing = os.read(ear, 20)
            os.close(ear)
            if noticing:
                for place in (mutant.function, mutant.module):
                    self._noticing[place][int(noticing)] += 1
            code = os.waitstatus_to_exitcode(status)
            note(mutant, TIMEOUT if code < 0 else code)
            return
        time.sleep(0.005)


def _allow(seconds: float) -> None:
    """Have the process end if a test takes many times what it takes otherwise."""
    least, times = PATIENCE
    used = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + least + times * seconds) + 1, -1))


def selection() -> list[str]:
    """The tests that mutmut was told to run."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    chosen: list[str] = settings["pytest_add_cli_args_test_selection"]
    return chosen


def main() -> int:
    os.chdir(FOLDER)
    sys.path.insert(0, str(FOLDER))
    os.environ[WHERE] = ""
    jobs, seconds = sys.argv[1:]
    trials = Trials(int(jobs), float(seconds))
    return int(pytest.main([*OPTIONS, *selection()], plugins=[trials]))


if __name__ == "__main__":
    sys.exit(main())
