"""What the service checks and what `openapi.yaml` says are the same."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from marshmallow import Schema, fields, missing

from service.api import lobby_schemas, schemas
from service.api.fields import (
    Choice,
    CursorText,
    Flag,
    JsonObject,
    ListOf,
    ObjectOf,
    Placements,
    PlayerName,
    Text,
    TileName,
    WebAddress,
    WholeNumber,
)
from service.api.problems import FieldError, MalformedRequest
from service.api.validation import load
from service.rules.tiles import COLOURS, NAMES, SHAPES
from tests.contract.document import operation, operations, schema

BODIES = {
    "createGame": schemas.NewGameSchema(),
    "updateGame": schemas.UpdateGameSchema(),
    "takeSeat": schemas.TakeSeatSchema(),
    "joinByCode": schemas.JoinByCodeSchema(),
    "matchPlayer": lobby_schemas.MatchSchema(),
    "addBot": schemas.AddBotSchema(),
    "deal": schemas.DealSchema(),
    "bid": schemas.BidSchema(),
    "play": schemas.PlaySchema(),
    "previewPlay": schemas.PlaySchema(),
    "exchange": schemas.ExchangeSchema(),
    "forkGame": schemas.ForkSchema(),
    "rematch": schemas.RematchSchema(),
    "renewToken": schemas.RenewalSchema(),
}
MAY_BE_LEFT_OUT = {"deal", "rematch", "renewToken"}  # none of their members is needed
MEMBERS_TOGETHER: dict[type[Schema], dict[str, Any]] = {
    schemas.BidSchema: {"minProperties": 1, "maxProperties": 1},
    schemas.NewGameSchema: {
        "if": {
            "properties": {"seats": {"not": {"type": "integer"}}},
            "additionalProperties": True,
        },
        "then": {
            "required": ["players"],
            "properties": {"players": {"minItems": 2}},
            "additionalProperties": True,
        },
    },
}
"""What the schemas check of several members at once."""
TILE_NAME = f"^({'|'.join(COLOURS)})-({'|'.join(SHAPES)})$"
"""Says in lists of hands what the enumeration of tiles says elsewhere."""
ANYTHING = {"verifyRecord"}  # whatever is wrong with a record is for its report
QUERIES = {
    "listGames": schemas.GamesQuerySchema(),
    "listOpenTables": lobby_schemas.LobbyQuerySchema(),
    "getFeed": schemas.FeedQuerySchema(),
    "streamFeed": schemas.FeedStreamQuerySchema(),
    "listLegalPlays": schemas.LegalPlaysQuerySchema(),
    "getEvents": schemas.EventsQuerySchema(),
    "streamEvents": schemas.StreamQuerySchema(),
    "getScore": schemas.ScoreQuerySchema(),
    "getBoardSvg": schemas.PictureQuerySchema(),
    "getBoardPng": schemas.PngQuerySchema(),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_has_the_members_and_limits_of_the_contract(name: str) -> None:
    stated = operation(name).body
    assert stated is not None
    assert stated.get("required", False) is (name not in MAY_BE_LEFT_OUT)
    assert members(BODIES[name]) == plain(stated["content"]["application/json"]["schema"])


def test_every_operation_with_a_body_is_compared() -> None:
    stated = {each.name for each in operations() if each.body}
    assert stated == BODIES.keys() | ANYTHING


def test_every_query_parameter_has_the_limits_of_the_contract() -> None:
    for each in operations():
        stated = {p["name"]: plain(p["schema"]) for p in each.parameters if p["in"] == "query"}
        checked = members(QUERIES[each.name])["properties"] if each.name in QUERIES else {}
        assert checked == stated, each.name


def test_the_size_of_metadata_is_stated() -> None:
    field = schemas.NewGameSchema().fields["metadata"]
    assert isinstance(field, JsonObject)
    assert f"{field.most_bytes:,} bytes" in schema("Metadata")["description"]


def test_a_body_that_one_refuses_the_other_refuses() -> None:
    compared = 0
    for name, loader in BODIES.items():
        content = operation(name).body["content"]["application/json"]  # type: ignore[index]  # all of BODIES have one
        validator = Draft202012Validator(content["schema"])
        for each in content["examples"].values():
            for body in spoiled(each["value"]):
                stated, checked = validator.is_valid(body), refusals(loader, body)
                assert stated == (not checked), (name, body, checked)
                compared += 1
    assert compared > 500


WRONG: tuple[Any, ...] = (
    None,
    True,
    "3",
    "",
    3.0,
    3.5,
    -1,
    7,
    10**6,
    "x" * 200,
    [],
    {},
    ["x"],
    [None],
)


def spoiled(body: Any) -> Iterator[Any]:
    """The body, and bodies that differ from it in one place."""
    yield body
    for path in places(body):
        for wrong in WRONG:
            yield changed(body, path, wrong)
        yield changed(body, path, missing)
        yield changed(body, (*path, "stray"), 1)
    yield body | {"stray": 1}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    inner = enumerate(value) if isinstance(value, list) else ()
    for step, each in value.items() if isinstance(value, dict) else inner:
        yield from places(each, (*path, step))


def changed(body: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = deepcopy(body)
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    if not isinstance(holder, dict | list) or (isinstance(holder, list) and path[-1] == "stray"):
        return copy
    if value is missing:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return copy


def refusals(loader: Schema, body: Any) -> list[FieldError]:
    """Why the service refuses a body, leaving out what a JSON schema cannot say."""
    try:
        load(loader, body)
    except MalformedRequest as refused:
        return [fault for fault in refused.errors if not relates_two_members(fault)]
    return []


def relates_two_members(fault: FieldError) -> bool:
    compared = ("/players", "/setup/hands", "/setup/scores", "/setup/turn")
    return fault.pointer in compared and "seat" in fault.detail


def members(loader: Schema) -> dict[str, Any]:
    """A marshmallow schema as the plain JSON schema that it amounts to."""
    properties = {name: as_json_schema(field) for name, field in loader.fields.items()}
    needed = sorted(name for name, field in loader.fields.items() if field.required)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": properties,
        **MEMBERS_TOGETHER.get(type(loader), {}),
    }


def as_json_schema(field: fields.Field[Any]) -> dict[str, Any]:  # noqa: C901  # a case a field
    match field:
        case WholeNumber(least=low, most=high):
            found: dict[str, Any] = {"type": "integer", "minimum": low, "maximum": high}
        case Flag():
            found = {"type": "boolean"}
        case Choice(words=words):
            found = {"type": "string", "enum": list(words)}
        case Text(least=shortest, most=longest):
            found = {"type": "string", "minLength": shortest, "maxLength": longest}
            if isinstance(field, PlayerName | WebAddress):
                found["pattern"] = field.pattern
        case CursorText(pattern=pattern):
            found = {"type": "string", "pattern": pattern}
        case JsonObject():
            found = {"type": "object", "additionalProperties": True}
        case ListOf(inner=inner):
            found = sized(field, as_json_schema(inner))
        case TileName():
            found = {"type": "string", "enum": list(NAMES)}
        case Placements(reach=reach):
            along = {"type": "integer", "minimum": -reach, "maximum": reach}
            placement = {"tile": {"type": "string", "enum": list(NAMES)}, "x": along, "y": along}
            found = sized(
                field,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["tile", "x", "y"],
                    "properties": placement,
                },
            )
        case ObjectOf(schema=nested):
            found = members(nested)
        case _:
            raise AssertionError(f"no JSON schema is known for {field!r}")
    if field.allow_none:
        found["nullable"] = True
    default = field.load_default() if callable(field.load_default) else field.load_default
    if default is not missing and default is not None:
        found["default"] = default
    return found


def sized(field: Any, items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "minItems": field.least, "maxItems": field.most, "items": items}


def plain(stated: dict[str, Any]) -> dict[str, Any]:
    """A schema of the contract without words, and with null said in one way."""
    if "oneOf" in stated:
        only, null = stated["oneOf"]
        assert null == {"type": "null"}
        return plain(only) | {"nullable": True}
    found = {
        name: value
        for name, value in stated.items()
        if name not in ("title", "description") and (name, value) != ("default", None)
    }
    if isinstance(found["type"], list):
        found["type"], null = found["type"]
        assert null == "null"
        found["nullable"] = True
    if "properties" in found:
        found["properties"] = {name: plain(each) for name, each in found["properties"].items()}
        found["required"] = sorted(found.get("required", []))
    if "items" in found:
        found["items"] = plain(found["items"])
    if found.get("pattern") == TILE_NAME:
        return {"type": "string", "enum": list(NAMES)}
    return found
