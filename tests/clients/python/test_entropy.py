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


def test_an_action_with_a_key_of_ones_own_can_be_repeated(qwirkle: Any) -> None:
    created = qwirkle.create_game(players=[{"name": "Ada"}], seats=2)
    game = qwirkle.game(created["game"]["id"])
    key = "a-key-that-is-kept-across-crashes"
    assert game.join("Ben", idempotency_key=key) == game.join("Ben", idempotency_key=key)
