"""Whatever nonsense is sent gets a 4xx problem and changes nothing."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.client import JSON, Answer, Client, Table
from tests.api.positions import in_play, waiting

POSTS = ("players", "deal", "bids", "plays", "exchanges", "passes", "resignations")
PLACEMENT = {"tile": "red-diamond", "x": 2, "y": 0}
BROKEN = {
    "broken JSON": b'{"placements": [',
    "two values": b"{} {}",
    "a trailing comma": b'{"length": 1,}',
    "single quotes": b"{'length': 1}",
    "no object": b"[]",
    "a string": b'"x"',
    "a number": b"1",
    "null": b"null",
    "not a number": b'{"length": NaN}',
    "infinity": b'{"length": -Infinity}',
    "a huge number": b'{"length": 1e999}',
    "a huge integer": b'{"length": ' + b"9" * 5000 + b"}",
    "deep nesting": b"[" * 20_000 + b"]" * 20_000,
    "deep objects": b'{"a":' * 6_000 + b"1" + b"}" * 6_000,
    "a member twice": b'{"length": 1, "length": 1}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"length": 1}'.encode("utf-16"),
    "bad UTF-8": b'{"name": "\xff\xfe"}',
    "half a pair": b'{"name": "\\ud800"}',
    "a zero byte": b'{"length": 1}\x00',
    "a form": b"length=1&x=2",
    "an unknown member": b'{"stray": 1}',
    "a member of marshmallow": b'{"_schema": 1}',
}


@pytest.fixture(scope="module")
def tables(client: Client) -> Iterator[list[Table]]:
    """Games that must look the same after everything that was thrown at them."""
    tables = [in_play(client), waiting(client)]
    before = [(table.look(0).etag, table.look(0).body) for table in tables]
    yield tables
    assert [(table.look(0).etag, table.look(0).body) for table in tables] == before


def token_for(table: Table, what: str) -> str:
    return table.host if what == "deal" else table.tokens[0]


def refused(answer: Answer) -> None:
    answer.refused(400, "malformed_request")
    for error in answer.json["errors"]:
        assert error["detail"]
        assert not error["detail"].endswith(".")


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_a_body_that_is_no_right_json_is_refused(body: bytes, tables: list[Table]) -> None:
    refused(tables[0].client.post("/v1/games", body))
    for table in tables:
        for what in POSTS:
            refused(table.act(None, what, body, token=token_for(table, what)))


def test_an_empty_body_is_told_as_empty(tables: list[Table]) -> None:
    answer = tables[0].act(0, "plays", b"").refused(400, "malformed_request")
    assert "empty" in answer.json["detail"]


WRONG: tuple[Any, ...] = (None, True, "x", "", 1.5, -1, 7, 2**70, [], {}, [None], [[]], [1] * 109)


@pytest.mark.parametrize("what", ["bids", "plays", "exchanges", "players"])
def test_wrong_types_are_pointed_at(what: str, tables: list[Table]) -> None:
    member = {"bids": "length", "plays": "placements", "exchanges": "tiles", "players": "name"}
    for wrong in WRONG:
        if what == "players" and wrong == "x":
            continue
        body = {member[what]: wrong}
        answer = tables[0].act(0, what, body).refused(400, "malformed_request")
        assert answer.json["errors"][0]["pointer"].startswith(f"/{member[what]}")


@pytest.mark.parametrize("part", ["tile", "x", "y"])
def test_a_wrong_part_of_a_placement_is_pointed_at(part: str, tables: list[Table]) -> None:
    for wrong in (*WRONG, 1001, -1001, "red-circle " if part == "tile" else "0", 2.0):
        if part != "tile" and wrong in (-1, 7):
            continue
        body = {"placements": [PLACEMENT, PLACEMENT | {part: wrong}]}
        errors = tables[0].act(0, "plays", body).refused(400, "malformed_request").json["errors"]
        assert [error["pointer"] for error in errors] == [f"/placements/1/{part}"]


def test_every_fault_is_named_up_to_a_limit(tables: list[Table]) -> None:
    body = {"edition": "x", "seats": 9, "private": 1, "stray": 1, "seed": ""}
    errors = tables[0].client.post("/v1/games", body).json["errors"]
    assert {error["pointer"] for error in errors} == {f"/{name}" for name in body}
    many = {f"stray{n}": 1 for n in range(500)}
    assert len(tables[0].client.post("/v1/games", many).json["errors"]) == 20


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/problem+json",
        "",
        "x",
        "\xe9",
    ],
)
def test_a_body_of_another_type_is_refused(kind: str, tables: list[Table]) -> None:
    body = json.dumps({"placements": [PLACEMENT]}).encode()
    header = {"Content-Type": kind}
    tables[0].act(0, "plays", body, headers=header).refused(415, "unsupported_media_type")
    if kind:
        tables[1].act(None, "deal", b"{}", token=tables[1].host, headers=header).refused(
            415, "unsupported_media_type"
        )


def test_an_operation_without_a_body_takes_none_of_any_type_and_an_empty_object(
    client: Client,
) -> None:
    for body, header in (
        (None, {}),
        (b"", {"Content-Type": "text/plain"}),
        (b"", {"Content-Type": JSON}),
        (b"{}", {}),
        (b" {} \n", {"Content-Type": f"{JSON}; charset=UTF-8"}),
    ):
        table = client.create()
        table.act(None, "deal", body, token=table.host, headers=header).ok(200)


@pytest.mark.parametrize("size", [65_537, 2_000_000])
def test_a_body_too_large_is_refused_whole_or_in_chunks(size: int, tables: list[Table]) -> None:
    table = tables[0]
    body = json.dumps({"placements": [PLACEMENT], "x": "x" * size}).encode()
    for path in (table.path("/plays"), table.path("/passes"), table.path("/plays?dry_run=true")):
        send = table.client.post
        whole = send(path, body, token=table.tokens[0]).refused(413, "body_too_large")
        assert "65536 bytes" in whole.json["detail"]
        chunks = (body[at : at + 8192] for at in range(0, len(body), 8192))
        send(path, chunks, token=table.tokens[0]).refused(413, "body_too_large")
        blanks = json.dumps({"placements": [PLACEMENT]}).encode().ljust(size)
        send(path, iter([blanks]), token=table.tokens[0]).refused(413, "body_too_large")


def test_a_body_of_the_largest_size_is_read_also_in_chunks(client: Client) -> None:
    for chunked in (False, True):
        table = in_play(client)
        body = json.dumps({"placements": [PLACEMENT]}).encode().ljust(65_536)
        sent: Any = iter([body[:10], body[10:]]) if chunked else body
        table.act(0, "plays", sent).ok(201)


BAD_QUERIES = (
    "limit=0",
    "limit=5001",
    "limit=-1",
    "limit=x",
    "limit=1.0",
    "limit=",
    "limit=%D9%A1",
)
BAD_QUERIES += ("limit=1&limit=1", "limit=1&limit=2", "sort=name", "sort=", "stray=1", "Limit=1")
BAD_QUERIES += ("limit=99999999999999999999", "%00=1", "=", "limit[]=1", "limit=1%00", "limit=+1")


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_a_strange_query_is_refused(query: str, tables: list[Table]) -> None:
    answer = tables[0].look(0, f"/legal-plays?{query}").refused(400, "malformed_request")
    assert answer.json["errors"][0]["pointer"].startswith("query:")


@pytest.mark.parametrize("query", ["dry_run=1", "dry_run=", "dry_run=TRUE", "dry_run=true&x=1"])
def test_a_play_with_a_strange_query_is_not_made(query: str, tables: list[Table]) -> None:
    body = {"placements": [PLACEMENT]}
    tables[0].act(0, f"plays?{query}", body).refused(400, "malformed_request")
    twice = "plays?dry_run=true&dry_run=false"
    tables[0].act(0, twice, body).refused(400, "malformed_request")


def test_operations_without_parameters_take_none(tables: list[Table]) -> None:
    table = tables[0]
    for rest in ("", "/score", "/unseen", "/hand"):
        table.look(0, f"{rest}?x=1").refused(400, "malformed_request")
    for what in POSTS:
        path = f"{what}?x=1"
        table.act(None, path, token=token_for(table, what)).refused(400, "malformed_request")
    table.client.get("/v1/editions?x=1").refused(400, "malformed_request")
    table.client.post("/v1/games?x=1", {"seats": 2}).refused(400, "malformed_request")
    table.client.send("DELETE", table.path("?x=1"), token=table.host).refused(
        400, "malformed_request"
    )


BAD_IDS = ("x", "A" * 26, "a" * 25, "a" * 27, "a" * 25 + "1", "a" * 25 + "%0A", "%E2%82%AC" * 9)
BAD_IDS += ("..", "%00" * 26, "*" * 26, "{" * 26, "a" * 3000)


@pytest.mark.parametrize("bad", BAD_IDS)
def test_an_id_that_cannot_be_one_is_not_found(bad: str, client: Client) -> None:
    client.get(f"/v1/games/{bad}").refused(404, "game_not_found")
    client.post(f"/v1/games/{bad}/passes").refused(404, "game_not_found")
    client.send("DELETE", f"/v1/games/{bad}").refused(404, "game_not_found")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/json;q=0"])
def test_who_cannot_take_json_is_told_so(accept: str, tables: list[Table]) -> None:
    header = {"Accept": accept}
    table = tables[0]
    table.look(0, headers=header).refused(406, "not_acceptable")
    table.play(0, "rd@2,0", headers=header).refused(406, "not_acceptable")
    table.play(0, "rd@2,0", headers=header, dry_run=True).refused(406, "not_acceptable")
    table.client.post("/v1/games", {"seats": 2}, headers=header).refused(406, "not_acceptable")


@pytest.mark.parametrize(
    "accept", ["*/*", "application/*", JSON, "text/html, */*;q=0.1", "application/json;q=0.5", ""]
)
def test_who_can_take_json_gets_it(accept: str, tables: list[Table]) -> None:
    tables[0].look(0, headers={"Accept": accept}).ok(200)


def test_wishes_without_end_are_not_read(client: Client, tables: list[Table]) -> None:
    """To read a head full of them would keep a worker from everybody else for seconds."""
    tables[0].look(0, headers={"Accept": ", ".join(["text/html"] * 600)}).ok(200)
    wished = {"Accept-Language": "de, " + ", ".join(["x"] * 2000)}
    answer = client.get("/v1/games/nobody", headers=wished).refused(404, "game_not_found")
    assert answer.headers["content-language"] == "en"


HEADERS = ("X-Request-ID", "If-None-Match", "Accept-Language", "Cookie", "Accept", "Host", "Range")


@pytest.mark.parametrize("name", HEADERS)
def test_garbage_in_headers_never_breaks_a_read(name: str, tables: list[Table]) -> None:
    for garbage in ("\xff\xfe", ",;=", "x" * 8000, '"', "\t", "%00", "bytes=0-1", "W/", "a:b:c/d"):
        status = tables[0].look(0, headers={name: garbage}).status
        assert status in {200, 400, 406}, (garbage, status)
