"""Bots at the table: they bid and move by themselves, once, whoever notices."""

from collections import Counter
from functools import partial
from typing import Any

import pytest

from tests.api.client import Client, Table, client_of
from tests.api.concurrent_calls import at_once
from tests.servers import QwirkleServer


def events_of(table: Table) -> list[dict[str, Any]]:
    return table.client.get(table.path("/events?limit=1000")).ok(200).json["events"]


def follow(table: Table) -> dict[str, Any]:
    """Waits, event by event, until the game is finished."""
    last = 0
    while True:
        news = table.client.get(table.path(f"/events?after={last}&wait=20")).ok(200).json
        assert news["events"], "nobody moved for 20 seconds"
        last = news["last"]
        if news["events"][-1]["end"] or table.view()["status"] == "finished":
            return table.view()


def bots(*kinds: str) -> list[dict[str, str]]:
    return [{"name": f"Robo {number}", "bot": kind} for number, kind in enumerate(kinds)]


def test_a_game_of_bots_alone_runs_to_its_end_by_itself(client: Client) -> None:
    table = client.create(players=bots("greedy", "random", "greedy"))
    assert table.tokens == [None, None, None]
    table.deal().ok(200)
    view = follow(table)
    assert view["end"] in {"hand_empty", "all_passed", "blocked"}
    assert [player["bot"] for player in view["players"]] == ["greedy", "random", "greedy"]
    told = events_of(table)
    assert [event["n"] for event in told] == list(range(1, len(told) + 1))
    assert Counter(event["type"] for event in told)["bid"] == 3


def test_an_expert_answers_a_persons_move(client: Client) -> None:
    table = client.create(players=[{"name": "Ada"}, *bots("expert")], auto_bid=True, seed="expert")
    table.deal().ok(200)
    for _ in range(3):
        view = table.view(0)
        while view["turn"]["seat"] != 0:
            after = view["version"]
            table.client.get(table.path(f"/events?after={after}&wait=20")).ok(200)
            view = table.view(0)
        play = table.plays(0, "?limit=1&sort=points")["plays"][0]
        answer = table.act(0, "plays", {"placements": play["placements"]}).ok(201)
        assert answer.json["game"]["turn"]["seat"] == 1, "the answer shows the state before the bot"
    kinds = [event["type"] for event in events_of(table) if event["seat"] == 1]
    assert len(kinds) >= 2


def test_many_who_look_at_once_let_a_bot_move_once(client: Client) -> None:
    table = client.create(players=[{"name": "Ada"}, *bots("greedy")], auto_bid=True)
    table.deal().ok(200)
    at_once([partial(client.get, table.path())] * 24)
    view = table.view(0)
    assert view["turn"]["seat"] == 0
    turns = [event for event in events_of(table) if event["type"] in {"played", "exchanged"}]
    assert len(turns) == view["turn"]["number"] - 1 <= 1


def test_a_seeded_game_against_bots_is_the_same_every_time(client: Client) -> None:
    def told() -> list[Any]:
        table = client.create(players=bots("greedy", "random"), seed="bots", auto_bid=True)
        table.deal().ok(200)
        follow(table)
        return [
            (e["type"], e["seat"], e.get("placements"), e.get("points")) for e in events_of(table)
        ]

    assert told() == told()


def test_a_table_without_an_api_key_has_so_many_bots_and_no_more(client: Client) -> None:
    four = {"players": bots("greedy", "greedy", "greedy", "random")}
    refused = client.post("/v1/games", four).refused(400, "malformed_request")
    assert refused.json["errors"][0]["pointer"] == "/players/3/bot"
    client.create(players=bots("greedy", "greedy", "greedy"))


def test_nobody_is_told_what_a_bot_holds_or_draws(client: Client) -> None:
    table = client.create(players=[{"name": "Ada"}, *bots("greedy")], auto_bid=True)
    table.deal().ok(200)
    table.view(0)
    for viewer in (table.tokens[0], table.host, None):
        log = client.get(table.path("/events"), token=viewer).ok(200).json["events"]
        assert all(event.get("drew") is None for event in log if event["seat"] == 1)


@pytest.mark.parametrize("kind", ["grandmaster", "", 3, True])
def test_a_bot_that_does_not_exist_is_refused(client: Client, kind: object) -> None:
    body = {"players": [{"name": "Ada"}, {"name": "Robo", "bot": kind}]}
    refused = client.post("/v1/games", body).refused(400, "malformed_request")
    assert refused.json["errors"][0]["pointer"] == "/players/1/bot"


def test_bots_go_on_after_the_server_was_killed() -> None:
    with QwirkleServer(workers=1) as server:
        table = client_of(server).create(players=bots("greedy", "expert"), auto_bid=True)
        table.deal().ok(200)
        server.kill()
        again = QwirkleServer(data_dir=server.data_dir, workers=1)
        with again:
            back = Table(client_of(again), table.id, table.host, table.tokens)
            after = back.view()["version"]
            news = back.client.get(back.path(f"/events?after={after}&wait=20")).ok(200).json
            assert news["last"] > after


def test_guests_make_only_so_many_tables_with_bots_in_an_hour() -> None:
    settings = {"QWIRKLE_ANONYMOUS_BOT_TABLES": "3", "QWIRKLE_API_KEYS": ""}
    with QwirkleServer(workers=1, environment=settings) as server:
        client = client_of(server)
        body = {"players": bots("greedy", "random"), "seed": "guests", "auto_bid": True}
        key = "a-key-of-sixteen-characters"
        table = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
        table.deal().ok(200)
        follow(table)
        table.act(None, "rematch", token=table.host).ok(201)
        table.act(None, "forks", {"after": 2}, token=table.host).ok(201)
        refused = client.post("/v1/games", body).refused(429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 0
        table.act(None, "forks", {"after": 2}, token=table.host).refused(429, "rate_limited")
        assert client.post("/v1/games", body, key=key).ok(201).replayed
        table.act(None, "rematch", token=table.host).ok(201)
        client.create(players=2)


def test_whoever_has_an_api_key_makes_tables_with_bots_as_they_like(
    keyed: Client,
) -> None:
    four = bots("greedy", "greedy", "random", "expert")
    keyed.create(api_key="k" * 20, players=four)
