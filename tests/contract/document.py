"""`openapi.yaml` as data: its operations, with every reference resolved."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    statement: dict[str, Any]

    @property
    def name(self) -> str:
        return self.statement["operationId"]

    @property
    def responses(self) -> dict[str, Any]:
        return self.statement["responses"]

    @property
    def parameters(self) -> list[dict[str, Any]]:
        return self.statement.get("parameters", [])

    @property
    def body(self) -> dict[str, Any] | None:
        return self.statement.get("requestBody")


@cache
def written() -> dict[str, Any]:
    """The file as it is written."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(FILE.read_text(encoding="utf-8"), loader)


@cache
def resolved() -> dict[str, Any]:
    """The file with each reference replaced by what it refers to; nothing in it recurs."""
    return _inline(written())


@cache
def operations() -> tuple[Operation, ...]:
    return tuple(
        Operation(method, path, item[method])
        for path, item in resolved()["paths"].items()
        for method in METHODS
        if method in item
    )


def operation(name: str) -> Operation:
    return next(each for each in operations() if each.name == name)


def schema(name: str) -> dict[str, Any]:
    return resolved()["components"]["schemas"][name]


def example(name: str) -> Any:
    return written()["components"]["examples"][name]["value"]


def problems() -> dict[str, dict[str, Any]]:
    return written()["x-problems"]


def media(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each request and response body of an operation: a label and its media type object."""
    if operation.body:
        for kind, content in operation.body["content"].items():
            yield f"{operation.name} request {kind}", content
    for status, response in operation.responses.items():
        for kind, content in response.get("content", {}).items():
            yield f"{operation.name} {status} {kind}", content


def examples_of(content: dict[str, Any]) -> list[Any]:
    named = [each["value"] for each in content.get("examples", {}).values()]
    return named + ([content["example"]] if "example" in content else [])


def _inline(value: Any) -> Any:
    if isinstance(value, list):
        return [_inline(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$ref"), str):
        beside = {name: _inline(each) for name, each in value.items() if name != "$ref"}
        return _referred(value["$ref"]) | beside
    return {name: _inline(each) for name, each in value.items()}


@cache
def _referred(reference: str) -> dict[str, Any]:
    target: Any = written()
    for step in reference.removeprefix("#/").split("/"):
        target = target[step]
    return _inline(target)
