"""Whatever nonsense is sent gets a 4xx problem and changes nothing."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.client import JSON, Answer, Client, Table
from tests.api.positions import OTHER, finished, in_play, waiting

POSTS = ("players", "deal", "bids", "plays", "plays/preview", "exchanges", "passes", "resignations")
PLACEMENT = {"tile": "red-diamond", "x": 2, "y": 0}
BROKEN = {
    "broken JSON": b'{"placements": [',
    "two values": b"{} {}",
    "a trailing comma": b'{"length": 1,}',
    "single quotes": b"{'length': 1}",
    "no object": b"[]",
    "a string": b'"x"',
    "a number": b"1",
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

NEED_NO_BODY = {
    "deal": lambda client: client.create(),
    "passes": lambda client: client.position("ro", "bs yd g*", OTHER),
    "resignations": in_play,
    "tokens": in_play,
    "rematch": finished,
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
    for wrong in (*WRONG, 1001, -1001, "red-circle " if part == "tile" else "0", 0.1):
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


def test_a_compressed_body_is_refused(tables: list[Table]) -> None:
    body = gzip.compress(json.dumps({"placements": [PLACEMENT]}).encode())
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    answer = tables[0].act(0, "plays", body, headers=headers)
    assert b"gzip" in answer.refused(415, "unsupported_media_type").body


@pytest.mark.parametrize("what", NEED_NO_BODY)
def test_an_operation_that_needs_no_body_takes_none_an_empty_object_and_null(
    what: str, client: Client
) -> None:
    """None comes with or without a content type; so do the others."""
    for body, header in (
        (None, {}),
        (b"", {"Content-Type": "text/plain"}),
        (b"", {"Content-Type": JSON}),
        (b" \n", {}),
        (b"{}", {}),
        (b"{}", {"Content-Type": ""}),
        (b" {} \n", {"Content-Type": f"{JSON}; charset=UTF-8"}),
        (b"null", {}),
        (b" null ", {"Content-Type": ""}),
    ):
        table = NEED_NO_BODY[what](client)
        answer = table.act(None, what, body, token=token_for(table, what), headers=header)
        answer.ok(200 if what == "deal" else 201)


@pytest.mark.parametrize("what", NEED_NO_BODY)
def test_an_operation_that_needs_no_body_refuses_everything_else(what: str, client: Client) -> None:
    table = NEED_NO_BODY[what](client)
    for body in (b"[]", b"0", b"false", b'""', b"{", b'{"stray": 1}', b"[null]", b"null null"):
        refused(table.act(None, what, body, token=token_for(table, what)))


@pytest.mark.parametrize("body", [b"", b" ", b"null"])
def test_an_operation_that_needs_a_body_refuses_none_and_null(
    body: bytes, tables: list[Table]
) -> None:
    for what in ("players", "bids", "plays", "plays/preview", "exchanges"):
        refused(tables[0].act(0, what, body))
    refused(tables[0].act(None, "forks", body, token=tables[0].host))
    refused(tables[0].client.post("/v1/games", body))
    refused(tables[0].client.post("/v1/records/verify", body))


@pytest.mark.parametrize("size", [65_537, 2_000_000])
def test_a_body_too_large_is_refused_whole_or_in_chunks(size: int, tables: list[Table]) -> None:
    table = tables[0]
    body = json.dumps({"placements": [PLACEMENT], "x": "x" * size}).encode()
    for path in (table.path("/plays"), table.path("/passes"), table.path("/plays/preview")):
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


def test_operations_without_parameters_take_none(tables: list[Table]) -> None:
    table = tables[0]
    for rest in ("", "/score", "/unseen", "/hand"):
        table.look(0, f"{rest}?x=1").refused(400, "malformed_request")
    bodies = {
        "players": {"name": "Eve"},
        "bids": {"length": 1},
        "plays": {"placements": [PLACEMENT]},
        "plays/preview": {"placements": [PLACEMENT]},
        "exchanges": {"tiles": ["red-diamond"]},
    }
    for what in POSTS:
        answer = table.act(None, f"{what}?x=1", bodies.get(what), token=token_for(table, what))
        errors = answer.refused(400, "malformed_request").json["errors"]
        assert [error["pointer"] for error in errors] == ["query:x"]
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


ACCEPTS = ("text/html", "application/json;q=0", "image/png", "text/event-stream", "*/*", "", ",;=")
ACCEPTS += ("application/json, text/event-stream, */*", ", ".join(["text/html"] * 600))


@pytest.mark.parametrize("accept", ACCEPTS)
def test_the_accept_header_is_not_looked_at(accept: str, tables: list[Table]) -> None:
    header, table = {"Accept": accept}, tables[0]
    for rest in ("", "/events", "/record", "/board.svg", "/legal-plays"):
        plain = table.look(0, rest).ok(200)
        answer = table.look(0, rest, headers=header).ok(200)
        assert answer.body == plain.body
        assert answer.headers["content-type"] == plain.headers["content-type"]
    table.preview(0, "rd@2,0", headers=header).ok(200)
    table.preview(0, "rd@0,0", headers=header).refused(422, "cell_occupied")
    table.client.post("/v1/games", {"seats": 2}, headers=header).ok(201)
    table.client.post("/v1/records/verify", {}, headers=header).ok(200)
    table.client.get("/v1/editions", headers=header).ok(200)


def test_a_list_of_languages_without_end_is_not_read(client: Client) -> None:
    """To read a head full of them would keep a worker from everybody else for seconds."""
    wished = {"Accept-Language": "de, " + ", ".join(["x"] * 2000)}
    answer = client.get("/v1/games/nobody", headers=wished).refused(404, "game_not_found")
    assert answer.headers["content-language"] == "en"


HEADERS = ("X-Request-ID", "If-None-Match", "Accept-Language", "Cookie", "Accept", "Host", "Range")


@pytest.mark.parametrize("name", HEADERS)
def test_garbage_in_headers_never_breaks_a_read(name: str, tables: list[Table]) -> None:
    for garbage in ("\xff\xfe", ",;=", "x" * 8000, '"', "\t", "%00", "bytes=0-1", "W/", "a:b:c/d"):
        status = tables[0].look(0, headers={name: garbage}).status
        assert status in {200, 400}, (garbage, status)
