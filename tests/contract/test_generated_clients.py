"""Clients that others generate from the contract: without a warning, and of use."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.contract.document import FILE, examples_of, media, operations, written
from tests.contract.generated import GeneratedTable
from tests.servers import QwirkleServer


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The package that openapi-python-client makes of the contract."""
    folder = tmp_path_factory.mktemp("client")
    tools = Path(sys.executable).parent
    made = subprocess.run(
        [
            tools / "openapi-python-client",
            "generate",
            f"--path={FILE}",
            f"--output-path={folder / 'generated_client'}",
            "--meta=none",
            f"--config={Path(__file__).with_name('generator.yaml')}",
            "--fail-on-warning",
        ],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "warning" not in made.stdout.lower()
    sys.path.insert(0, str(folder))
    yield importlib.import_module("generated_client")
    sys.path.remove(str(folder))


def test_the_python_client_has_a_function_for_every_operation(python_client: ModuleType) -> None:
    for operation in operations():
        (tag,) = operation.statement["tags"]
        name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", operation.name).lower()
        module = importlib.import_module(f"generated_client.api.{tag.lower()}.{name}")
        assert callable(module.sync_detailed)


def test_the_python_client_reads_and_writes_every_example_unchanged(
    python_client: ModuleType,
) -> None:
    models = importlib.import_module("generated_client.models")
    for name, value in named_examples():
        model = getattr(models, name)
        assert shape(model.from_dict(value).to_dict()) == shape(value), name


def test_the_python_client_plays_a_whole_game(
    python_client: ModuleType, qwirkle_server: QwirkleServer
) -> None:
    table = GeneratedTable(qwirkle_server.base_url)
    table.play_a_game()
    table.leave()


def named_examples() -> Iterator[tuple[str, Any]]:
    """Each example with the name of the schema that it is an example of."""
    for path in written()["paths"].values():
        for statement in path.values():
            for content in contents(statement):
                reference = content["schema"].get("$ref")
                for each in content.get("examples", {}).values():
                    if reference and "$ref" in each:
                        name = each["$ref"].rpartition("/")[2]
                        value = written()["components"]["examples"][name]["value"]
                        yield reference.rpartition("/")[2], value


def contents(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    bodies = [statement.get("requestBody", {}), *statement["responses"].values()]
    for body in bodies:
        yield from body.get("content", {}).values()


def shape(value: Any) -> Any:
    """The value with its times in one spelling, and without members that are only defaults."""
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items() if v not in (None, [], False)}
    if isinstance(value, list):
        return [shape(each) for each in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", value):
        return value[:19]
    return value


def test_examples_were_found_to_try() -> None:
    assert len(list(named_examples())) >= 20
    assert all(examples_of(body) for each in operations() for _, body in media(each))
