"""Who may do what: every route against every kind of caller."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import in_play, waiting
from tests.contract.document import operations
from tests.servers import QwirkleServer


@dataclass(frozen=True)
class Route:
    """A route of a game: who may use it, and a body that it understands."""

    method: str
    rest: str
    who: str
    body: object = None

    def __str__(self) -> str:
        return f"{self.method} {self.rest or '/'}"


PLAY = {"placements": [{"tile": "red-diamond", "x": 2, "y": 0}]}
ROUTES = [
    Route("GET", "", "anyone"),
    Route("GET", "/score", "anyone"),
    Route("GET", "/unseen", "anyone"),
    Route("GET", "/events", "anyone"),
    Route("GET", "/events/stream", "anyone"),
    Route("GET", "/record", "anyone"),
    Route("GET", "/board.svg", "anyone"),
    Route("GET", "/board.png", "anyone"),
    Route("GET", "/hand", "player"),
    Route("GET", "/legal-plays", "player"),
    Route("POST", "/players", "anyone", {"name": "Eve"}),
    Route("POST", "/bids", "player", {"length": 3}),
    Route("POST", "/plays", "player", PLAY),
    Route("POST", "/plays/preview", "player", PLAY),
    Route("POST", "/exchanges", "player", {"tiles": ["red-diamond"]}),
    Route("POST", "/passes", "player"),
    Route("POST", "/resignations", "player"),
    Route("PATCH", "", "host", {"metadata": {"room": 1}}),
    Route("POST", "/bots", "host", {"bot": "greedy"}),
    Route("DELETE", "/players/{seat}", "host"),
    Route("POST", "/deal", "host"),
    Route("POST", "/rematch", "player or host"),
    Route("POST", "/tokens", "player or host"),
    Route("POST", "/forks", "host", {"after": 1}),
    Route("DELETE", "", "host"),
]
Send = Callable[..., Answer]


@pytest.fixture(params=ROUTES, ids=str)
def route(request: pytest.FixtureRequest) -> Route:
    return request.param


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


@pytest.fixture
def send(route: Route, table: Table, client: Client) -> Send:
    return partial(client.send, route.method, table.path(route.rest.format(seat=1)), route.body)


def test_every_route_of_a_game_is_in_the_matrix() -> None:
    stated = {
        (each.method.upper(), each.path.removeprefix("/v1/games/{game_id}"))
        for each in operations()
        if "{game_id}" in each.path
    }
    assert {(route.method, route.rest.partition("?")[0]) for route in ROUTES} == stated


def test_without_a_token_only_what_is_for_anyone(route: Route, send: Send) -> None:
    answer = send()
    if route.who == "anyone":
        assert answer.status not in {401, 403}
    else:
        answer.refused(401, "token_missing")
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_player_gets_what_is_for_players(route: Route, send: Send, table: Table) -> None:
    answer = send(token=table.tokens[0])
    if route.who == "host":
        answer.refused(403, "host_only")
    else:
        assert answer.status not in {401, 403}


def test_the_host_gets_what_is_for_the_host(route: Route, send: Send, table: Table) -> None:
    answer = send(token=table.host)
    if route.who == "player":
        answer.refused(403, "player_only")
    else:
        assert answer.status not in {401, 403}


def test_a_token_that_is_not_this_games_is_refused_everywhere(
    send: Send, table: Table, client: Client
) -> None:
    other = in_play(client)
    mine, host = table.tokens[0], table.host
    swapped = "qwp_1_" + mine.removeprefix("qwp_0_")
    beyond = "qwp_3_" + mine.removeprefix("qwp_0_")
    last = "A" if mine[-2] != "A" else "B"
    wrong = [other.tokens[0], other.tokens[1], other.host, swapped, beyond, "garbage", "qwp_", "x"]
    wrong += [mine[:-2] + last + mine[-1], mine + "A", mine[:-1], mine.upper(), "qwh_", "qwp_0_"]
    wrong += ["qwp_0_" + host.removeprefix("qwh_"), "qwh_" + mine.removeprefix("qwp_0_"), "\xe9"]
    before = table.look(0)
    for token in wrong:
        send(token=token).refused(401, "token_invalid")
    assert table.look(0).etag == before.etag


NO_BEARER = ("", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Token x", "bearer", ",", "Bearer\t")


def test_a_header_that_is_no_bearer_is_refused_everywhere(send: Send) -> None:
    for header in NO_BEARER:
        answer = send(headers={"Authorization": header}).refused(401, "token_invalid")
        assert "Bearer <token>" in answer.json["detail"]


def test_the_scheme_may_be_written_in_any_case(table: Table) -> None:
    for scheme in ("bearer", "BEARER", "Bearer "):
        header = {"Authorization": f"{scheme} {table.tokens[0]}"}
        assert table.view(headers=header)["you"]["seat"] == 0


def test_a_token_speaks_for_its_own_seat_alone(table: Table) -> None:
    table.play(1, "rc@2,0").refused(409, "not_your_turn")
    assert table.hand(0) != table.hand(1)
    assert [table.view(seat)["you"]["seat"] for seat in (0, 1)] == [0, 1]


def test_a_token_is_void_once_its_waiting_seat_was_left(route: Route, client: Client) -> None:
    table = waiting(client)
    old = table.tokens[1]
    table.resign(1).ok(201)
    path = table.path(route.rest.format(seat=0))
    client.send(route.method, path, route.body, token=old).refused(401, "token_invalid")


def test_the_next_player_of_a_seat_gets_another_token(client: Client) -> None:
    table = waiting(client)
    old = table.tokens[1]
    table.resign(1).ok(201)
    assert table.join("Fay").ok(201).json["seat"] == 1
    assert table.tokens[1] != old
    assert table.view(1)["you"]["seat"] == 1
    table.look(token=old).refused(401, "token_invalid")


def test_a_player_who_left_the_game_still_watches_from_the_seat(client: Client) -> None:
    table = client.create(players=3, seed="left")
    table.deal().ok(200)
    table.resign(1).ok(201)
    view = table.view(1)
    assert view["you"] == {"seat": 1, "hand": [], "actions": []}
    table.bid(1, 1).refused(409, "wrong_phase")
    table.resign(1).refused(409, "wrong_phase")


# Creating

KEYS = ("a-key-of-the-house", "another-key")


@pytest.fixture(scope="module")
def guarded(kept_qwirkle: Callable[..., QwirkleServer]) -> Client:
    return client_of(kept_qwirkle(QWIRKLE_API_KEYS=",".join(f"acme:{key}" for key in KEYS)))


def test_where_keys_are_set_creating_needs_one(guarded: Client) -> None:
    body = {"seats": 2}
    guarded.post("/v1/games", body).refused(403, "api_key_required")
    guarded.post("/v1/games", body, token="a-key").refused(401, "token_invalid")
    for key in KEYS:
        guarded.post("/v1/games", body, token=key).ok(201)
    header = {"Authorization": f"Basic {KEYS[0]}"}
    guarded.post("/v1/games", body, headers=header).refused(401, "token_invalid")


def test_a_games_own_tokens_create_no_games(guarded: Client) -> None:
    table = guarded.create(api_key=KEYS[0])
    for token in (table.host, table.tokens[0]):
        guarded.post("/v1/games", {"seats": 2}, token=token).refused(401, "token_invalid")


def test_where_no_keys_are_set_an_unknown_token_is_refused_all_the_same(client: Client) -> None:
    client.post("/v1/games", {"seats": 2}, token="anything").refused(401, "token_invalid")


def test_tokens_are_recognisable_and_bound_to_their_seat(table: Table) -> None:
    for seat, token in enumerate(table.tokens):
        assert token.startswith(f"qwp_{seat}_")
        assert len(token) == len("qwp_0_") + 43
    assert table.host.startswith("qwh_")


def test_no_token_or_key_is_ever_logged(start_qwirkle: Callable[..., QwirkleServer]) -> None:
    settings = {
        "QWIRKLE_API_KEYS": ",".join(f"acme:{key}" for key in KEYS),
        "QWIRKLE_LOG_LEVEL": "debug",
    }
    server = start_qwirkle(workers=1, **settings)
    client = client_of(server)
    table = client.create(api_key=KEYS[0])
    table.deal().ok(200)
    table.bid(0, 6)
    table.look(token="qwp_0_wrongwrong").refused(401, "token_invalid")
    client.post("/v1/games", b"{").refused(403, "api_key_required")
    server.stop()
    for secret in (table.host, *table.tokens, KEYS[0], "wrongwrong"):
        assert secret not in server.errors
