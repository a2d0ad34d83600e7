"""Clients for TypeScript that others generate from the contract: they compile strictly."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.document import FILE, operations

PACKAGES = (
    "typescript@5.9.3",
    "@types/node@24",
    "@hey-api/openapi-ts@0.95.0",
    "orval@7.13.2",
    "oazapfts@7.5.0",
    "@oazapfts/runtime@1.2.0",
)
GENERATORS = {
    "hey-api": ("openapi-ts", "-i", str(FILE), "-o", "hey-api"),
    "orval": ("orval", "--input", str(FILE), "--output", "orval/api.ts", "--client", "fetch"),
    "oazapfts": ("oazapfts", str(FILE), "oazapfts/api.ts"),
}
STRICT = {
    "strict": True,
    "noEmit": True,
    "target": "es2022",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": ["node"],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generators and the compiler; skipped where npm cannot provide them."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: the generators for TypeScript did not run")
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "package.json").write_text('{"private": true}', encoding="utf-8")
    if run("npm", "install", "--silent", *PACKAGES, cwd=folder).returncode:
        pytest.skip("npm could not fetch the generators for TypeScript")
    return folder


@pytest.mark.timeout(400)
def test_clients_are_made_without_a_warning_and_compile(project: Path) -> None:
    # One test: on several processes, each would install the generators for itself.
    for name, (command, *arguments) in GENERATORS.items():
        (project / name).mkdir()
        made = run(tool(project, command), *arguments, cwd=project)
        said = (made.stdout + made.stderr).lower()
        assert made.returncode == 0, said
        assert "warn" not in said, said
        text = "".join(file.read_text("utf-8") for file in (project / name).rglob("*.ts"))
        assert [each.name for each in operations() if each.name not in text] == [], name
    settings = {"compilerOptions": STRICT, "include": list(GENERATORS)}
    (project / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
    compiled = run(tool(project, "tsc"), "-p", str(project), cwd=project)
    assert compiled.returncode == 0, compiled.stdout


def tool(project: Path, name: str) -> str:
    return str(project / "node_modules" / ".bin" / name)


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        timeout=250,
        cwd=cwd,
        env=os.environ | {"NO_COLOR": "1"},
    )
