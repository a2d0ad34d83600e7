"""Write `qwirkle_client/types.py` from the contract: `python generate_types.py ../../openapi.yaml`.

Every schema that a request body, a successful answer or a problem needs becomes a TypedDict or an
alias. A schema in a form that is not handled here raises an error, so nothing is typed wrongly.
"""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).parent / "src/qwirkle_client/types.py"
REFERENCE = "#/components/schemas/"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
WIDTH = 96
HEAD = '''"""The JSON of requests and answers. Generated from openapi.yaml: do not edit.

Answers may have more members than these: new ones are added without notice.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''

Schema = dict[str, Any]


def generated(contract: Schema) -> str:
    """The module for a contract."""
    schemas = {
        name: schema
        for name, schema in contract["components"]["schemas"].items()
        if name in _needed(contract)
    }
    records = {
        name: each for name, each in schemas.items() if {"properties", "allOf"} & each.keys()
    }
    aliases = {name: each for name, each in schemas.items() if name not in records}
    # Aliases are evaluated when the module is loaded: those that name a class follow the classes.
    early = {name: each for name, each in aliases.items() if not list(_references(each))}
    late = {name: each for name, each in aliases.items() if name not in early}
    parts = [
        HEAD,
        *(_alias(*each) for each in early.items()),
        *(_record(*each) for each in records.items()),
        *(_alias(*each) for each in late.items()),
    ]
    ruff = [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", TARGET, "-"]
    formatted = subprocess.run(  # noqa: S603  # our own tool
        ruff, input="\n".join(parts), capture_output=True, text=True, check=True
    )
    return formatted.stdout


def _needed(contract: Schema) -> set[str]:
    """The names of all schemas that requests, successful answers and problems lead to."""
    operations = [
        item[method]
        for item in contract["paths"].values()
        for method in ("get", "post", "put", "patch", "delete")
        if method in item
    ]
    found = {"Problem"}
    for operation in operations:
        answers = [each for code, each in operation["responses"].items() if code.startswith("2")]
        found.update(_references([operation.get("requestBody", {}), answers]))
    while more := set(_references([contract["components"]["schemas"][each] for each in found])):
        if more <= found:
            break
        found |= more
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if str(value.get("$ref", "")).startswith(REFERENCE):
            yield value["$ref"].removeprefix(REFERENCE)
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _references(each)


def _alias(name: str, schema: Schema) -> str:
    return f"{name}: TypeAlias = {_annotation(schema)}\n{_quoted(schema['description'], '')}"


def _record(name: str, schema: Schema) -> str:
    """A class; the references in an `allOf` are its bases."""
    parts = [schema, *schema.get("allOf", [])]
    bases = ", ".join(_annotation(part) for part in parts if "$ref" in part) or "TypedDict"
    lines = [f"class {name}({bases}):", _quoted(schema["description"], "    ")]
    for part in parts:
        for member, each in part.get("properties", {}).items():
            annotation = _annotation(each)
            if member not in part.get("required", []):
                annotation = f"NotRequired[{annotation}]"
            lines.append(f"    {member}: {annotation}")
            if "description" in each:
                lines.append(_quoted(each["description"], "    ").rstrip("\n"))
    return "\n".join(lines) + "\n"


def _annotation(schema: Schema) -> str:
    match schema:
        case {"$ref": reference}:
            return str(reference).removeprefix(REFERENCE)
        case {"const": value}:
            return f"Literal[{value!r}]"
        case {"enum": values}:
            return f"Literal[{', '.join(map(repr, values))}]"
        case {"oneOf": choices} | {"anyOf": choices}:
            return " | ".join(_annotation(each) for each in choices)
        case {"type": list(types)}:
            return " | ".join(_annotation({**schema, "type": each}) for each in types)
        case {"type": "array", "items": items}:
            return f"list[{_annotation(items)}]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"dict[str, {_annotation(values)}]"
        case {"type": "object", "properties": members} if members:
            raise ValueError(f"an object without a name: {sorted(members)}")
        case {"type": "object"}:
            return "dict[str, Any]"
        case {"type": str(scalar)} if scalar in SCALARS:
            return SCALARS[scalar]
    raise ValueError(f"no type for {schema}")


def _quoted(text: str, indent: str) -> str:
    """A docstring."""
    paragraphs = " ".join(text.split()).replace("\\", "\\\\")
    lines = textwrap.wrap(f'"""{paragraphs}', WIDTH - len(indent))
    end = ' """' if lines[-1].endswith('"') else '"""'
    return textwrap.indent("\n".join(lines) + end, indent) + "\n"


if __name__ == "__main__":
    TARGET.write_text(generated(yaml.safe_load(Path(sys.argv[1]).read_text())))
