"""A real `qwirkle serve` process and what a test may ask of it."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Self

import psutil

from tests import secrecy

COMMAND = Path(sys.executable).with_name("qwirkle")
READY = re.compile(r"Qwirkle is serving on (http://\S+) \(store: (.+)\)\n")
START_SECONDS = 60

NewDir = Callable[[], Path]

SHARED = {
    "QWIRKLE_SECRET": "of-all-servers-that-share-a-store",
    # All tests are guests from one address.
    "QWIRKLE_ANONYMOUS_BOT_TABLES": "1000000",
    "QWIRKLE_ANONYMOUS_BOT_TABLES_PER_ADDRESS": "1000000",
    "QWIRKLE_RATE_JOIN_CODES": "1000000/second",
}
"""Settings of servers that many tests use at a time."""


def environment_for(**settings: str) -> dict[str, str]:
    """The environment without the caller's own settings, with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QWIRKLE_")}
    return kept | settings


def words_of(process: psutil.Process) -> str:
    """What it was called with, or the title it has taken; nothing if it has just ended."""
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


def is_web_server(process: psutil.Process) -> bool:
    """Whether it is gunicorn's master, which takes a title of its own where it can."""
    words = words_of(process)
    return "service.server.gunicorn_app" in words or words.startswith("gunicorn: master")


class QwirkleServer:
    """One service on a free port; its folder is made for it and removed unless given."""

    def __init__(
        self,
        *,
        redis_url: str | None = None,
        data_dir: Path | None = None,
        workers: int = 3,
        environment: dict[str, str] | None = None,
        command: Path = COMMAND,
        cwd: Path | None = None,
    ) -> None:
        self._own_dir = None if data_dir else Path(tempfile.mkdtemp(prefix="qw-"))
        self.data_dir = data_dir or self._own_dir or Path()
        self._command = [str(command), "serve", "--port", "0", "--workers", str(workers)]
        self._environment = environment_for(
            QWIRKLE_DATA_DIR=str(self.data_dir),
            **({"QWIRKLE_REDIS_URL": redis_url} if redis_url else {}),
            **(environment or {}),
        )
        self._cwd = cwd
        self._given_url = redis_url
        self._process: subprocess.Popen[str] | None = None
        self.base_url = ""
        self.announcement = ""

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None, "not started"
        return self._process

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def redis_url(self) -> str:
        return self._given_url or f"unix://{self.data_dir}/store.sock?db=0"

    @property
    def errors(self) -> str:
        """What it has written to its standard error so far."""
        return (self.data_dir / "stderr").read_text()

    @property
    def output(self) -> str:
        """What it has written to its standard output so far: lines of JSON."""
        return (self.data_dir / "stdout").read_text()

    @property
    def warnings(self) -> list[str]:
        """The messages of what it has logged to its standard error so far."""
        return [json.loads(line)["message"] for line in self.errors.splitlines()]

    def start(self) -> Self:
        said = len(self.output) if (self.data_dir / "stdout").exists() else 0
        with (
            (self.data_dir / "stdout").open("a") as output,
            (self.data_dir / "stderr").open("a") as errors,
        ):
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                cwd=self._cwd,
                stdout=output,
                stderr=errors,
                text=True,
                # A group of its own, so that nothing of it can outlive the test.
                start_new_session=True,
            )
        self.announcement, self.base_url = self._announced(said)
        return self

    def _announced(self, said: int) -> tuple[str, str]:
        """Where it serves, once it says so after the first ``said`` characters of its output."""
        ends = time.monotonic() + START_SECONDS
        while time.monotonic() < ends:
            code = self.process.poll()
            for line in self.output[said:].splitlines(keepends=True):
                if line.endswith("\n") and "message" in (told := json.loads(line)):
                    ready = READY.fullmatch(told["message"] + "\n")
                    if ready is not None:
                        return ready[0], ready[1]
            if code is not None:
                raise AssertionError(f"qwirkle serve ended with {code}:\n{self.errors}")
            time.sleep(0.01)
        raise AssertionError(f"qwirkle serve does not answer:\n{self.errors}")

    def stop(self, patience: float = 45) -> int:
        """Asks it to stop, waits, and returns its exit code."""
        self.process.terminate()
        return self.process.wait(patience)

    def kill(self) -> None:
        """Kills the supervisor alone, with no chance to clear up."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Ends it by whatever means and removes its folder."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._keep_silence()
        if self._own_dir is not None:
            shutil.rmtree(self._own_dir, ignore_errors=True)

    def _keep_silence(self) -> None:
        """Nothing secret may stand in a line that it, or its store, has written."""
        said = self.errors + self.output
        log = self.data_dir / "store.log"
        said += log.read_text(errors="replace") if log.is_file() else ""
        secrets = secrecy.known_to(self.data_dir, self._environment)
        told = secrecy.found_in(said, secrets)
        assert not told, f"{len(told)} secrets stand in what a server wrote: {told[0][:8]}..."

    def get(self, path: str, timeout: float = 15) -> tuple[int, bytes]:
        """A plain GET over a connection of its own."""
        with urllib.request.urlopen(self.base_url + path, timeout=timeout) as answer:
            return answer.status, answer.read()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()
