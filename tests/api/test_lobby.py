"""The lobby shows open tables, and nothing that is not meant for strangers."""

from secrets import token_hex

import pytest

from tests.api.client import Client
from tests.api.lobbies import kind, lobby, shown
from tests.api.positions import waiting


def test_a_listed_table_is_shown_by_names_alone(client: Client) -> None:
    players = [{"name": "Ada", "age": 9, "ref": "user-1"}, {"name": "Robo", "bot": "greedy"}]
    table = waiting(client, 4, players, listed=True, metadata={"room": 7}, turn_seconds=60)
    (row,) = [each for each in lobby(client, seats=4) if each["id"] == table.id]
    assert row == {
        "id": table.id,
        "edition": "schmidt",
        "seats": 4,
        "taken": 2,
        "names": ["Ada", "Robo"],
        "turn_seconds": 60,
        "seeded": False,
        "setup": False,
        "created_at": table.created["game"]["created_at"],
    }


def test_only_open_tables_are_shown(client: Client) -> None:
    tables = {
        "open": waiting(client, listed=True),
        "not listed": waiting(client),
        "private": waiting(client, listed=True, private=True),
        "full": client.create(listed=True),
        "left": waiting(client, 2, 1, listed=True),
        "deleted": waiting(client, listed=True),
        "hidden": waiting(client, listed=True),
    }
    tables["left"].join("Ben").ok(201)
    tables["left"].deal().ok(200)
    tables["deleted"].delete().ok(204)
    tables["hidden"].update(listed=False).ok(200)
    there = {each["id"] for each in lobby(client)}
    assert [name for name, table in tables.items() if table.id in there] == ["open"]
    tables["not listed"].update(listed=True).ok(200)
    assert shown(client, tables["not listed"].id)


def test_a_table_leaves_the_lobby_with_its_last_person(client: Client) -> None:
    robo = {"name": "Robo", "bot": "greedy"}
    for others in ([], [robo]):
        players = [{"name": "Ada"}, {"name": "Ben"}, *others]
        table = waiting(client, 4, players, listed=True)
        table.resign(1).ok(201)
        assert shown(client, table.id)
        table.resign(0).ok(201)
        table.look(token=table.host).ok(200)
        assert not shown(client, table.id)
        # Somebody who has its code, or its host, can bring it back.
        late = table.join("Late").ok(201).json["token"]
        assert shown(client, table.id)
        table.act(None, "resignations", token=late).ok(201)
        assert not shown(client, table.id)
        table.update(hints=False).ok(200)
        assert shown(client, table.id)


@pytest.mark.parametrize("players", [[], [{"name": "Robo", "bot": "greedy"}]])
def test_a_table_opened_without_people_is_shown(client: Client, players: list[object]) -> None:
    assert shown(client, waiting(client, 3, players, listed=True).id)


def test_tables_are_found_by_seats_and_edition(client: Client) -> None:
    table = waiting(client, 3, 1, listed=True, edition="travel")
    assert shown(client, table.id, seats=3, edition="travel")
    assert not shown(client, table.id, seats=2)
    assert not shown(client, table.id, edition="schmidt")
    table.update(seats=4).ok(200)
    assert shown(client, table.id, seats=4)
    assert not shown(client, table.id, seats=3)


def test_pages_show_every_table_once_while_others_come_and_go(client: Client) -> None:
    tables = [waiting(client, 3, 1, listed=True, edition="russian") for _ in range(9)]
    wanted, seen, cursor = [table.id for table in tables[::-1]], [], ""
    for number in range(9):
        query = f"?edition=russian&limit=1{cursor}"
        page = client.get(f"/v1/lobby{query}").ok(200).json
        seen += [each["id"] for each in page["games"]]
        cursor = f"&cursor={page['next']}"
        waiting(client, 3, 1, listed=True, edition="russian")
        tables[8 - number].delete().ok(204)
    assert seen == wanted


def test_a_rematch_and_a_fork_are_not_listed(client: Client) -> None:
    table = client.create(listed=True, seed=token_hex(4))
    table.deal().ok(200)
    table.resign(0).ok(201)
    fork = table.act(None, "forks", {"after": 1}, token=table.host).ok(201).json
    assert fork["game"]["listed"] is False
    assert table.act(1, "rematch").ok(201).json["game"]["listed"] is False


@pytest.mark.parametrize("query", ["seats=5", "limit=0", "edition=", "cursor=x", "turn_seconds=10"])
def test_a_wrong_query_is_pointed_at(client: Client, query: str) -> None:
    refused = client.get(f"/v1/lobby?{query}").refused(400, "malformed_request")
    assert refused.json["errors"][0]["pointer"] == f"query:{query.partition('=')[0]}"


def test_a_wrong_token_is_refused(client: Client) -> None:
    client.get("/v1/lobby", token="x" * 30).refused(401, "token_invalid")
    player = client.create().tokens[0]
    client.get("/v1/lobby", token=player).refused(401, "token_invalid")


def test_a_private_table_leaves_the_lobby_at_once(client: Client) -> None:
    table = waiting(client, players=1, listed=True, **kind(3))
    table.update(private=True).ok(200)
    assert not shown(client, table.id)
    table.update(private=False).ok(200)
    assert shown(client, table.id)
