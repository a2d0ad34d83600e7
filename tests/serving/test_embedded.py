"""The embedded store is a real server whose data outlive it."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import redis

from service.store.child_process import ChildProcess
from service.store.embedded import MAX_SOCKET_PATH, EmbeddedStore, EmbeddedStoreError


def test_it_answers_when_started_and_not_when_stopped(short_dir: Path) -> None:
    store = EmbeddedStore(short_dir / "answers")
    client = redis.Redis.from_url(store.url)
    with store:
        assert client.ping()
    with pytest.raises(redis.ConnectionError):
        client.ping()


def test_it_keeps_an_append_only_file_and_never_evicts(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "config", fsync="always") as store:
        client = redis.Redis.from_url(store.url, decode_responses=True)
        wanted = {
            "appendonly": "yes",
            "appendfsync": "always",
            "save": "",
            "port": "0",
            "maxmemory-policy": "noeviction",
        }
        assert client.config_get(*wanted) == wanted


def test_its_data_survive_a_clean_stop(short_dir: Path) -> None:
    store = EmbeddedStore(short_dir / "stop")
    for expected in (None, b"red-circle"):
        with store:
            client = redis.Redis.from_url(store.url)
            assert client.get("tile") == expected
            client.set("tile", "red-circle")


def test_its_data_survive_a_kill_at_the_same_address(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "kill") as store:
        client, url = redis.Redis.from_url(store.url), store.url
        client.set("tile", "red-circle")
        os.kill(store.child.pid, signal.SIGKILL)
        store.child.wait()

        store.start()

        assert store.url == url
        assert client.get("tile") == b"red-circle"


def test_its_files_are_for_its_owner_alone(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "private") as store:
        redis.Redis.from_url(store.url).set("tile", "red-circle")
        modes = {stat.S_IMODE(path.stat().st_mode) for path in store.data_dir.rglob("*")}
        modes.add(stat.S_IMODE(store.data_dir.stat().st_mode))

    assert not any(mode & 0o077 for mode in modes)


def test_a_folder_has_one_store_at_a_time(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "one") as first:
        second = EmbeddedStore(short_dir / "one")
        with pytest.raises(EmbeddedStoreError, match="in use by another Qwirkle server"):
            second.start()
        second.stop()
        assert first.ready()
    EmbeddedStore(short_dir / "one").start().stop()


def test_a_deep_folder_gets_a_short_socket_elsewhere(short_dir: Path) -> None:
    deep = short_dir / ("deep" * 30)
    with EmbeddedStore(deep) as store:
        path = Path(store.url.removeprefix("unix://").removesuffix("?db=0"))
        assert len(os.fsencode(path)) <= MAX_SOCKET_PATH
        assert redis.Redis.from_url(store.url).ping()
        assert (deep / "appendonlydir").is_dir()
    assert not path.parent.exists()


def test_a_folder_name_may_hold_spaces_and_accents(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "Zoë's tiles") as store:
        assert redis.Redis.from_url(store.url).ping()


def test_a_folder_that_cannot_be_made_is_named(short_dir: Path) -> None:
    (short_dir / "file").touch()

    with pytest.raises(EmbeddedStoreError, match="file/folder cannot be used: Not a directory"):
        EmbeddedStore(short_dir / "file" / "folder").start()


def test_a_server_that_ends_at_once_leaves_its_last_words(short_dir: Path) -> None:
    with EmbeddedStore(short_dir / "damaged") as store:
        redis.Redis.from_url(store.url).set("tile", "red-circle")
    for manifest in (short_dir / "damaged").glob("appendonlydir/*.manifest"):
        manifest.write_text("nonsense\n")

    with pytest.raises(EmbeddedStoreError, match="its log says"):
        EmbeddedStore(short_dir / "damaged").start()


@pytest.mark.parametrize("guarded", [False, True])
def test_a_child_ends_with_the_process_that_started_it(guarded: bool) -> None:
    if not guarded and sys.platform != "linux":
        pytest.skip("the kernel offers this on Linux only")
    program = (
        "from service.store.child_process import ChildProcess\n"
        f"child = ChildProcess(['/bin/sleep', '600'], guarded={guarded})\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))

    parent.kill()
    parent.wait()
    parent.stdout.close()

    gone, alive = psutil.wait_procs([child], timeout=60)
    assert gone
    assert not alive


def test_a_guarded_child_that_ended_is_guarded_no_more() -> None:
    before = psutil.Process().children()
    child = ChildProcess(["/bin/sleep", "600"], guarded=True)

    child.stop(5)

    assert psutil.Process().children() == before
