"""`qwirkle serve` on real processes: starting, stopping, and every way to lose a part of it."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import redis

from tests.servers import COMMAND, QwirkleServer, environment_for, is_web_server

Start = Callable[..., QwirkleServer]


def family(server: QwirkleServer) -> dict[str, list[psutil.Process]]:
    """The server's processes by what they do."""
    supervisor = psutil.Process(server.pid)
    children = supervisor.children()
    masters = [child for child in children if is_web_server(child)]
    helpers = [child for child in children if "service.worker.main" in child.cmdline()]
    return {
        "store": [child for child in children if child not in masters + helpers],
        "helper": helpers,
        "master": masters,
        "workers": [worker for master in masters for worker in master.children()],
    }


@pytest.fixture(scope="module")
def lasting() -> Iterator[QwirkleServer]:
    """One server for all tests after which it serves on, whatever they did to its parts."""
    with QwirkleServer(workers=2) as server:
        yield server


@pytest.fixture
def server(lasting: QwirkleServer) -> QwirkleServer:
    """The lasting server with all its parts in place."""
    eventually(lambda: [len(each) for each in family(lasting).values()] == [1, 1, 1, 2])
    return lasting


def eventually(promise: Callable[[], object], patience: float = 60) -> None:
    """Waits for what no event announces."""
    deadline = time.monotonic() + patience
    while not promise():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)


def refusal(data_dir: Path, *arguments: str, **settings: str) -> str:
    """The one line with which serve refuses to begin."""
    ended = subprocess.run(
        [str(COMMAND), "serve", "--data-dir", str(data_dir), *arguments],
        env=environment_for(**settings),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("qwirkle: ")
    assert ended.stderr.count("\n") == 1
    return ended.stderr


def test_it_says_where_it_serves_once_it_answers(server: QwirkleServer) -> None:
    assert server.announcement.endswith(f"(store: embedded in {server.data_dir})\n")
    assert server.get("/livez")[0] == 200


def test_an_outside_store_is_named_without_its_password(start_qwirkle: Start) -> None:
    server = start_qwirkle(redis_url="redis://ada:hunter2@127.0.0.1:1/3", workers=1)

    assert server.announcement.endswith("(store: redis://127.0.0.1:1/3)\n")
    assert not family(server)["store"]


def test_all_its_processes_are_of_one_group(server: QwirkleServer) -> None:
    everyone = psutil.Process(server.pid).children(recursive=True)

    assert len(everyone) == 1 + 1 + 1 + 2
    assert {os.getpgid(process.pid) for process in everyone} == {os.getpgid(server.pid)}


def test_a_stop_ends_everything_with_code_zero(start_qwirkle: Start) -> None:
    server = start_qwirkle(workers=1)
    everyone = psutil.Process(server.pid).children(recursive=True)

    assert server.stop() == 0

    assert not [process for process in everyone if process.is_running()]
    assert server.errors == ""


def test_ctrl_c_in_a_terminal_stops_as_cleanly(start_qwirkle: Start) -> None:
    server = start_qwirkle(workers=1)
    everyone = psutil.Process(server.pid).children(recursive=True)

    os.killpg(server.pid, signal.SIGINT)  # a terminal sends it to the whole group

    assert server.process.wait(45) == 0
    assert not [process for process in everyone if process.is_running()]
    assert server.errors == ""


def test_what_is_stored_survives_a_stop_and_a_start(start_qwirkle: Start, short_dir: Path) -> None:
    first = start_qwirkle(data_dir=short_dir, workers=1)
    redis.Redis.from_url(first.redis_url).set("tile", "red-circle")
    secret = (short_dir / "secret").read_text()
    assert first.stop() == 0

    second = start_qwirkle(data_dir=short_dir, workers=1)

    assert redis.Redis.from_url(second.redis_url).get("tile") == b"red-circle"
    assert (short_dir / "secret").read_text() == secret


def test_a_second_server_on_the_same_folder_is_refused(server: QwirkleServer) -> None:
    line = refusal(server.data_dir, "--port", "0")

    assert line.endswith(f"{server.data_dir} is in use by another Qwirkle server.\n")
    assert redis.Redis.from_url(server.redis_url).ping()


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refusal(tmp_path, "--port", str(port))

    assert f"Cannot listen on 127.0.0.1 port {port}: address already in use." in line


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    line = refusal(tmp_path / "file" / "folder", "--port", "0")

    assert "file/folder/secret cannot be made or read: Not a directory." in line


def test_a_wrong_setting_is_refused(tmp_path: Path) -> None:
    assert "QWIRKLE_PORT must be a whole number" in refusal(tmp_path, "--port", "many")
    assert "QWIRKLE_LOG_LEVEL must be" in refusal(tmp_path, QWIRKLE_LOG_LEVEL="loud")


def test_a_killed_store_comes_back_with_its_data(server: QwirkleServer) -> None:
    client = redis.Redis.from_url(server.redis_url)
    client.set("tile", "red-circle")
    warned = len(server.warnings)
    [store] = family(server)["store"]

    store.kill()
    psutil.wait_procs([store], timeout=60)

    def back() -> bool:
        try:
            return bool(client.get("tile") == b"red-circle")
        except redis.RedisError:
            return False

    eventually(back)
    assert server.get("/livez")[0] == 200
    assert "The embedded store died (SIGKILL) and is started again." in server.warnings[warned:]


def test_a_killed_worker_is_replaced(server: QwirkleServer) -> None:
    victim = family(server)["workers"][0]

    victim.kill()
    psutil.wait_procs([victim], timeout=60)

    eventually(lambda: len(set(family(server)["workers"]) - {victim}) == 2)
    assert server.get("/livez")[0] == 200


def test_a_killed_web_server_is_back_without_a_refused_connection(server: QwirkleServer) -> None:
    warned = len(server.warnings)
    [master] = family(server)["master"]
    workers = family(server)["workers"]

    master.kill()

    # The supervisor holds the listening socket, so a visitor waits instead of being refused.
    psutil.wait_procs([master, *workers], timeout=60)
    assert server.get("/livez")[0] == 200
    assert "The web server died (SIGKILL) and is started again." in server.warnings[warned:]


def test_a_killed_supervisor_leaves_no_orphan(start_qwirkle: Start) -> None:
    server = start_qwirkle(workers=1)
    everyone = psutil.Process(server.pid).children(recursive=True)
    eventually(lambda: family(server)["helper"])
    metrics = Path(family(server)["helper"][0].environ()["PROMETHEUS_MULTIPROC_DIR"])
    assert metrics.is_dir()

    server.kill()

    _, alive = psutil.wait_procs(everyone, timeout=60)
    assert not alive
    assert not metrics.exists()
    # Nothing holds the folder any more either.
    server.start()
    assert server.get("/livez")[0] == 200


def test_a_hangup_replaces_the_workers_and_nothing_else(server: QwirkleServer) -> None:
    before = family(server)

    os.kill(server.pid, signal.SIGHUP)

    _, alive = psutil.wait_procs(before["workers"], timeout=60)
    assert not alive
    after = family(server)
    assert (after["store"], after["master"]) == (before["store"], before["master"])
    assert server.get("/livez")[0] == 200


def test_an_address_that_cannot_be_right_is_refused_without_its_password(tmp_path: Path) -> None:
    line = refusal(tmp_path, "--redis-url", "http://ada:hunter2@db/0")

    assert "QWIRKLE_REDIS_URL: " in line
    assert "redis://" in line
    assert "hunter2" not in line


def test_an_application_that_cannot_load_ends_the_server_and_its_store(tmp_path: Path) -> None:
    (tmp_path / "flask.py").write_text("raise RuntimeError('broken on purpose')\n")

    ended = subprocess.run(
        [str(COMMAND), "serve", "--port", "0", "--data-dir", str(tmp_path / "data")],
        env=environment_for(PYTHONPATH=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 1
    assert "broken on purpose" in ended.stderr
    assert json.loads(ended.stderr.splitlines()[-1])["message"] == "The web server could not start."
    assert not (tmp_path / "data" / "store.sock").exists()


@pytest.mark.parametrize("arguments", [[], ["serve", "--nonsense"], ["dance"]])
def test_a_command_that_is_not_known_is_explained(arguments: list[str]) -> None:
    ended = subprocess.run(
        [str(COMMAND), *arguments], capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: qwirkle")
