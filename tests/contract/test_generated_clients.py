"""Clients that others generate from the contract: without a warning, and of use."""

import importlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.document import examples_of, media, operations, written
from tests.contract.generated import GeneratedTable
from tests.generators.clients import OpenApiPythonClient
from tests.generators.run import warnings
from tests.generators.workspace import Workspace
from tests.servers import QwirkleServer


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenApiPythonClient]:
    """The package that openapi-python-client makes of the contract, ready to import."""
    space = Workspace(tmp_path_factory.mktemp("python"))
    client = OpenApiPythonClient("openapi-python-client", space)
    assert warnings(client.generate()) == "none"
    sys.path.insert(0, str(client.folder))
    yield client
    sys.path.remove(str(client.folder))


def test_mypy_finds_nothing_in_the_python_client(python_client: OpenApiPythonClient) -> None:
    python_client.compile()


def test_the_python_client_has_a_function_for_every_operation(
    python_client: OpenApiPythonClient,
) -> None:
    for operation in operations():
        (tag,) = operation.statement["tags"]
        name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", operation.name).lower()
        module = importlib.import_module(f"generated_client.api.{tag.lower()}.{name}")
        assert callable(module.sync_detailed)


def test_the_python_client_reads_and_writes_every_example_unchanged(
    python_client: OpenApiPythonClient,
) -> None:
    models = importlib.import_module("generated_client.models")
    for name, value in named_examples():
        model = getattr(models, name)
        assert shape(model.from_dict(value).to_dict()) == shape(value), name


def test_the_python_client_plays_a_whole_game(
    python_client: OpenApiPythonClient, qwirkle_server: QwirkleServer
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
