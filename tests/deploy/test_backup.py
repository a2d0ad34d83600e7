"""Copies of the embedded store: taken while it serves, put back elsewhere, harmless if cut off."""

import io
import json
import os
import signal
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from service.cli import main
from service.store import keys
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table, client_of
from tests.api.positions import in_play
from tests.proxy import until
from tests.servers import COMMAND, NewDir, QwirkleServer, environment_for


@pytest.fixture(scope="module")
def server(new_dir: NewDir) -> Iterator[QwirkleServer]:
    with QwirkleServer(workers=1, data_dir=new_dir()) as server:
        yield server


@pytest.fixture
def client(server: QwirkleServer) -> Client:
    return client_of(server)


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process: its exit code, what it said, what it complained of."""

    def run(*words: str | Path, **settings: str) -> tuple[int, str, str]:
        with monkeypatch.context() as patched:
            for name in set(os.environ) - set(environment_for()):
                patched.delenv(name)
            for name, value in settings.items():
                patched.setenv(name, value)
            code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run


def refusal(answer: tuple[int, str, str]) -> str:
    assert answer[:2] == (2, "")
    return answer[2]


def seen(table: Table, client: Client) -> list[tuple[int, bytes, str]]:
    """Everything that everybody is shown of a game, with its ETags."""
    tokens = [None, table.host, *table.tokens]
    answers = [
        client.get(table.path(rest), token=token) for token in tokens for rest in ("", "/events")
    ]
    return [(answer.status, answer.body, answer.etag) for answer in answers]


def test_what_was_copied_while_it_served_goes_on_elsewhere(
    server: QwirkleServer, client: Client, short_dir: Path, run: Run
) -> None:
    table = in_play(client)
    renewed = table.act(0, "tokens").ok(201).json["token"]
    old, table.tokens[0] = table.tokens[0], renewed
    played = table.play(0, "rd@2,0", key="k").ok(201)
    before = seen(table, client)
    file = short_dir / "copy"
    code, said, wrong = run("backup", file, "--data-dir", server.data_dir)
    assert (code, said.count("\n"), wrong) == (0, 1, "")
    assert file.stat().st_mode & 0o777 == 0o600
    table.play(1, "rc@3,0").ok(201)  # the service goes on, and the copy does not know of it
    assert not list(server.data_dir.glob("*.rdb"))

    elsewhere = short_dir / "elsewhere"
    code, said, wrong = run("restore", file, QWIRKLE_DATA_DIR=str(elsewhere))
    assert (code, said.count("\n"), wrong) == (0, 1, "")
    assert (elsewhere / "secret").stat().st_mode & 0o777 == 0o600
    with QwirkleServer(workers=1, data_dir=elsewhere) as other:
        there = client_of(other)
        assert seen(table, there) == before
        there.get(table.path(), token=old).refused(401, "token_invalid")
        mine = Table(there, table.id, table.host, table.tokens)
        again = mine.play(0, "rd@2,0", key="k").ok(201)
        assert again.replayed
        assert again.body == played.body
        mine.play(1, "rc@3,0", match=mine.look(1).etag).ok(201)
        with redis.from_url(other.redis_url) as store:
            assert store.config_get("appendonly") == {"appendonly": "yes"}
        assert "is in use" in refusal(run("restore", file, "--data-dir", elsewhere))
        assert other.stop() == 0
    assert "holds a store already" in refusal(run("restore", file, "--data-dir", elsewhere))
    # Stopped, its store is copied just the same.
    assert run("backup", short_dir / "second", "--data-dir", elsewhere)[0] == 0


def test_a_copy_that_is_killed_in_the_middle_changes_nothing(
    server: QwirkleServer, client: Client, short_dir: Path, run: Run
) -> None:
    table = in_play(client)
    with redis.from_url(server.redis_url) as store:
        before = store.config_get("*")
        file = short_dir / "cut-off"
        # Slow enough to be met in the middle: microseconds for every key.
        store.config_set("rdb-key-save-delay", 300_000)
        taking = subprocess.Popen(
            [str(COMMAND), "backup", str(file)],
            env=environment_for(QWIRKLE_DATA_DIR=str(server.data_dir)),
        )
        until(lambda: bool(store.info("persistence")["rdb_bgsave_in_progress"]), 60)
        taking.send_signal(signal.SIGKILL)
        assert taking.wait(60) == -signal.SIGKILL
        store.config_set("rdb-key-save-delay", 0)

        assert not file.exists()
        assert store.config_get("*") == before
        table.play(0, "rd@2,0").ok(201)
        # A new one waits for the saving that is still under way, and has the newest move.
        assert run("backup", file, QWIRKLE_DATA_DIR=str(server.data_dir))[0] == 0
    elsewhere = short_dir / "after-a-kill"
    assert run("restore", file, "--data-dir", elsewhere)[0] == 0
    with EmbeddedStore(elsewhere) as other, redis.from_url(other.url) as store:
        assert store.llen(keys.log_key(table.id)) == 2


def test_what_cannot_be_copied_or_put_back_is_said(tmp_path: Path, run: Run) -> None:
    file, empty = tmp_path / "file", tmp_path / "empty"
    folder = ("--data-dir", empty)
    assert "no embedded store" in refusal(run("backup", file, *folder))
    assert "No such file" in refusal(run("restore", file, *folder))
    file.write_bytes(b"anything else")
    assert "not a backup of a store" in refusal(run("restore", file, *folder))
    assert not (empty / "appendonlydir").exists()
    outside = {"QWIRKLE_REDIS_URL": "redis://127.0.0.1:1/0"}
    assert "outside store" in refusal(run("backup", file, **outside))
    assert "outside store" in refusal(run("restore", file, **outside))


def test_a_damaged_copy_is_not_put_back(
    server: QwirkleServer, client: Client, short_dir: Path, run: Run
) -> None:
    in_play(client)
    file, folder = short_dir / "damaged.tar", short_dir / "never"
    assert run("backup", file, "--data-dir", server.data_dir)[::2] == (0, "")
    whole = file.read_bytes()
    with tarfile.open(file) as copy:
        at = copy.getmember("dump.rdb").offset_data + 100
    file.write_bytes(
        whole[:at] + bytes(each ^ 0xFF for each in whole[at : at + 10]) + whole[at + 10 :]
    )
    assert "damaged" in refusal(run("restore", file, "--data-dir", folder))
    assert not (folder / "appendonlydir").exists()
    assert not (folder / "secret").exists()


def packed(file: Path, **files: object) -> None:
    """A file that looks like a copy, of such parts."""
    with tarfile.open(file, "w") as archive:
        for name, content in files.items():
            written = json.dumps(content).encode()
            part = tarfile.TarInfo(name.replace("_", "."))
            part.size = len(written)
            archive.addfile(part, io.BytesIO(written))


def test_a_copy_without_its_parts_is_not_put_back(tmp_path: Path, run: Run) -> None:
    """It was said to be put back, as a store without a single game."""
    file, folder = tmp_path / "copy", tmp_path / "never"

    def refused() -> str:
        return refusal(run("restore", file, "--data-dir", folder))

    packed(file, about_json=[1, 2], dump_rdb="")
    assert "not a backup of a store" in refused()
    packed(file, about_json={"format": 2}, dump_rdb="")
    assert "cannot read" in refused()
    for sums in (None, 5, {}, {"secret": "0"}, {"dump.rdb": "0", "secret": "0"}):
        packed(file, about_json={"format": 1, "sha256": sums}, dump_rdb="")
        assert "a part of it is missing" in refused(), sums
    packed(file, about_json={"format": 1, "sha256": {"dump.rdb": "0"}}, secret="s" * 40)
    assert "a part of it is missing" in refused()
    assert not (folder / "appendonlydir").exists()
