"""Clients for TypeScript that others generate from the contract: they compile strictly.

`make clients` plays a game with each of them.
"""

import json
import shutil

import pytest

from tests.contract.document import ROOT, operations
from tests.generators.run import npm_clients, warnings
from tests.generators.workspace import HERE, Failed, Workspace


@pytest.fixture(scope="module")
def space() -> Workspace:
    """The generators and the compiler, kept from run to run; skipped where npm has none."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: the generators for TypeScript did not run")
    space = Workspace(ROOT / "build" / "typescript")
    try:
        space.install_from_npm("--omit=dev")
    except Failed as why:
        pytest.skip(f"npm could not fetch the generators for TypeScript: {why}")
    return space


@pytest.mark.timeout(400)
def test_clients_are_made_without_a_warning_and_compile(space: Workspace) -> None:
    for client in npm_clients(space):
        assert warnings(client.generate()) == "none"
        client.add_program()
        text = "".join(file.read_text("utf-8") for file in client.folder.rglob("*.ts"))
        assert [each.name for each in operations() if each.name not in text] == [], client.name
    settings = json.loads((HERE / "typescript" / "tsconfig.json").read_text("utf-8"))
    (space.folder / "tsconfig.json").write_text(json.dumps(settings | {"include": ["clients"]}))
    space.run(space.npm("tsc"), "-p", str(space.folder))
