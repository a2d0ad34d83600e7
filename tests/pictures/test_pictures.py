"""Pictures of games, asked for over HTTP."""

import pytest

from tests.api.client import Client, Table, client_of
from tests.api.positions import BAG, HAND, OTHER, ROW, in_play
from tests.pictures.picture_reader import Picture, png_size
from tests.servers import QwirkleServer

FORMS = {"/board.svg": "image/svg+xml", "/board.png": "image/png"}


@pytest.fixture(scope="module")
def client(qwirkle_server: QwirkleServer) -> Client:
    return client_of(qwirkle_server)


@pytest.fixture(params=FORMS)
def rest(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


def test_the_picture_shows_the_board_and_the_last_play(table: Table) -> None:
    table.play(0, "rd@2,0").ok(201)
    table.exchange(1, "rc").ok(201)
    picture = Picture.of(table.look(rest="/board.svg").ok(200).body)
    board = table.view()["board"]
    assert picture.tiles == {(tile["x"], tile["y"]): tile["tile"] for tile in board}
    assert picture.marked == {(2, 0)}


def test_a_game_before_the_deal_has_a_picture_of_the_empty_table(client: Client, rest: str) -> None:
    answer = client.create(players=2).look(rest=rest).ok(200)
    assert answer.headers["content-type"].startswith(FORMS[rest])
    assert len(answer.body) > 200


def test_a_picture_says_of_itself_what_every_answer_about_a_game_says(
    table: Table, rest: str
) -> None:
    answer = table.look(rest=rest).ok(200)
    assert answer.etag == table.look().etag
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["x-content-type-options"] == "nosniff"
    known = {"If-None-Match": answer.etag}
    again = table.look(rest=rest, headers=known)
    assert (again.status, again.body) == (304, b"")
    table.play(0, "rd@2,0").ok(201)
    assert table.look(rest=rest, headers=known).ok(200).body != answer.body


def test_a_head_request_gets_the_head_alone(table: Table, rest: str) -> None:
    answer = table.client.send("HEAD", table.path(rest)).ok(200)
    assert answer.body == b""
    assert answer.etag == table.look().etag


def test_the_longer_side_is_as_asked(table: Table) -> None:
    for size in (64, 333, 4096):
        svg = table.look(rest=f"/board.svg?size={size}").ok(200).body
        assert max(Picture.of(svg).size) == size
    for size in (64, 333, 1200):
        png = table.look(rest=f"/board.png?size={size}&theme=dark").ok(200).body
        assert max(png_size(png)) == size
    assert max(Picture.of(table.look(rest="/board.svg").body).size) == 600


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ("/board.svg?size=63", "query:size"),
        ("/board.svg?size=4097", "query:size"),
        ("/board.png?size=1201", "query:size"),
        ("/board.png?size=1e3", "query:size"),
        ("/board.svg?theme=pink", "query:theme"),
        ("/board.svg?turn=3", "query:turn"),
    ],
)
def test_a_picture_that_is_not_to_be_had_is_refused(table: Table, asked: str, pointer: str) -> None:
    problem = table.look(rest=asked).refused(400, "malformed_request").json
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


@pytest.mark.parametrize("accept", ["image/*", "application/problem+json", "image/*;q=0"])
def test_a_picture_is_the_same_whatever_is_accepted(table: Table, rest: str, accept: str) -> None:
    answer = table.look(rest=rest, headers={"Accept": accept}).ok(200)
    assert answer.headers["content-type"] == FORMS[rest]


def test_tables_that_differ_only_in_what_is_hidden_look_the_same(client: Client, rest: str) -> None:
    tables = [
        client.position(ROW, HAND, OTHER, bag=BAG),
        client.position(ROW, OTHER, HAND, bag=" ".join(reversed(BAG.split()))),
    ]
    tokens = (None, tables[0].tokens[0], tables[0].tokens[1], tables[0].host)
    seen = [tables[0].look(rest=rest, token=token).ok(200).body for token in tokens]
    seen.append(tables[1].look(rest=rest).ok(200).body)
    assert len(set(seen)) == 1
