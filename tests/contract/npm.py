"""Runs tools from npm, pinned, where npm is there to fetch them."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest


def run_package(
    package: str, *command: str, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command of a pinned package; the test is skipped where npm cannot provide it."""
    if shutil.which("npm") is None:
        pytest.skip(f"npm is not installed: {package} did not run")
    if not _fetched(package):
        pytest.skip(f"npm could not fetch {package}")
    return subprocess.run(
        ["npm", "exec", "--yes", f"--package={package}", "--", *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
        cwd=cwd,
        env=os.environ | environment,
    )


@cache
def _fetched(package: str) -> bool:
    """Whether npm has the package, now or after fetching it."""
    trial = ["npm", "exec", "--yes", f"--package={package}", "--", "node", "--version"]
    return subprocess.run(trial, check=False, capture_output=True, timeout=100).returncode == 0
