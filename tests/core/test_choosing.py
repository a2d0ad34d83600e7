"""Which one runs: the core if it was built, unless the environment says otherwise."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.servers import COMMAND, environment_for

ROOT = Path(__file__).parents[2]


def said(*words: str, **environment: str) -> str:
    return subprocess.run(
        [str(COMMAND), *words],
        env=environment_for(**environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout


@pytest.mark.parametrize(("value", "language"), [("", "C"), ("python", "Python")])
def test_commands_tell_which_one_runs(value: str, language: str, tmp_path: Path) -> None:
    settings = {"QWIRKLE_CORE": value, "QWIRKLE_DATA_DIR": str(tmp_path)}
    table = said("simulate", "--games", "2", "--bots", "greedy,random", **settings)
    checked = ", checked by the rules every 1000 games" if language == "C" else ""
    assert f"the bots ran in {language}{checked}\n" in table
    findings = json.loads(said("doctor", "--json", **settings))["findings"]
    (core,) = [each for each in findings if each["check"] == "core"]
    assert f"run in {language}" in core["detail"]


def test_a_wrong_choice_is_told() -> None:
    ended = subprocess.run(
        [str(COMMAND), "doctor"],
        env=environment_for(QWIRKLE_CORE="fortran"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "QWIRKLE_CORE" in ended.stdout


def test_without_a_compiler_the_package_is_built_without_the_core(tmp_path: Path) -> None:
    source = tmp_path / "source"
    hidden = shutil.ignore_patterns("__pycache__", "*.so")
    for folder in ("service", "clients/python/src", "clients/typescript/src"):
        shutil.copytree(ROOT / folder, source / folder, ignore=hidden)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "openapi.yaml"):
        shutil.copy(ROOT / name, source)
    wheel = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--quiet"]
    built = subprocess.run(
        [*wheel, "-w", str(tmp_path), str(source)],
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "error" not in built.stderr.lower()
    (wheel_file,) = tmp_path.glob("*.whl")
    assert wheel_file.name.endswith("-py3-none-any.whl")
