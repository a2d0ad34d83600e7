"""The app of docs/apps.md is run as it is written, and a type checker accepts it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.clients.app_page import api_keys, check_evening, program
from tests.servers import QwirkleServer


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_app_and_its_back_end(
    start_qwirkle: Callable[..., QwirkleServer], tmp_path: Path
) -> None:
    server = start_qwirkle(workers=2, QWIRKLE_API_KEYS=api_keys())
    (tmp_path / "app.py").write_text(program("python", server.base_url), "utf-8")
    check_evening(run("app.py", cwd=tmp_path).splitlines())
    run("-m", "mypy", "--strict", "--no-incremental", "app.py", cwd=tmp_path)
