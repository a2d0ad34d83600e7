"""Tenants: whose key created a game decides whose keys may host it."""

from collections.abc import Callable
from typing import Any

import pytest

from service.store.embedded import EmbeddedStore
from service.store.hourly_limits import MOST_JOINS
from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import in_play, waiting
from tests.api.test_authorisation import ROUTES, Route
from tests.servers import SHARED, QwirkleServer

OLD, NEW, FOREIGN = "first-key-of-acme", "second-key-of-acme", "key-of-another-tenant"
KEYS = f"acme:{OLD}, acme:{NEW}, zebra:{FOREIGN}"
RETRY = "a-key-for-retries"


@pytest.fixture
def serve(
    store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> Callable[[str], Client]:
    """A client of a server with these API keys; all of them use the same store."""

    def with_keys(keys: str) -> Client:
        settings = SHARED | {"QWIRKLE_API_KEYS": keys}
        return client_of(kept_qwirkle(redis_url=store_server.url, workers=2, **settings))

    return with_keys


@pytest.fixture
def house(serve: Callable[[str], Client]) -> Client:
    return serve(KEYS)


def of_acme(house: Client, **choices: Any) -> Table:
    return waiting(house, api_key=OLD, **choices)


@pytest.mark.parametrize("route", ROUTES, ids=str)
@pytest.mark.parametrize("key", [OLD, NEW])
def test_every_key_of_a_tenant_may_do_what_the_host_may(
    route: Route, key: str, house: Client
) -> None:
    table = in_play(house, api_key=OLD)
    path = table.path(route.rest.format(seat=1))
    answer = house.send(route.method, path, route.body, token=key)
    if route.who == "player":
        answer.refused(403, "player_only")
    else:
        assert answer.status not in {401, 403}


@pytest.mark.parametrize("route", ROUTES, ids=str)
def test_in_anothers_game_a_tenants_key_is_like_no_token(route: Route, house: Client) -> None:
    table = in_play(house, api_key=OLD)
    path = table.path(route.rest.format(seat=1))
    before = table.look(0)
    answer = house.send(route.method, path, route.body, token=FOREIGN)
    if route.who == "anyone":
        without = house.send(route.method, path, route.body)
        assert answer.status == without.status
        if answer.headers["content-type"] == "application/json":
            assert (answer.body, answer.headers.get("etag")) == (
                without.body,
                without.headers.get("etag"),
            )
    else:
        answer.refused(403, "host_only" if route.who == "host" else "player_only")
    assert table.look(0).etag == before.etag


def test_a_tenants_key_shows_the_hosts_notes_of_its_games_alone(house: Client) -> None:
    table = of_acme(house, metadata={"room": 7})
    table.join(body={"ref": "user-3"}).ok(201)
    host = table.view(token=table.host)
    assert host["host"]["metadata"] == {"room": 7}
    assert host["host"]["players"][2] == {"seat": 2, "ref": "user-3"}
    assert table.view(token=OLD) == table.view(token=NEW) == host
    assert table.view(token=FOREIGN) == table.view()
    assert table.view()["host"] is None


def test_a_player_may_join_with_a_tenants_key_too(house: Client) -> None:
    table = of_acme(house, seats=4)
    for key in (OLD, FOREIGN):
        joined = table.join(f"by {key}", token=key).ok(201).json
        assert joined["game"]["you"]["seat"] == joined["seat"]
        assert joined["game"]["host"] is None


def test_a_tenant_joins_its_own_games_however_often(house: Client) -> None:
    """All its users come from the one address of its back end; elsewhere it is a stranger."""

    def come_and_go(key: str, *, by_code: bool) -> Answer:
        code = {"join_code": table.created["join_code"]} if by_code else {}
        path = "/v1/joins" if by_code else f"{table.path()}/players"
        joined = house.post(path, {"name": "Eve", **code}, token=key)
        if joined.status == 201:
            table.act(None, "resignations", token=joined.json["token"]).ok(201)
        return joined

    table = of_acme(house)
    for number in range(2 * MOST_JOINS + 2):
        come_and_go(NEW if number % 4 < 2 else OLD, by_code=number % 2 == 1).ok(201)
    for number in range(MOST_JOINS):
        come_and_go(FOREIGN, by_code=number % 2 == 1).ok(201)
    for by_code in (False, True):
        come_and_go(FOREIGN, by_code=by_code).refused(429, "rate_limited")


def test_a_key_that_is_nobodys_is_refused_in_every_game(house: Client) -> None:
    table = of_acme(house)
    for token in ("acme", f"acme:{OLD}", OLD[:-1], OLD + "x", OLD.upper()):
        table.look(token=token).refused(401, "token_invalid")
        house.post("/v1/games", {"seats": 2}, token=token).refused(401, "token_invalid")


def test_a_game_without_a_tenant_has_none_whose_key_hosts_it(
    serve: Callable[[str], Client], client: Client
) -> None:
    table = waiting(client)
    house = serve(KEYS)
    house.send("DELETE", table.path(), token=OLD).refused(403, "host_only")
    house.send("DELETE", table.path(), token=table.host).ok(204)


def test_retries_are_recognised_by_tenant_not_by_key(house: Client) -> None:
    """Also where a key is replaced between a request and its repetition."""
    table = of_acme(house)
    body = {"seats": 2, "metadata": {"for": table.id}}
    key = f"creation-{table.id}"
    first = house.post("/v1/games", body, token=OLD, key=key).ok(201)
    again = house.post("/v1/games", body, token=NEW, key=key).ok(201)
    assert again.replayed
    assert again.body == first.body
    others = house.post("/v1/games", body, token=FOREIGN, key=key).ok(201)
    assert not others.replayed
    assert others.json["game"]["id"] != first.json["game"]["id"]

    def seat_bot(token: str) -> Any:
        return table.add_bot(token=token, key=RETRY)

    assert seat_bot(NEW).ok(201).body == seat_bot(OLD).ok(201).body
    assert seat_bot(OLD).replayed
    assert table.version == 2
    # The host token is another caller: its keys are its own.
    assert seat_bot(table.host).refused(409, "table_full")


def test_keys_are_replaced_without_losing_a_game(serve: Callable[[str], Client]) -> None:
    """Old and new together for a while, then the new one alone."""
    before, during, since = (
        serve(keys) for keys in (f"acme:{OLD}", f"acme:{OLD},acme:{NEW}", f"acme:{NEW}")
    )
    table = of_acme(before, metadata={"n": 0})
    table.look(token=NEW).refused(401, "token_invalid")
    for number, (house, key) in enumerate([(during, OLD), (during, NEW), (since, NEW)], 1):
        body = {"metadata": {"n": number}}
        changed = house.send("PATCH", table.path(), body, token=key).ok(200).json
        assert changed["host"]["metadata"] == {"n": number}
    since.get(table.path(), token=OLD).refused(401, "token_invalid")
    since.post("/v1/games", {"seats": 2}, token=OLD).refused(401, "token_invalid")
    assert since.get(table.path(), token=table.host).ok(200).json["host"]["metadata"] == {"n": 3}


def test_a_tenant_without_a_host_token_gets_a_new_one(house: Client) -> None:
    table = of_acme(house)
    renewed = table.act(None, "tokens", token=NEW, key=RETRY).ok(201).json
    assert renewed["seat"] is None
    table.look(token=table.host).refused(401, "token_invalid")
    assert table.view(token=renewed["token"])["host"]
    assert table.act(None, "tokens", token=OLD, key=RETRY).ok(201).json == renewed


def test_rematches_and_forks_belong_to_the_tenant_too(house: Client) -> None:
    table = house.create(api_key=OLD, seed="tenant", metadata={"round": 1})
    table.update(metadata={"round": 2}).ok(200)
    copy = table.act(None, "forks", {"after": 1}, token=NEW).ok(201).json
    table.deal().ok(200)
    table.resign(0).ok(201)
    again = table.act(None, "rematch", token=NEW).ok(201).json
    for game in (copy["game"]["id"], again["game"]["id"]):
        seen = house.get(f"/v1/games/{game}", token=OLD).ok(200).json
        assert seen["host"]["metadata"] == {"round": 2}
        house.send("DELETE", f"/v1/games/{game}", token=FOREIGN).refused(403, "host_only")
