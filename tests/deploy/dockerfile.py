"""Reads a Dockerfile and carries out its build in a folder instead of an image."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers import environment_for

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Step:
    """One instruction: `RUN`, its text."""

    name: str
    text: str


def steps(text: str) -> Iterator[Step]:
    """The instructions in their order, continued lines joined, comments left out."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield Step(name.upper(), rest.strip())


def let_through(text: str) -> list[str]:
    """The names that a .dockerignore which begins with `*` lets through."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert lines[0] == "*", "what is not named must stay out"
    return [line.removeprefix("!") for line in lines[1:] if line.startswith("!")]


@dataclass
class Image:
    """What came of a build: a folder that stands for `/`, and how a container starts."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)
    user: str = "0"
    port: int | None = None

    def inside(self, text: str) -> str:
        """The text with every absolute path moved into the folder."""
        return re.sub(r"(?<![\w./:'])/(?=[a-z])", f"{self.root}/", text)

    def environment(self) -> dict[str, str]:
        """A container's variables; beside the folder's programs come those of this machine."""
        path = f"{self.inside(self.env.get('PATH', ''))}:{os.environ['PATH']}"
        moved = {name: self.inside(value) for name, value in self.env.items()}
        return moved | {"PATH": f"{self.root}/usr/local/bin:{path}"}


class Builder:
    """Carries out the instructions of a Dockerfile one by one; one it does not know is an error.

    All stages share one folder, so that paths written into programs stay true.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root
        self._allowed = let_through((ROOT / ".dockerignore").read_text())
        self.image = Image(root)
        # The Python of the base image: this one, without what is installed beside it.
        programs = root / "usr/local/bin"
        programs.mkdir(parents=True)
        (programs / "python").symlink_to(Path(sys.executable).resolve())

    def build(self, text: str) -> Image:
        for step in steps(text):
            self._carry_out(step)
        return self.image

    def _carry_out(self, step: Step) -> None:  # noqa: C901  # one case an instruction
        image, text = self.image, step.text
        match step.name:
            case "FROM":
                self.image = Image(self._root)
            case "ENV":
                image.env |= dict(pair.split("=", 1) for pair in shlex.split(text))
            case "WORKDIR":
                self._folder = Path(image.inside(text))
                self._folder.mkdir(parents=True, exist_ok=True)
            case "RUN":
                self._run(text)
            case "COPY":
                self._copy(shlex.split(text))
            case "USER":
                image.user = text
            case "EXPOSE":
                image.port = int(text)
            case "ENTRYPOINT":
                image.entrypoint = json.loads(text)
            case "CMD":
                image.command = json.loads(text)
            case "HEALTHCHECK":
                image.healthcheck = json.loads(text.partition(" CMD ")[2])
            case "VOLUME":
                assert Path(image.inside(text)).is_dir()
            case "STOPSIGNAL":
                assert text in signal.Signals.__members__
            case _:
                raise AssertionError(f"{step.name} is not carried out by any test")

    def _run(self, command: str) -> None:
        ran = subprocess.run(
            ["/bin/sh", "-ec", self.image.inside(command)],
            cwd=self._folder,
            env=environment_for(**self.image.environment()),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"RUN {command}\n{ran.stdout}\n{ran.stderr}"

    def _copy(self, words: list[str]) -> None:
        options = [word for word in words if word.startswith("--")]
        *sources, target = [word for word in words if not word.startswith("--")]
        if any(option.startswith("--from=") for option in options):
            # From an earlier stage to the same place, where it lies already.
            assert sources == [target]
            assert Path(self.image.inside(target)).is_dir()
            return
        for source in sources:
            assert source in self._allowed, f"{source} is kept out by .dockerignore"
            if (ROOT / source).is_dir():
                hidden = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / source, self._folder / target, ignore=hidden)
            else:
                shutil.copy(ROOT / source, self._folder / target)
