"""The package, installed from its archive into a project with the compiler."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.typescript.node_client import PACKAGE

STRICT = {
    "strict": True,
    "noEmit": True,
    "allowJs": True,
    "checkJs": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "skipLibCheck": False,
    "target": "es2022",
    "lib": ["es2022", "dom", "dom.asynciterable"],
    "types": [],
}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | {"NO_COLOR": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=250,
    )


def install(folder: Path) -> None:
    """Make the project; the test is skipped where npm cannot."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: the package was not installed")
    packed = run("npm", "pack", "--silent", str(PACKAGE), cwd=folder)
    assert packed.returncode == 0, packed.stderr
    (folder / "package.json").write_text('{"private": true, "type": "module"}', "utf-8")
    tools = json.loads((PACKAGE / "package.json").read_text("utf-8"))["devDependencies"]
    wanted = [f"{name}@{version}" for name, version in tools.items()]
    archive = f"./{packed.stdout.strip()}"
    assert run("npm", "install", "--silent", "--offline", archive, cwd=folder).returncode == 0
    if run("npm", "install", "--silent", *wanted, cwd=folder).returncode:
        pytest.skip("npm could not fetch the compiler: types and archive were not checked")
