"""The package installs from its archive, its types are strict, and its README's game is played."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.typescript.installed_package import STRICT, run
from tests.clients.typescript.node_client import PACKAGE
from tests.contract.document import ROOT
from tests.servers import QwirkleServer

README = (PACKAGE / "README.md").read_text("utf-8")
CONSUMER = Path(__file__).with_name("consumer.mts")
MODULES = {"node": ("nodenext", "nodenext"), "bundler": ("esnext", "bundler")}


def readme_game(base_url: str) -> str:
    found = re.search(r"^```js\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found
    assert len(found[1].splitlines()) <= 25
    return found[1].replace("http://127.0.0.1:8000", base_url)


@pytest.mark.timeout(400)
def test_the_archive_is_complete_typed_and_plays_a_whole_game(
    project: Path, node: str, valkey_server: QwirkleServer
) -> None:
    # One test: on several processes, each would install the tools for itself.
    installed = project / "node_modules" / "qwirkle-client"
    assert {each.name for each in installed.iterdir()} == {
        "LICENSE",
        "README.md",
        "package.json",
        "src",
        "types",
    }
    (project / "game.js").write_text(readme_game(valkey_server.base_url), "utf-8")
    played = run(node, "game.js", cwd=project)
    assert played.returncode == 0, played.stderr
    lines = played.stdout.splitlines()
    assert [line for line in lines if line in {"created", "dealt"}] == ["created", "dealt"]
    assert any(line.startswith("Ada scores") for line in lines)
    assert re.fullmatch(r"Ada \d+\nRobo \d+", "\n".join(lines[-2:]))

    shutil.copy(CONSUMER, project)
    for module, resolution in MODULES.values():
        options = STRICT | {"module": module, "moduleResolution": resolution}
        settings = {"compilerOptions": options, "include": ["game.js", CONSUMER.name]}
        (project / "tsconfig.json").write_text(json.dumps(settings), "utf-8")
        compiled = run(project / "node_modules/.bin/tsc", "-p", project, cwd=project)
        assert compiled.returncode == 0, compiled.stdout


@pytest.mark.timeout(400)
def test_the_declarations_are_those_of_the_sources_and_of_the_contract(
    project: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "clients" / "typescript"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("node_modules"))
    for file in (copy / "types").iterdir():
        if file.name != "contract.d.ts":
            file.unlink()
    shutil.copy(ROOT / "openapi.yaml", tmp_path)
    (copy / "node_modules").symlink_to(project / "node_modules")
    made = run("npm", "run", "--silent", "types", cwd=copy)
    assert made.returncode == 0, made.stdout + made.stderr
    for file in sorted((copy / "types").iterdir()):
        assert file.read_text("utf-8") == (PACKAGE / "types" / file.name).read_text("utf-8"), (
            f"types/{file.name} is out of date: make types"
        )
    assert {each.name for each in (PACKAGE / "types").iterdir()} == {
        each.name for each in (copy / "types").iterdir()
    }


def test_the_readme_names_every_method(node: str) -> None:
    program = """
    const { Qwirkle, GameClient } = await import(process.argv[1]);
    const names = (kind) => Object.entries(Object.getOwnPropertyDescriptors(kind.prototype))
      .filter(([, { value }]) => typeof value === "function").map(([name]) => name);
    const game = [...names(GameClient), ...names(Object.getPrototypeOf(GameClient))];
    console.log(JSON.stringify([...names(Qwirkle), ...game]));
    """
    entry = (PACKAGE / "src" / "index.js").as_uri()
    listed = subprocess.run(
        [node, "--input-type=module", "--eval", program, entry],
        capture_output=True,
        text=True,
        check=True,
    )
    written = set(re.findall(r"[`.](\w+)", README))
    assert set(json.loads(listed.stdout)) - {"constructor", "keep"} <= written


def test_the_version_is_the_services() -> None:
    version = json.loads((PACKAGE / "package.json").read_text("utf-8"))["version"]
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text("utf-8")
