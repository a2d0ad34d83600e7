"""`qwirkle doctor` finds what is wrong, names it, and says how to fix it."""

import json
import os
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from service.app import create_app
from service.cli import main
from service.config import Settings
from service.store.embedded import EmbeddedStore
from service.store.server_checks import clock, version
from tests.cluster.access import QUOTED, USER, rights
from tests.cluster.deployments import Cluster
from tests.servers import COMMAND, NewDir, environment_for

SECRET = {"QWIRKLE_SECRET": "a secret of more than 32 characters"}

Findings = dict[str, dict[str, Any]]
Doctor = Callable[..., tuple[int, Findings]]


@pytest.fixture(scope="module")
def store(new_dir: NewDir) -> Iterator[EmbeddedStore]:
    with EmbeddedStore(new_dir(), extra=("--maxmemory", "100mb")) as store:
        yield store


@pytest.fixture
def admin(store: EmbeddedStore) -> Iterator[redis.Redis]:
    """Whoever breaks the store; it is whole again afterwards."""
    with redis.from_url(store.url) as client:
        yield client
        client.execute_command("REPLICAOF", "NO", "ONE")
        client.execute_command("ACL", "DELUSER", "ada", USER)
        client.config_set("maxmemory", "100mb")
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("appendonly", "yes")


@pytest.fixture
def doctor(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Doctor:
    """Its exit code, and the worst finding of each check."""

    def ask(*options: str, **settings: str) -> tuple[int, Findings]:
        with monkeypatch.context() as patched:
            for name in set(os.environ) - set(environment_for()):
                patched.delenv(name)
            for name, value in ({"QWIRKLE_DATA_DIR": str(tmp_path)} | settings).items():
                patched.setenv(name, value)
            code = main(["doctor", "--json", *options])
        said, complained = capsys.readouterr()
        assert complained == ""
        report = json.loads(said)
        assert report["ok"] == (code == 0)
        for finding in report["findings"]:
            assert (finding["remedy"] is None) == (finding["status"] == "ok")
        return code, {finding["check"]: finding for finding in report["findings"]}

    return ask


def test_a_sound_store_has_nothing_to_mend(store: EmbeddedStore, doctor: Doctor) -> None:
    code, found = doctor(QWIRKLE_REDIS_URL=store.url, **SECRET)
    assert code == 0
    assert {each["status"] for each in found.values()} == {"ok"}
    checks = "settings core secret store server replicas persistence memory clock rights"
    assert list(found) == checks.split()
    assert found["server"]["detail"].startswith("Valkey ")


def test_it_leaves_nothing_behind(store: EmbeddedStore, doctor: Doctor, admin: redis.Redis) -> None:
    before = set(admin.keys())
    doctor(QWIRKLE_REDIS_URL=store.url, **SECRET)
    # For a minute the store remembers that a game was deleted.
    assert {key.rpartition(b":")[2] for key in set(admin.keys()) - before} <= {b"d"}


def test_a_store_that_would_lose_games_is_a_problem(
    store: EmbeddedStore, doctor: Doctor, admin: redis.Redis
) -> None:
    admin.config_set("appendonly", "no")
    admin.config_set("maxmemory-policy", "allkeys-lru")
    code, found = doctor(QWIRKLE_REDIS_URL=store.url, **SECRET)
    assert code == 1
    assert found["persistence"]["status"] == found["memory"]["status"] == "problem"
    assert "appendonly yes" in found["persistence"]["remedy"]
    assert "noeviction" in found["memory"]["remedy"]


def test_readiness_warns_of_a_store_that_would_lose_games(
    store: EmbeddedStore, admin: redis.Redis, tmp_path: Path
) -> None:
    settings = Settings(redis_url=store.url, secrets=("s" * 32,), data_dir=tmp_path)
    asker = create_app(settings).test_client()
    assert asker.get("/readyz").json == {"status": "ok", "warnings": []}
    admin.config_set("appendonly", "no")
    answer = asker.get("/readyz")
    assert answer.status_code == 200
    (warning,) = answer.json["warnings"]
    assert "append-only" in warning


def test_a_store_without_a_limit_or_nearly_full_is_worth_a_warning(
    store: EmbeddedStore, doctor: Doctor, admin: redis.Redis
) -> None:
    used = admin.info("memory")["used_memory"]
    for most, named in ((0, "no limit"), (int(used * 1.1), "full")):
        admin.config_set("maxmemory", most)
        _, found = doctor(QWIRKLE_REDIS_URL=store.url, **SECRET)
        assert found["memory"]["status"] == "warning", found["memory"]
        assert named in found["memory"]["detail"]


def test_a_replica_and_missing_replicas_are_problems(
    store: EmbeddedStore, doctor: Doctor, admin: redis.Redis
) -> None:
    code, found = doctor(QWIRKLE_REDIS_URL=store.url, QWIRKLE_MIN_REPLICAS="1", **SECRET)
    assert code == 1
    assert "QWIRKLE_MIN_REPLICAS=1" in found["replicas"]["detail"]
    admin.execute_command("REPLICAOF", "127.0.0.1", "1")
    code, found = doctor(QWIRKLE_REDIS_URL=store.url, **SECRET)
    assert code == 1
    assert found["replicas"]["status"] == found["rights"]["status"] == "problem"
    assert "primary" in found["replicas"]["remedy"]


def test_the_rights_in_the_manual_are_enough_for_every_check(
    store: EmbeddedStore, doctor: Doctor, admin: redis.Redis
) -> None:
    admin.execute_command("ACL", "SETUSER", *rights())
    url = store.url.replace("unix://", f"unix://{USER}:{QUOTED}@")
    code, found = doctor(QWIRKLE_REDIS_URL=url, **SECRET)
    assert (code, {each["status"] for each in found.values()}) == (0, {"ok"})


def test_missing_rights_are_named(store: EmbeddedStore, doctor: Doctor, admin: redis.Redis) -> None:
    url = store.url.replace("unix://", "unix://ada:pass@")
    admin.execute_command("ACL", "SETUSER", "ada", "on", ">pass", "~qw:*", "+@read", "+ping")
    code, found = doctor(QWIRKLE_REDIS_URL=url, **SECRET)
    assert code == 1
    assert found["server"]["status"] == "warning"
    assert "write a game" in found["rights"]["detail"]
    assert "Store access" in found["rights"]["remedy"]


def test_a_store_that_is_not_there_or_not_ours_is_a_problem(
    store: EmbeddedStore, doctor: Doctor
) -> None:
    code, found = doctor(QWIRKLE_REDIS_URL="redis://127.0.0.1:1/0", **SECRET)
    assert code == 1
    assert found["store"]["status"] == "problem"
    assert "rights" not in found
    code, found = doctor(
        QWIRKLE_REDIS_URL=store.url.replace("unix://", "unix://eve:hunter2@"), **SECRET
    )
    assert code == 1
    assert "password" in found["store"]["detail"]
    assert "hunter2" not in json.dumps(found)
    code, found = doctor(QWIRKLE_REDIS_URL="http://example.org", **SECRET)
    assert (code, found["settings"]["status"]) == (1, "problem")


def test_wrong_and_misspelt_settings_are_named(doctor: Doctor) -> None:
    code, found = doctor(QWIRKLE_PORT="none")
    assert code == 1
    assert "QWIRKLE_PORT" in found["settings"]["detail"]
    code, found = doctor(QWIRKLE_PROT="8000")
    assert code == 0
    assert "QWIRKLE_PROT" in found["settings"]["detail"]


def test_a_secret_that_others_can_read_is_a_problem(doctor: Doctor, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s" * 40)
    secret.chmod(0o640)
    code, found = doctor()
    assert code == 1
    assert "0640" in found["secret"]["detail"]
    assert "chmod 600" in found["secret"]["remedy"]
    secret.chmod(0o600)
    code, found = doctor()
    assert (code, found["secret"]["status"]) == (0, "ok")
    secret.write_text("short")
    assert doctor()[1]["secret"]["status"] == "problem"


def test_machines_with_secrets_of_their_own_are_worth_a_warning(
    store: EmbeddedStore, doctor: Doctor, tmp_path: Path
) -> None:
    for _ in ("none yet", "one of this machine"):
        code, found = doctor(QWIRKLE_REDIS_URL=store.url)
        assert (code, found["secret"]["status"]) == (0, "warning")
        assert "QWIRKLE_SECRET" in found["secret"]["remedy"]
        secret = tmp_path / "secret"
        secret.write_text("s" * 40)
        secret.chmod(0o600)


def test_the_embedded_store_is_looked_at_where_it_runs(
    store: EmbeddedStore, doctor: Doctor
) -> None:
    code, found = doctor(QWIRKLE_DATA_DIR=str(store.data_dir))
    assert code == 0
    assert found["persistence"]["status"] == "ok"
    assert doctor("--data-dir", str(store.data_dir)) == (code, found)
    code, found = doctor()
    assert code == 0
    assert "is not running" in found["store"]["detail"]


def test_servers_before_seven_are_too_old() -> None:
    assert version({"redis_version": "6.2.14"}).status == "problem"
    assert version({"redis_version": "7.0.0"}).status == "ok"
    valkey = version({"server_name": "valkey", "redis_version": "7.2.4", "valkey_version": "9.0.1"})
    assert (valkey.status, valkey.detail) == ("ok", "Valkey 9.0.1.")


def test_clocks_may_differ_by_what_a_message_takes() -> None:
    assert clock(100.0, [100.5, 103.0], 103.5).status == "ok"
    assert clock(100.0, [97.0], 103.5).status == "warning"
    assert "8 seconds" in clock(100.0, [101.0, 111.5], 103.5).detail


def test_the_command_speaks_to_people_too(tmp_path: Path) -> None:
    ended = subprocess.run(
        [str(COMMAND), "doctor"],
        env=environment_for(QWIRKLE_REDIS_URL="redis://127.0.0.1:1/0", **SECRET),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    lines = ended.stdout.splitlines()
    assert lines[0] == "ok       settings: Every setting is known and valid."
    assert lines[3] == "PROBLEM  store: The store cannot be reached."
    assert lines[4].strip().startswith("fix: ")


def test_a_clusters_servers_are_named() -> None:
    with Cluster() as cluster:
        said = subprocess.run(
            [COMMAND, "doctor", "--json"],
            env=environment_for(QWIRKLE_REDIS_URL=cluster.url, **SECRET),
            capture_output=True,
            text=True,
            check=False,
        )
        servers = {f"127.0.0.1:{node.port}" for node in cluster.primaries()}
    findings = json.loads(said.stdout)["findings"]
    for check in ("server", "replicas", "persistence", "memory"):
        details = [each["detail"] for each in findings if each["check"] == check]
        assert {detail.partition(": ")[0] for detail in details} == servers, details


class Denying(socketserver.BaseRequestHandler):
    """Answers as a Valkey in protected mode answers other machines."""

    def handle(self) -> None:
        self.request.sendall(b"-DENIED Valkey is running in protected mode because protected ")
        self.request.sendall(b"mode is enabled and no password is set for the default user.\r\n")
        self.request.recv(1000)


def test_protected_mode_is_not_taken_for_a_network_fault(doctor: Doctor) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Denying) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"redis://127.0.0.1:{server.server_address[1]}/0"
        _, found = doctor(QWIRKLE_REDIS_URL=url, **SECRET)
        server.shutdown()
    assert "protected mode" in found["store"]["detail"]
    assert "protected-mode no" in found["store"]["remedy"]
