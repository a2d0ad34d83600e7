"""The short way through a schema agrees with marshmallow's own, whatever is sent."""

from random import Random
from typing import Any

import pytest
from marshmallow import Schema, ValidationError

from service.api import schemas
from service.api.json_body import load_plainly, plain_fields
from service.rules.tiles import NAMES

BODIES = 2000
PLAIN = {
    "play": schemas.PLAY,
    "exchange": schemas.EXCHANGE,
    "take_seat": schemas.TAKE_SEAT,
    "fork": schemas.FORK,
    "no_query": schemas.NO_QUERY,
    "play_query": schemas.PLAY_QUERY,
    "legal_plays_query": schemas.LEGAL_PLAYS_QUERY,
    "events_query": schemas.EVENTS_QUERY,
    "score_query": schemas.SCORE_QUERY,
}
MEMBERS = [
    "placements",
    "tiles",
    "tile",
    "x",
    "y",
    "name",
    "age",
    "join_code",
    "after",
    "limit",
    "wait",
    "sort",
    "dry_run",
    "length",
]


def anything(luck: Random, depth: int = 0) -> Any:
    """A value that somebody may send, often a fitting one."""
    simple: list[Any] = [
        luck.choice(NAMES),
        luck.randint(-1001, 1001),
        luck.randint(0, 6),
        luck.choice(["true", "false", "points", "0", "12", "-1", "", "x" * 65, " Ada ", "\x07"]),
        luck.choice([None, True, False, 1.5, 2**62]),
    ]
    kind = luck.randrange(8 if depth < 3 else 5)
    if kind < 5:
        return simple[kind]
    if kind == 5:
        return [anything(luck, depth + 1) for _ in range(luck.randrange(8))]
    if kind == 6:
        return {luck.choice(MEMBERS): anything(luck, depth + 1) for _ in range(luck.randrange(4))}
    return [placement(luck) for _ in range(luck.randint(0, 7))]


def placement(luck: Random) -> Any:
    whole = {"tile": luck.choice(NAMES), "x": luck.randint(-5, 5), "y": luck.randint(-1000, 1000)}
    return anything(luck, 3) if luck.random() < 0.05 else whole


def body_for(schema: Schema, luck: Random) -> dict[str, Any]:
    """An object with members of this schema and, now and then, others."""
    own = [*schema.fields, *schema.fields, *MEMBERS] if luck.random() < 0.2 else [*schema.fields]
    wanted = [name for name in own if luck.random() < 0.7]
    return {name: anything(luck) for name in wanted}


def loaded_by_the_library(schema: Schema, data: dict[str, Any]) -> Any:
    try:
        return schema.load(data)
    except ValidationError:
        return None


@pytest.mark.parametrize("name", PLAIN)
def test_both_ways_load_and_refuse_the_same(name: str) -> None:
    schema, luck = PLAIN[name], Random(name)
    taken = 0
    for _ in range(BODIES):
        data = body_for(schema, luck)
        expected = loaded_by_the_library(schema, data)
        assert load_plainly(schema, data) == expected, data
        taken += expected is not None
    assert 0 < taken < BODIES, "some are taken, some are not"


@pytest.mark.parametrize("schema", [schemas.NEW_GAME, schemas.BID], ids=["new_game", "bid"])
def test_a_schema_with_checks_beyond_its_fields_has_no_short_way(schema: Schema) -> None:
    assert plain_fields(schema) is None
    assert load_plainly(schema, {}) is None
