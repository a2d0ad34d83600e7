"""A folder with every generator and compiler, in which clients are made and run."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CONTRACT = ROOT / "openapi.yaml"


class Failed(Exception):
    """A command failed; says what it wrote."""


@dataclass(frozen=True)
class Workspace:
    folder: Path

    def prepare(self) -> None:
        """Install what apt, npm and pip give; what is there already is kept."""
        self.run("sh", str(HERE / "tools.sh"))
        self.install_from_npm()
        if not self.python.exists():
            self.run(sys.executable, "-m", "venv", str(self.folder / "venv"))
        requirements = str(HERE / "requirements.txt")
        self.run(str(self.python), "-m", "pip", "install", "--quiet", "-r", requirements)

    def install_from_npm(self, *options: str) -> None:
        """Install package.json; without `--omit=dev` also what only `make clients` needs."""
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "package.json", self.folder)
        self.run("npm", "install", "--silent", "--no-audit", "--no-fund", *options)

    @property
    def python(self) -> Path:
        return self.folder / "venv" / "bin" / "python"

    @property
    def openapi_generator(self) -> Path:
        return self.folder / "venv" / "bin" / "openapi-generator-cli"

    @property
    def openapi_generator_jar(self) -> Path:
        (found,) = (self.folder / "venv").rglob("openapi-generator.jar")
        return found

    def npm(self, name: str) -> str:
        """A command that an npm package brings."""
        return str(self.folder / "node_modules" / ".bin" / name)

    def client(self, name: str) -> Path:
        """An empty folder for a client."""
        folder = self.folder / "clients" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def run(self, *command: str, cwd: Path | None = None, **environment: str) -> str:
        """Run a command and return what it wrote.

        Raises Failed if it does not succeed.
        """
        done = subprocess.run(
            command,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
            cwd=cwd or self.folder if self.folder.exists() else None,
            env=os.environ | {"NO_COLOR": "1"} | environment,
        )
        if done.returncode:
            raise Failed(f"{' '.join(command[:3])}: {done.stdout[-3000:]}")
        return done.stdout
