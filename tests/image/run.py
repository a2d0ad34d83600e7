"""`make image-test`: build the image, run it as an operator would, and kill its parts.

Uses the machine's Docker, or installs Debian's. Not part of `make test`: it takes minutes.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.api.client import Client, Table
from tests.api.playing import play_to_the_end
from tests.api.positions import in_play
from tests.image.engine import compose, engine, have_images, run, say, works

ROOT = Path(__file__).parents[2]
IMAGE = "qwirkle-service:0.1.0"
NAME = "qwirkle-image-test"
STOP_SECONDS = 2.0


def until(condition: object, what: str, seconds: float = 90) -> None:
    """Wait until the condition, a callable, holds."""
    ends = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]  # any callable
        if time.monotonic() > ends:
            raise SystemExit(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(0.1)


def answers(client: Client) -> bool:
    """Whether the service is ready."""
    try:
        return client.get("/readyz").status == 200
    except OSError:
        return False


def one_container() -> None:
    """The image alone: read-only, without rights, with its embedded store."""
    confined = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL")  # in the image
    secure = ("--security-opt", "no-new-privileges:true")
    run("docker", "run", "-d", "--name", NAME, *confined, *secure, "-p", "127.0.0.1::8000", IMAGE)
    try:
        port = run("docker", "port", NAME, "8000").splitlines()[0].rpartition(":")[2]
        client = Client(f"http://127.0.0.1:{port}", timeout=60)
        until(lambda: answers(client), "an answer of the container")
        assert run("docker", "exec", NAME, "id", "-u") == "10001"
        assert run("docker", "exec", NAME, "stat", "-c", "%a %u", "/data") == "700 10001"
        assert not works("docker", "exec", NAME, "touch", "/opt/qwirkle/x"), "it can be written to"
        assert "run in C" in run("docker", "exec", NAME, "qwirkle", "doctor")
        story = play_to_the_end(client.create(), Random(1))
        say(f"read-only as 10001: a game of {len(story.answers)} turns was played")
        began = time.monotonic()
        run("docker", "stop", NAME)
        took = time.monotonic() - began
        state = json.loads(run("docker", "inspect", NAME))[0]["State"]
        assert (state["ExitCode"], state["OOMKilled"]) == (0, False), state
        assert took < STOP_SECONDS, f"stopping took {took:.1f} s"
        say(f"stopped in {took:.1f} s")
    finally:
        run("docker", "rm", "-f", "-v", NAME)


def kill_and_come_back(name: str, container: str, client: Client, table: Table) -> None:
    """SIGKILL from the machine, as an accident would be: `docker kill` counts as an order."""
    said = run("docker", "inspect", "-f", "{{.State.Pid}}", container)
    before = table.view(0)
    os.kill(int(said), signal.SIGKILL)
    until(
        lambda: run("docker", "inspect", "-f", "{{.State.Pid}}", container) not in {said, "0"},
        f"a new {name}",
    )
    until(lambda: answers(client), "an answer after the kill")
    assert table.view(0) == before, "an acknowledged move is gone"
    say(f"{name}: killed and back, nothing lost")


def both_containers(folder: Path) -> None:
    """compose.yaml: the service on a Valkey of its own."""
    # Compose 1, which Debian has, does not know `name`; -p says it too.
    file = folder / "compose.yaml"
    text = (ROOT / "compose.yaml").read_text()
    file.write_text(text.replace("name: qwirkle\n", "", 1))
    command = [*compose(), "-p", NAME, "-f", str(file)]
    client = Client("http://127.0.0.1:8000", timeout=60)
    try:
        run(*command, "up", "-d", "--no-build")
        until(lambda: answers(client), "an answer of compose's service")
        table = in_play(client)
        table.play(0, "rd@2,0").ok(201)
        store = run(*command, "ps", "-q", "valkey")
        service = run(*command, "ps", "-q", "qwirkle")
        kill_and_come_back("valkey", store, client, table)
        table.play(1, "rc@3,0").ok(201)
        kill_and_come_back("qwirkle", service, client, table)
        assert table.view(0)["version"] == 3
    except BaseException:
        subprocess.run([*command, "logs", "--tail", "20"], check=False)
        raise
    finally:
        run(*command, "down", "-v")


def main() -> int:
    with engine():
        version = run("docker", "version", "-f", "{{.Server.Version}}")
        say(f"Docker {version}, {have_images()}")
        began = time.monotonic()
        # The host's network: a build behind a proxy reaches the packages as the machine does.
        run("docker", "build", "--network", "host", "-t", IMAGE, ROOT)
        size = int(run("docker", "image", "inspect", "-f", "{{.Size}}", IMAGE)) // 2**20
        say(f"built in {time.monotonic() - began:.0f} s: {size} MB")
        one_container()
        with tempfile.TemporaryDirectory() as folder:
            both_containers(Path(folder))
    say("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
