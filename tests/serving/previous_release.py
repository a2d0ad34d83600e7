"""The release before this one, as its own code in an environment of its own."""

import subprocess
import sys
import sysconfig
import tarfile
from io import BytesIO
from pathlib import Path

import pytest

from tests.servers import environment_for

ROOT = Path(__file__).parents[2]

PREVIOUS = "ee7f699876fb8bebadfa857b45ad2b36d4f39f30"
"""The tag of the last release; before the first one, a commit that stores what we store."""

_COMMAND = """#!{python}
import sys
from service.cli import main
sys.exit(main())
"""


def _git(*words: str) -> bytes | None:
    """What git says, or None if it cannot do it."""
    environment = {"GIT_TERMINAL_PROMPT": "0"} | environment_for()
    said = subprocess.run(
        ["git", "-C", str(ROOT), *words], env=environment, capture_output=True, check=False
    )
    return said.stdout if said.returncode == 0 else None


def _source() -> bytes:
    """The release's files as a tar archive; a shallow clone fetches that one commit."""
    paths = ("service", "openapi.yaml", "requirements.lock", "pyproject.toml")
    found = _git("archive", PREVIOUS, *paths)
    if found is None and _git("fetch", "--quiet", "--depth=1", "origin", PREVIOUS) is not None:
        found = _git("archive", PREVIOUS, *paths)
    if found is None:
        pytest.skip(f"the release before this one, {PREVIOUS}, cannot be had from git here")
    return found


def install(folder: Path) -> Path:
    """Its `qwirkle`, in a new environment in this folder.

    What it needs is installed as its own lock says; if that is what is installed here, it is used
    from here, which saves half a minute.
    """
    source = folder / "source"
    with tarfile.open(fileobj=BytesIO(_source())) as archive:
        archive.extractall(source, filter="data")
    about = source / "qwirkle_service-0.0.1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: qwirkle-service\nVersion: 0.0.1")
    venv = folder / "venv"
    lock = source / "requirements.lock"
    same = lock.read_bytes() == (ROOT / "requirements.lock").read_bytes()
    subprocess.run(
        [sys.executable, "-m", "venv", *(["--without-pip"] if same else []), venv], check=True
    )
    python = venv / "bin" / "python"
    paths = [str(source)]
    if same:
        paths.append(sysconfig.get_path("purelib"))
    else:
        installing = [python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", lock]
        subprocess.run(installing, check=True, stderr=subprocess.DEVNULL)
    purelib = sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)})
    # Inserted at the front: nothing else of that name may come first.
    code = f"import sys; sys.path[0:0] = {paths!r}\n"
    Path(purelib, "previous.pth").write_text(code)
    command = venv / "bin" / "qwirkle"
    command.write_text(_COMMAND.format(python=python))
    command.chmod(0o755)
    return command
