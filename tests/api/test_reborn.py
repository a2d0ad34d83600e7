"""A game that has come to have the id of a deleted one is another game."""

from tests.api.client import Client, Table

AUTO = {"auto_bid": True}
TWO = [{"name": "Ada"}, {"name": "Ben"}]


def test_a_token_of_a_deleted_game_does_not_count_in_the_next_of_its_id(client: Client) -> None:
    body = {"players": [{"name": "Ada"}], "seats": 2}
    key = "reborn-" + client.create().id
    first = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    kept = first.join("Mallory").ok(201).json["token"]
    first.delete().ok(204)

    second = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    assert second.id == first.id
    assert second.host != first.host
    joined = second.join("Victor").ok(201).json["token"]

    assert joined != kept
    client.get(second.path("/hand"), token=kept).refused(401, "token_invalid")
    client.get(second.path(), token=first.host).refused(401, "token_invalid")


def test_a_deleted_rematch_comes_back_with_other_tokens(client: Client) -> None:
    table = client.create(auto_bid=True)
    table.deal().ok(200)
    table.resign(0).ok(201)
    first = table.act(None, "rematch", token=table.host).ok(201).json
    client.send("DELETE", f"/v1/games/{first['game']['id']}", token=first["token"]).ok(204)
    second = table.act(None, "rematch", token=table.host).ok(201).json
    assert second["game"]["id"] == first["game"]["id"]
    assert second["token"] != first["token"]


def test_a_rematch_that_is_refused_is_not_made(client: Client) -> None:
    table = client.create(auto_bid=True)
    table.deal().ok(200)
    table.resign(0, key="my-only-key").ok(201)
    table.act(0, "rematch", key="my-only-key").refused(422, "idempotency_key_reused")
    made = table.act(1, "rematch").ok(201)
    assert made.json["game"]["created_at"] > table.view()["updated_at"]


def test_who_has_the_id_of_a_finished_game_made_anew_gets_no_seat_of_its_rematch(
    client: Client,
) -> None:
    """Else a host, who may delete the first game, would get the tokens of all players."""
    key = "reborn-" + client.create().id
    first = Table.of(client, client.post("/v1/games", {"players": TWO, **AUTO}, key=key).ok(201))
    ended(first)
    theirs = first.act(1, "rematch").ok(201).json
    first.delete().ok(204)

    second = Table.of(client, client.post("/v1/games", {"players": TWO, **AUTO}, key=key).ok(201))
    assert second.id == first.id
    ended(second)
    for token in (second.tokens[1], second.host):
        mine = second.act(None, "rematch", token=token).ok(201)
        assert mine.json["game"]["id"] != theirs["game"]["id"]
        assert theirs["token"].encode() not in mine.body


def ended(table: Table) -> None:
    table.deal().ok(200)
    table.resign(0).ok(201)
