"""The app of docs/apps.md is compiled strictly and run as it is written."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.app_page import api_keys, check_evening, program
from tests.clients.typescript.installed_package import STRICT, run
from tests.servers import QwirkleServer


@pytest.mark.timeout(400)
def test_an_app_and_its_back_end(
    project: Path, node: str, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=2, QWIRKLE_API_KEYS=api_keys())
    (project / "app.mts").write_text(program("ts", server.base_url), "utf-8")
    options = STRICT | {"noEmit": False, "module": "nodenext", "moduleResolution": "nodenext"}
    settings = {"compilerOptions": options | {"outDir": "built"}, "include": ["app.mts"]}
    (project / "tsconfig.app.json").write_text(json.dumps(settings), "utf-8")
    compiled = run(project / "node_modules/.bin/tsc", "-p", "tsconfig.app.json", cwd=project)
    assert compiled.returncode == 0, compiled.stdout
    played = run(node, "built/app.mjs", cwd=project)
    assert played.returncode == 0, played.stderr
    check_evening(played.stdout.splitlines())
