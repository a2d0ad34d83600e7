"""Play now: who asks for the same kind of table meets, however many ask at once."""

from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex
from typing import Any

import pytest

from service.store.embedded import EmbeddedStore
from service.store.hourly_limits import MOST_JOINS
from tests.api.client import Client, Table
from tests.api.lobbies import ask, ask_at_once, kind, leave_alone, lobby, shown
from tests.api.positions import waiting


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_200_who_ask_at_once_end_at_full_tables(client: Client, seats: int) -> None:
    tables = ask_at_once(client, kind(seats), 200)
    full, left = divmod(200, seats)
    assert tables == {seats: full} | ({left: 1} if left else {})


def test_the_first_opens_a_table_and_the_last_starts_the_game(client: Client) -> None:
    wish = kind(3)
    first, *others = [ask(client, wish, name).ok(201).json for name in ("Ada", "Ben", "Cleo")]
    game = first["game"]
    assert (game["listed"], game["auto_deal"], game["private"]) == (True, True, False)
    assert [each["seat"] for each in (first, *others)] == [0, 1, 2]
    assert {each["game"]["id"] for each in others} == {game["id"]}
    path = f"/v1/games/{game['id']}"
    view = client.get(path, token=first["token"]).ok(200).json
    assert (view["status"], view["you"]["seat"], view["host"]) == ("bidding", 0, None)
    assert not shown(client, game["id"])
    assert ask(client, wish).ok(201).json["game"]["id"] != game["id"]


def test_only_tables_of_the_same_kind_are_joined(client: Client) -> None:
    wish = kind(2)
    there = ask(client, wish).ok(201).json["game"]["id"]
    others = ({"seats": 3}, {"edition": "polish"}, {"turn_seconds": None}, {"turn_seconds": 11})
    for other in others:
        assert ask(client, wish | other).ok(201).json["game"]["id"] != there
    assert ask(client, wish).ok(201).json["game"]["id"] == there


@pytest.mark.parametrize("joins", [False, True])
def test_a_repeated_request_gets_the_same_seat(client: Client, joins: bool) -> None:
    wish, key = kind(3), token_hex(16)
    if joins:
        ask(client, wish, "Host").ok(201)
    first = ask(client, wish, key=key, body={"entropy": "dice"}).ok(201)
    again = ask(client, wish, key=key, body={"entropy": "dice"}).ok(201)
    assert (again.json, again.replayed) == (first.json, True)
    ask(client, wish, "Eve", key=key).refused(422, "idempotency_key_reused")
    ask(client, wish, "Ben").ok(201)
    assert ask(client, wish, key=key, body={"entropy": "dice"}).ok(201).json == first.json


@pytest.mark.parametrize("joins", [False, True])
def test_the_same_request_sent_by_many_at_once_takes_one_seat(client: Client, joins: bool) -> None:
    for _ in range(5):
        wish, key = kind(4), token_hex(16)
        if joins:
            ask(client, wish, "Host").ok(201)
        with ThreadPoolExecutor(12) as crowd:
            answers = list(crowd.map(lambda _: ask(client, wish, key=key), range(12)))  # noqa: B023
        assert {answer.status for answer in answers} <= {201, 409}
        assert len({answer.body for answer in answers if answer.status == 201}) == 1
        (table,) = [t for t in lobby(client, seats=4) if t["turn_seconds"] == wish["turn_seconds"]]
        assert table["taken"] == 1 + joins


def test_tables_opened_by_hand_are_joined_if_they_are_fair(client: Client) -> None:
    wish = kind(2)
    choices = {"seats": 2, "players": 1, "listed": True, "turn_seconds": wish["turn_seconds"]}
    for unfair in ({"seed": "known"}, {"setup": {"bag": None}}, {"private": True}):
        waiting(client, **choices | unfair)
    fair = waiting(client, **choices)
    assert ask(client, wish).ok(201).json["game"]["id"] == fair.id


def test_a_table_that_is_no_longer_open_is_not_offered(client: Client) -> None:
    def opened(**choices: object) -> Table:
        more = {"seats": 2, "players": 1, "listed": True, **wish, **choices}
        return waiting(client, **more)

    wish = kind(2)
    opened().update(listed=False).ok(200)
    opened().update(private=True).ok(200)
    opened().update(turn_seconds=10).ok(200)
    opened().update(seats=3).ok(200)
    opened().delete().ok(204)
    opened().join("Late").ok(201)
    found = ask(client, wish).ok(201).json
    assert (found["seat"], len(found["game"]["players"])) == (0, 1)


def test_a_seat_that_opens_again_is_offered_again(client: Client) -> None:
    wish = kind(2)
    table = waiting(client, players=1, listed=True, **wish)
    taken = table.join("Ben").ok(201).json
    assert not shown(client, table.id)
    table.act(None, "resignations", token=taken["token"]).ok(201)
    assert ask(client, wish).ok(201).json["game"]["id"] == table.id


def test_nobody_is_matched_to_a_table_that_its_people_have_left(
    client: Client, store_server: EmbeddedStore
) -> None:
    wish = kind(2)
    alone = ask(client, wish).ok(201).json
    path = f"/v1/games/{alone['game']['id']}"
    leave_alone(store_server.url, alone["game"])
    assert not shown(client, alone["game"]["id"])
    other = ask(client, wish, "Ben").ok(201).json
    assert other["game"]["id"] != alone["game"]["id"]
    # A stranger's look brings nothing back, the player's does.
    client.get(path).ok(200)
    assert not shown(client, alone["game"]["id"])
    client.get(path, token=alone["token"]).ok(200)
    assert shown(client, alone["game"]["id"])
    assert ask(client, wish, "Cleo").ok(201).json["game"]["id"] == alone["game"]["id"]


def test_nobody_is_matched_to_a_table_whose_last_person_has_left(client: Client) -> None:
    wish = kind(3)
    left = ask(client, wish).ok(201).json
    client.post(f"/v1/games/{left['game']['id']}/resignations", token=left["token"]).ok(201)
    assert not shown(client, left["game"]["id"])
    assert ask(client, wish, "Ben").ok(201).json["game"]["id"] != left["game"]["id"]


def test_nobody_plays_against_themselves(client: Client) -> None:
    wish = kind(2) | {"ref": "user-1"}
    first, second = (ask(client, wish).ok(201).json["game"]["id"] for _ in range(2))
    assert first != second
    assert ask(client, wish | {"ref": "user-2"}).ok(201).json["game"]["id"] == first


def test_who_came_and_went_too_often_is_seated_at_another_table(client: Client) -> None:
    wish = kind(4)
    first = ask(client, wish).ok(201).json["game"]["id"]
    for _ in range(MOST_JOINS):
        come_and_go(client, wish, first)
    second = ask(client, wish, "Ben").ok(201).json["game"]["id"]
    assert second != first
    assert ask(client, wish, "Cleo").ok(201).json["game"]["id"] == second
    assert {table["taken"] for table in lobby(client, seats=4) if table["id"] == first} == {1}


def test_a_back_end_seats_its_users_as_often_as_they_come_and_go(keyed: Client) -> None:
    wish, key = kind(4), "k" * 20
    table = ask(keyed, wish, token=key).ok(201).json["game"]["id"]
    for _ in range(MOST_JOINS + 1):
        come_and_go(keyed, wish, table, token=key)


def come_and_go(client: Client, wish: dict[str, Any], game_id: str, **rest: Any) -> None:
    """Be matched to this table, and leave it."""
    taken = ask(client, wish, "Ben", **rest).ok(201).json
    assert taken["game"]["id"] == game_id
    client.post(f"/v1/games/{game_id}/resignations", token=taken["token"]).ok(201)


def test_a_match_needs_what_a_creation_needs(keyed: Client) -> None:
    ask(keyed, kind()).refused(403, "api_key_required")
    ask(keyed, kind(), token="x" * 20).refused(401, "token_invalid")
    wish = kind()
    ada = ask(keyed, wish, token="k" * 20, body={"ref": "user-1"}).ok(201).json
    assert ada["game"]["host"] is None
    seen = keyed.get(f"/v1/games/{ada['game']['id']}", token="k" * 20).ok(200).json
    assert seen["host"]["players"] == [{"seat": 0, "ref": "user-1"}]
    assert not shown(keyed, ada["game"]["id"])
    assert shown(keyed, ada["game"]["id"], token="k" * 20)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"seats": 5}, "/seats"),
        ({"seats": None}, "/seats"),
        ({"turn_seconds": 9}, "/turn_seconds"),
        ({"edition": "chess"}, "/edition"),
        ({"name": " "}, "/name"),
        ({"age": -1}, "/age"),
        ({"entropy": "x" * 65}, "/entropy"),
        ({"private": True}, "/private"),
    ],
)
def test_what_is_malformed_is_pointed_at(
    client: Client, change: dict[str, object], pointer: str
) -> None:
    refused = ask(client, kind() | change).refused(400, "malformed_request")
    assert [error["pointer"] for error in refused.json["errors"]] == [pointer]
