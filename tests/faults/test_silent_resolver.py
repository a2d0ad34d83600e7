"""A name server that never answers costs no request more than the store's time limit."""

import os
import shutil
import socket
import subprocess
import time
import urllib.error
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import randbelow

import pytest

from tests.servers import COMMAND, QwirkleServer

SECONDS = 5
"""The system's resolver gives up after this at the earliest, and tries again."""


@pytest.fixture
def command(short_dir: Path) -> Iterator[Path]:
    """`qwirkle` on a machine whose only name server is silent."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("only root on Linux can give a process another /etc/resolv.conf")
    # An address for each test: others may run at the same time.
    name_server = f"127.{2 + randbelow(250)}.{randbelow(256)}.{1 + randbelow(254)}"
    settings = short_dir / "resolv.conf"
    settings.write_text(f"nameserver {name_server}\noptions timeout:{SECONDS} attempts:2\n")
    script = short_dir / "qwirkle"
    mount = f"mount --bind {settings} /etc/resolv.conf"
    script.write_text(f'#!/bin/sh\nexec unshare --mount sh -c \'{mount} && exec "$0" "$@"\' ')
    with script.open("a") as file:
        file.write(f'{COMMAND} "$@"\n')
    script.chmod(0o755)
    tried = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mount], capture_output=True, text=True, check=False
    )
    if tried.returncode:
        pytest.skip(f"this machine lets nobody mount a file: {tried.stderr.strip()}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((name_server, 53))
        yield script


@pytest.mark.parametrize("kind", ["redis", "rediss", "redis+cluster", "redis+sentinel"])
def test_requests_are_refused_in_time_when_no_name_can_be_looked_up(
    command: Path, kind: str
) -> None:
    path = "/name" if kind.endswith("sentinel") else ""
    url = f"{kind}://store.example.org:6379{path}"
    settings = {"QWIRKLE_STORE_TIMEOUT": "1", "QWIRKLE_SERVE_WORKER": "no"}
    with (
        QwirkleServer(command=command, redis_url=url, workers=1, environment=settings) as server,
        ThreadPoolExecutor(60) as callers,
    ):

        def took(_: int) -> float:
            began = time.monotonic()
            with pytest.raises(urllib.error.HTTPError) as refused:
                server.get("/v1/games/" + "a" * 26)
            assert refused.value.code == 503
            return time.monotonic() - began

        assert max(callers.map(took, range(60))) < SECONDS
