"""Whoever joins or deals with the client adds to the draw, and the record shows that it counted."""

import re
from typing import Any

import pytest

from tests.clients.typescript.node_client import NodeClient
from tests.web.test_verify_records import require_same_verdicts


def played(client: NodeClient, player: dict[str, Any], entropy: str | None) -> list[str | None]:
    """What Ben and the host added to a game, as its verified record shows it."""
    created = client.call("createGame", {"players": [{"name": "Ada"}], "seats": 2})
    game_id = created["game"]["id"]
    joined = client.game(game_id).call("join", {"name": "Ben", **player})
    client.game(game_id, created["host_token"]).call("deal", entropy)
    ben = client.game(game_id, joined["token"])
    ben.call("resign")
    record = ben.call("record")
    (verdict,) = require_same_verdicts([record])
    assert (verdict["ok"], verdict["complete"]) == (True, True)
    return [event["entropy"] for event in record["events"] if "entropy" in event]


def test_something_random_is_added_each_time(client: NodeClient) -> None:
    added = played(client, {}, "undefined") + played(client, {}, "undefined")
    assert all(re.fullmatch("[0-9a-f]{32}", text or "") for text in added)
    assert len(set(added)) == len(added) == 4


@pytest.mark.parametrize(
    ("join", "deal"), [("dice: 4 4 1", "7d1c"), (None, None), ("", None), (None, "🎲")]
)
def test_the_caller_may_choose(client: NodeClient, join: str | None, deal: str | None) -> None:
    assert played(client, {"entropy": join}, deal) == [join, deal]


def rematch_entropy(client: NodeClient, *given: str | None) -> list[str | None]:
    """What the players of a rematch added to it, each with this argument."""
    created = client.call("createGame", {"players": [{"name": "Ada"}, {"name": "Ben"}]})
    game_id = created["game"]["id"]
    client.game(game_id, created["host_token"]).call("deal", None)
    players = [client.game(game_id, seat["token"]) for seat in created["players"]]
    players[0].call("resign")
    asked = [player.call("rematch", each) for player, each in zip(players, given, strict=True)]
    events = client.game(asked[0]["game"]["id"]).call("events", {})["events"]
    return [event["entropy"] for event in events if event["type"] == "joined"]


def test_so_does_who_takes_a_seat_in_a_rematch(client: NodeClient) -> None:
    added = rematch_entropy(client, "undefined", "undefined")
    assert all(re.fullmatch("[0-9a-f]{32}", text or "") for text in added)
    assert len(set(added)) == len(added) == 2
    assert rematch_entropy(client, "dice", None) == ["dice", None]


def test_an_action_with_a_key_of_ones_own_can_be_repeated(client: NodeClient) -> None:
    created = client.call("createGame", {"players": [{"name": "Ada"}], "seats": 2})
    game = client.game(created["game"]["id"])
    key = "a-key-that-is-kept-across-crashes"
    first = game.call("join", {"name": "Ben"}, idempotencyKey=key)
    assert game.call("join", {"name": "Ben"}, idempotencyKey=key) == first
