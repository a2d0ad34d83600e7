"""`qwirkle engine` as a program that somebody talks to."""

import json
import subprocess
from typing import Any, Self

from tests.servers import COMMAND


class EngineProcess:
    """An engine that runs until the end of the block."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [str(COMMAND), "engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def ask_raw(self, line: bytes) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().decode()

    def ask(self, command: str, **members: object) -> Any:
        return json.loads(self.ask_raw(json.dumps({"command": command, **members}).encode()))

    def send_all_then_read(self, lines: bytes, count: int) -> list[bytes]:
        """So many answers, none of which is read before all lines are sent."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(lines)
        self._process.stdin.flush()
        return [self._process.stdout.readline() for _ in range(count)]


def talk(given: bytes) -> tuple[list[Any], int, bytes]:
    """All answers to these bytes, the exit code, and what was written as errors."""
    ran = subprocess.run(
        [str(COMMAND), "engine"], input=given, capture_output=True, timeout=60, check=False
    )
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.returncode, ran.stderr
