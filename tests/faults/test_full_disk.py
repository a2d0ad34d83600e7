"""A disk that is really full: reads go on, writes get 503, and all is well once there is room.

The disk is a small one of the test's own, and the server's whole data folder lies on it.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.proxy import until
from tests.servers import QwirkleServer, words_of

DISK = "24m"
MANY_TIMES = 25
"""More often than a store may die in a row."""


@pytest.fixture
def disk(short_dir: Path) -> Iterator[Path]:
    """A folder that is a small disk of its own."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(short_dir)]
    linux = sys.platform == "linux"
    if not linux or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root on Linux may mount a disk of a given size")
    yield short_dir
    subprocess.run(["umount", "--lazy", str(short_dir)], check=True)


def fill(disk: Path) -> Path:
    """Fills the disk to its last byte with one file."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    return ballast


def store_of(server: QwirkleServer) -> psutil.Process:
    """The process of the embedded store."""
    children = psutil.Process(server.pid).children()
    return next(child for child in children if "valkey" in words_of(child))


@pytest.mark.parametrize("fsync", ["always", "everysec"])
def test_a_full_disk_stops_writes_but_neither_reads_nor_the_service(disk: Path, fsync: str) -> None:
    settings = {"QWIRKLE_EMBEDDED_FSYNC": fsync}
    with QwirkleServer(data_dir=disk, workers=1, environment=settings) as server:
        client = Client(server.base_url)
        table = in_play(client)
        before = table.look(0)
        ballast = fill(disk)
        made = created_until_refused(client)

        until(lambda: table.look(0).status == 200)
        for _ in range(MANY_TIMES):
            refused = client.post("/v1/games", {"seats": 2})
            refused.refused(503, "store_unavailable")
            assert refused.headers["retry-after"]
            assert table.look(0).ok(200).etag == before.etag
        assert server.process.poll() is None

        ballast.unlink()
        until(lambda: client.post("/v1/games", {"seats": 2}).status == 201)
        table.play(0, "rd@2,0").ok(201)
        store_of(server).kill()
        until(lambda: client.get("/readyz").status == 200)
        assert table.view()["version"] == before.json["version"] + 1
        for game in made:
            game.look().ok(200)


def created_until_refused(client: Client) -> list[Table]:
    """Games made until the disk is full to the store as well."""
    made = []
    while (answer := client.post("/v1/games", {"seats": 2})).status == 201:
        made.append(Table.of(client, answer))
    answer.refused(503, "store_unavailable")
    return made
