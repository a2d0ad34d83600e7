"""The image: its Dockerfile is clean, each build step works, and what it makes serves.

No container engine takes part: the steps are carried out in a folder, by this machine's Python in
place of the base image's.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest
import yaml

from service.config import unknown_settings
from tests.deploy.dockerfile import ROOT, Builder, Image, let_through, steps
from tests.servers import NewDir, QwirkleServer, environment_for

pytestmark = pytest.mark.timeout(600)  # on a busy machine a build takes its time

DOCKERFILE = (ROOT / "Dockerfile").read_text()
TYPESCRIPT = ROOT / "clients" / "typescript" / "src"


@pytest.fixture(scope="module")
def image(new_dir: NewDir) -> Image:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder to the image's user, as the build does")
    root = new_dir()
    root.chmod(0o755)  # the service in it also runs as another user
    return Builder(root).build(DOCKERFILE)


def test_the_linter_finds_nothing() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    found = subprocess.run(
        [hadolint, "--failure-threshold", "style", ROOT / "Dockerfile"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")


def test_every_base_is_pinned_and_the_last_user_is_nobody_in_particular() -> None:
    named = [(step.name, step.text) for step in steps(DOCKERFILE)]
    bases = [text.split()[0] for name, text in named if name == "FROM"]
    assert len(bases) == 2
    for base in bases:
        assert re.fullmatch(r"[a-z/]+:\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?", base)
    (user,) = [text for name, text in named if name == "USER"]
    assert all(int(part) > 0 for part in user.split(":"))


def test_the_build_sees_what_it_needs_and_nothing_else() -> None:
    copied = {
        word
        for step in steps(DOCKERFILE)
        if step.name == "COPY" and "--from" not in step.text
        for word in step.text.split()[:-1]
    }
    assert copied == set(let_through((ROOT / ".dockerignore").read_text()))


def test_the_wheel_carries_every_file_of_the_service_and_of_its_clients(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wanted = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), "."]
    subprocess.run([*pip, *wanted], cwd=ROOT, check=True)
    [wheel] = tmp_path.glob("*.whl")
    written = {
        str(path.relative_to(parent))
        for parent, package in ((ROOT, "service"), (ROOT / "clients/python/src", "qwirkle_client"))
        for path in (parent / package).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    written |= {f"service/web/client/{path.name}" for path in TYPESCRIPT.iterdir()}
    assert set(zipfile.ZipFile(wheel).namelist()) >= written | {"service/openapi.yaml"}


def started_as(image: Image, folder: Path, data: Path, *before: str) -> Path:
    """A command that starts the image's program as a container would, given further words."""
    variables = [f"{name}={value}" for name, value in image.environment().items()]
    script = folder / "start"
    words = [*before, "env", "-i", *variables, f"QWIRKLE_DATA_DIR={data}"]
    words.append("QWIRKLE_SERVE_WORKER=no")
    program = image.inside(f"/opt/qwirkle/bin/{image.entrypoint[0]}")
    script.write_text(f'#!/bin/sh\nexec {shlex.join([*words, program])} "$@"\n')
    script.chmod(0o755)
    return script


def health(image: Image, server: QwirkleServer) -> int:
    port = server.base_url.rpartition(":")[2]
    check = subprocess.run(
        image.healthcheck,
        env=environment_for(**image.environment() | {"QWIRKLE_PORT": port}),
        capture_output=True,
        check=False,
    )
    return check.returncode


def test_what_the_build_makes_serves_from_any_folder_and_tells_its_health(
    image: Image, short_dir: Path
) -> None:
    assert image.command == ["serve"]
    assert image.env["QWIRKLE_PORT"] == str(image.port)
    assert unknown_settings(image.env) == []
    elsewhere = short_dir / "elsewhere"
    # A folder with modules of the same names must not get in the way.
    for name in ("service", "redis", "flask"):
        (elsewhere / name).mkdir(parents=True)
        (elsewhere / name / "__init__.py").write_text("raise RuntimeError")
    data = Path(image.inside("/data"))
    command = started_as(image, elsewhere, data)
    with QwirkleServer(command=command, cwd=elsewhere, workers=1, data_dir=data) as server:
        assert server.get("/livez")[0] == 200
        assert server.get("/table/now/client/index.js")[0] == 200
        children = psutil.Process(server.pid).children()
        assert not [each for each in children if "service.worker.main" in each.cmdline()]
        assert health(image, server) == 0
        address = f"{server.base_url}/v1/games/{'a' * 26}"
        watching = subprocess.run([command, "watch", address], capture_output=True, check=False)
        assert (watching.returncode, b"(404)" in watching.stderr) == (2, True)
        assert server.stop() == 0
        assert health(image, server) != 0
        assert server.errors == ""


def test_the_image_has_the_compiled_core(image: Image) -> None:
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        pytest.skip("there is no compiler here: the image's build stage has one")
    python = image.inside("/opt/qwirkle/bin/python")
    code = "from service import core; print(core.name())"
    said = subprocess.run(
        [python, "-c", code], cwd="/", env={}, capture_output=True, text=True, check=True
    )
    assert said.stdout == "C\n"


CONFINED = """
set -e
data=$0 python=$1 closed=$2
shift 2
mount --bind "$data" "$data"
if [ -n "$closed" ]; then
    # A folder of root's own is in the way to Python: only Python is left in it.
    mount --bind "$python" /mnt
    mount -t tmpfs -o mode=755 none "$closed"
    mkdir -p "$python"
    mount --bind /mnt "$python"
fi
mount -o remount,bind,ro /
! touch /.may-not 2>/dev/null
exec setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs "$@"
"""


def confined(data: Path) -> list[str]:
    """What goes before a command so that it has no rights and can write to this folder alone."""
    python = Path(sys.base_prefix).resolve()
    shut = [each for each in reversed(python.parents) if not each.stat().st_mode & 0o001]
    closed = str(shut[0]) if shut else ""
    return ["unshare", "--mount", "sh", "-c", CONFINED, str(data), str(python), closed]


def test_it_serves_without_rights_from_a_file_system_that_it_cannot_write_to(
    image: Image, short_dir: Path
) -> None:
    data = short_dir / "volume"
    data.mkdir(mode=0o700)
    tried = subprocess.run([*confined(data), "true"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"this machine lets nobody confine a process: {tried.stderr.strip()}")
    os.chown(data, 10001, 10001)
    short_dir.chmod(0o711)
    command = started_as(image, short_dir, data, *confined(data))
    with QwirkleServer(command=command, workers=1, data_dir=data) as server:
        assert server.get("/readyz")[0] == 200
        assert (data / "secret").stat().st_uid == 10001
        assert server.stop() == 0
        assert server.errors == ""


# compose.yaml


def test_compose_starts_a_store_that_forgets_nothing_and_the_service_on_it() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    valkey, service = compose["services"]["valkey"], compose["services"]["qwirkle"]
    command = valkey["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"
    assert unknown_settings(service["environment"]) == []
    assert service["environment"]["QWIRKLE_REDIS_URL"] == "redis://valkey:6379/0"
    assert service["ports"] == ["127.0.0.1:8000:8000"]
    for each in (valkey, service):
        assert each["read_only"]
        assert each["cap_drop"] == ["ALL"]
    mounted = [volume.split(":")[0] for each in (valkey, service) for volume in each["volumes"]]
    assert set(mounted) == set(compose["volumes"])
