"""Runs tools from npm, pinned, where npm is there to fetch them."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest


def run_package(
    package: str, *command: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of a pinned package; the test is skipped where npm cannot provide it."""
    return subprocess.run(
        _by_npm(package, command),
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
        cwd=cwd,
        env=os.environ | environment,
    )


@contextmanager
def running_package(package: str, *command: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The same for a server, which writes to the log and ends with the block."""
    with log.open("w") as output:
        process = subprocess.Popen(
            _by_npm(package, command),
            stdout=output,
            stderr=output,
            start_new_session=True,  # npm does not pass on every signal
        )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def _by_npm(package: str, command: tuple[str, ...]) -> list[str]:
    if shutil.which("npm") is None:
        pytest.skip(f"npm is not installed: {package} did not run")
    if not _fetched(package):
        pytest.skip(f"npm could not fetch {package}")
    return ["npm", "exec", "--yes", f"--package={package}", "--", *command]


@cache
def _fetched(package: str) -> bool:
    """Whether npm has the package, now or after fetching it."""
    trial = ["npm", "exec", "--yes", f"--package={package}", "--", "node", "--version"]
    return subprocess.run(trial, check=False, capture_output=True, timeout=200).returncode == 0
