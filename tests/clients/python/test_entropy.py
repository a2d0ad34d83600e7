"""Whoever joins or deals with the client adds to the draw, and the record shows that it counted."""

import re
from typing import Any

import pytest

from qwirkle_client import Entropy


def played(qwirkle: Any, join: dict[str, Any], deal: dict[str, Any]) -> list[str | None]:
    """What Ben and the host added to a game, as its verified record shows it."""
    created = qwirkle.create_game(players=[{"name": "Ada"}], seats=2)
    game_id = created["game"]["id"]
    joined = qwirkle.game(game_id).join("Ben", **join)
    qwirkle.game(game_id, created["host_token"]).deal(**deal)
    ben = qwirkle.game(game_id, joined["token"])
    ben.resign()
    record = ben.record()
    report = qwirkle.verify(record)
    assert (report["ok"], report["complete"]) == (True, True)
    assert ben.view()["commitment"] == created["game"]["commitment"]
    return [event["entropy"] for event in record["events"] if "entropy" in event]


def test_something_random_is_added_each_time(qwirkle: Any) -> None:
    added = played(qwirkle, {}, {}) + played(qwirkle, {}, {"entropy": Entropy.RANDOM})
    assert all(re.fullmatch("[0-9a-f]{32}", text or "") for text in added)
    assert len(set(added)) == len(added) == 4


@pytest.mark.parametrize(
    ("join", "deal"), [("dice: 4 4 1", "7d1c"), (None, None), ("", None), (None, "🎲")]
)
def test_the_caller_may_choose(qwirkle: Any, join: str | None, deal: str | None) -> None:
    assert played(qwirkle, {"entropy": join}, {"entropy": deal}) == [join, deal]


def rematch_entropy(qwirkle: Any, *given: dict[str, Any]) -> list[str | None]:
    """What the players of a rematch added to it, each with these arguments."""
    created = qwirkle.create_game(players=[{"name": "Ada"}, {"name": "Ben"}])
    host = qwirkle.game(created["game"]["id"], created["host_token"])
    host.deal()
    players = [qwirkle.game(host.id, seat["token"]) for seat in created["players"]]
    players[0].resign()
    asked = [player.rematch(**each) for player, each in zip(players, given, strict=True)]
    events = qwirkle.game(asked[0]["game"]["id"]).events()["events"]
    return [event["entropy"] for event in events if event["type"] == "joined"]


def test_so_does_who_takes_a_seat_in_a_rematch(qwirkle: Any) -> None:
    added = rematch_entropy(qwirkle, {}, {})
    assert all(re.fullmatch("[0-9a-f]{32}", text or "") for text in added)
    assert len(set(added)) == len(added) == 2
    assert rematch_entropy(qwirkle, {"entropy": "dice"}, {"entropy": None}) == ["dice", None]


def test_an_action_with_a_key_of_ones_own_can_be_repeated(qwirkle: Any) -> None:
    created = qwirkle.create_game(players=[{"name": "Ada"}], seats=2)
    game = qwirkle.game(created["game"]["id"])
    key = "a-key-that-is-kept-across-crashes"
    assert game.join("Ben", idempotency_key=key) == game.join("Ben", idempotency_key=key)
