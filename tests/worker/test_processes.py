"""Workers as real processes: under `qwirkle serve`, alone, and killed."""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis

from service.store import keys
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table, client_of
from tests.proxy import until
from tests.servers import COMMAND, QwirkleServer, environment_for
from tests.worker.conftest import Launch, allowing
from tests.worker.local_games import House
from tests.worker.webhook_receiver import Receiver


class Probes:
    """The port of a worker of its own."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.settings = {"QWIRKLE_METRICS_PORT": str(self.port)}

    def get(self, path: str) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as got:
                return got.status, got.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()

    def ready(self) -> bool:
        """Whether it is ready, and counted as present accordingly."""
        status, _ = self.get("/readyz")
        present = b'qwirkle_processes{kind="worker"} 1.0' in self.get("/metrics")[1]
        return (status, present) == (200, True)

    def cut_off(self) -> bool:
        status, _ = self.get("/readyz")
        absent = b'qwirkle_processes{kind="worker"} 0.0' in self.get("/metrics")[1]
        return (status, absent) == (503, True)


def test_a_worker_is_ready_and_counted_while_it_reaches_its_store(
    launch: Launch, short_dir: Path
) -> None:
    probes = Probes()
    store = EmbeddedStore(short_dir / "store")
    launch(store, QWIRKLE_STORE_TIMEOUT="0.5", **probes.settings)
    until(lambda: probes.get("/livez")[0] == 200)
    assert probes.cut_off()
    _, text = probes.get("/metrics")
    assert b'qwirkle_store_failures_total{reason="TimeoutError"} 0.0' in text
    with store:
        until(probes.ready)
        os.kill(store.child.pid, signal.SIGSTOP)
        until(probes.cut_off)
        assert probes.get("/livez")[0] == 200
        os.kill(store.child.pid, signal.SIGCONT)
        until(probes.ready)


def worker_of(server: QwirkleServer) -> psutil.Process | None:
    """The worker among the server's children, once it is one."""
    for child in psutil.Process(server.pid).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if "service.worker.main" in child.cmdline():
                return child
    return None


def created(client: Client, **choices: Any) -> Table:
    made = client.post("/v1/games", {"auto_bid": True, **choices}).ok(201)
    return Table.of(client, made)


@pytest.fixture
def server(receiver: Receiver) -> Iterator[QwirkleServer]:
    """One with its own store, which sends to the receiver."""
    with QwirkleServer(workers=1, environment=allowing(receiver)) as server:
        yield server


def test_serve_tells_of_a_deadline_that_nobody_asked_for(
    server: QwirkleServer, receiver: Receiver
) -> None:
    client = client_of(server)
    players = [{"name": "Ada"}, {"name": "Ben"}]
    table = created(client, players=players, turn_seconds=10, webhook_url=receiver.url)
    secret = table.created["webhook_secret"]
    assert table.created["game"]["host"]["webhook_secret"] == secret
    assert table.created["game"]["host"]["webhook_url"] == receiver.url
    began = time.monotonic()
    table.deal().ok(200)
    first = receiver.next(patience=60)
    old = worker_of(server)
    assert old is not None
    old.kill()
    until(lambda: (new := worker_of(server)) is not None and new.pid != old.pid, timeout=60)

    second = receiver.next(patience=60)  # nobody has asked for anything meanwhile

    assert time.monotonic() - began > 9.5
    assert first.data["version"] == 2
    assert (second.data["version"], second.data["event"]) == (3, "played")
    assert first.signed_with(secret)
    assert second.signed_with(secret)
    assert "The worker died (SIGKILL) and is started again." in server.errors


def test_bots_play_a_whole_game_though_nobody_asks(
    server: QwirkleServer, receiver: Receiver
) -> None:
    client = client_of(server)
    players = [{"name": "Ada", "bot": "greedy"}, {"name": "Ben", "bot": "random"}]
    created(client, players=players, webhook_url=receiver.url).deal().ok(200)

    told = [receiver.next()]
    while told[-1].json["type"] != "game.ended":
        told.append(receiver.next())

    assert [each.data["version"] for each in told] == list(range(2, len(told) + 2))
    assert told[-1].data["winners"]


def test_a_webhook_needs_a_host_that_the_operator_named(server: QwirkleServer) -> None:
    for url in ("https://hooks.example.org/", "http://127.0.0.2/", "https://127.0.0.1/#x"):
        refused = client_of(server).post("/v1/games", {"seats": 2, "webhook_url": url})
        refused.refused(400, "malformed_request")
        assert [error["pointer"] for error in refused.json["errors"]] == ["/webhook_url"]


def test_what_a_killed_worker_was_sending_another_one_sends(
    house: House, work_store: EmbeddedStore, launch: Launch, receiver: Receiver
) -> None:
    receiver.answers = [receiver.hang]
    first = launch(work_store)
    id_ = house.dealt(webhook_url=receiver.url)
    lost = receiver.next()
    first.send_signal(signal.SIGKILL)
    first.wait()
    receiver.released.set()
    with redis.Redis.from_url(work_store.url) as store:
        (pending,) = store.xpending_range(keys.WEBHOOKS, "workers", "-", "+", 10)
        # As if the half minute after which it counts as left were over.
        store.xclaim(
            keys.WEBHOOKS, "workers", pending["consumer"], 0, [pending["message_id"]], idle=60_000
        )

    launch(work_store)

    again = receiver.next()
    assert (again.id, again.body) == (lost.id, lost.body)
    assert again.data["game_id"] == id_


def test_a_worker_told_to_stop_finishes_what_it_is_sending(
    house: House, work_store: EmbeddedStore, launch: Launch, receiver: Receiver
) -> None:
    receiver.answers = [receiver.hang]
    worker = launch(work_store)
    house.dealt(webhook_url=receiver.url)
    receiver.next()
    worker.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(0.5)

    receiver.released.set()

    assert worker.wait(15) == 0


def test_a_worker_outlives_its_store(
    short_dir: Path, launch: Launch, tmp_path: Path, receiver: Receiver
) -> None:
    store = EmbeddedStore(short_dir / "comes-and-goes")
    with store:
        worker = launch(store)
        os.kill(store.child.pid, signal.SIGKILL)
        until(lambda: store.child.poll() is not None)
        store.launch()
        until(store.ready)
        with House(store.url, tmp_path) as house:
            house.dealt(webhook_url=receiver.url)
            assert receiver.next().data["version"] == 2
        assert worker.poll() is None


def test_a_worker_without_a_store_says_what_it_needs(tmp_path: Path) -> None:
    ended = subprocess.run(
        [str(COMMAND), "worker"],
        env=environment_for(QWIRKLE_DATA_DIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith("qwirkle: QWIRKLE_REDIS_URL must name")
    assert ended.stderr.count("\n") == 1
