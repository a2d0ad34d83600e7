"""What joiners and the host add to the draw, through the public interface."""

from typing import Any

import pytest

from tests.api.client import Client, Table
from tests.api.fairness import KINDS, Bag, mixed
from tests.live.streams import Stream
from tests.rules.stated_draw import stated_lot, stated_seed

ADA = [{"name": "Ada", "age": 40}]


def added(table: Table, token: str | None = None) -> list[str | None]:
    """What the log shows as added by each event that can add something."""
    log = table.client.get(table.path("/events"), token=token).ok(200).json["events"]
    return [event["entropy"] for event in log if event["type"] in {"joined", "dealt"}]


def recorded(table: Table) -> list[str | None]:
    record = table.look(rest="/record").ok(200).json
    report = table.client.post("/v1/records/verify", record).ok(200).json
    assert report["ok"], report
    return [event["entropy"] for event in record["events"] if event["type"] in {"joined", "dealt"}]


def three_at_a_table(client: Client, **choices: Any) -> Table:
    """Ada created the game, Ben and Cleo joined, and Ben added something."""
    table = client.create(players=ADA, seats=3, **choices)
    table.join("Ben", body={"age": 50, "entropy": "Ben's dice: 4 4 1"}).ok(201)
    table.join("Cleo", body={"age": 60, "entropy": None}).ok(201)
    return table


def test_the_draws_follow_from_secret_and_entropy(client: Client) -> None:
    table = three_at_a_table(client)
    table.deal(body={"entropy": "Přátelé 🎲"}).ok(200)
    hands = [table.hand(seat) for seat in range(3)]
    table.resign(2).ok(201)
    table.resign(1).ok(201)
    secret = bytes.fromhex(table.view()["seed"])
    seed = stated_seed(secret, [(2, "Ben's dice: 4 4 1"), (4, "Přátelé 🎲")])
    bag = Bag(seed, 4)
    assert hands == [sorted(bag.draw(6), key=KINDS.index) for _ in range(3)]
    assert hands != [sorted(mixed(KINDS * 3, secret, 4)[:6], key=KINDS.index)] * 3
    assert recorded(table) == ["Ben's dice: 4 4 1", None, "Přátelé 🎲"]


def test_nobody_sees_what_was_added_before_the_deal_and_everybody_after(client: Client) -> None:
    table = three_at_a_table(client)
    for token in (None, table.host, *table.tokens):
        assert added(table, token) == [None, None]
        seen = client.get(table.path("/events"), token=token).body
        assert "dice" not in seen.decode()
    assert recorded(table) == [None, None]
    table.deal(body={"entropy": "7d1c"}).ok(200)
    for token in (None, table.host, *table.tokens):
        assert added(table, token) == ["Ben's dice: 4 4 1", None, "7d1c"]
    assert recorded(table) == ["Ben's dice: 4 4 1", None, "7d1c"]


def test_a_stream_shows_it_from_the_deal_on_while_others_watch(client: Client) -> None:
    table = three_at_a_table(client)
    with Stream(table) as early:
        before = early.take(3)
        assert b"dice" not in early.raw
        table.deal(body={"entropy": "7d1c"}).ok(200)
        before += early.take(1)
        with Stream(table) as late:
            after = late.take(4)
    assert [message.data.get("entropy") for message in before] == [None, None, None, "7d1c"]
    shown = [message.data.get("entropy") for message in after]
    assert shown == [None, "Ben's dice: 4 4 1", None, "7d1c"]
    assert [message.id for message in before] == [message.id for message in after]


@pytest.mark.parametrize("body", [None, {}, {"entropy": None}])
def test_a_game_that_nobody_adds_to_is_drawn_from_the_secret(
    client: Client, body: dict[str, Any] | None
) -> None:
    table = client.create(players=ADA, seats=2)
    table.join("Ben").ok(201)
    table.deal(body=body).ok(200)
    hand = table.hand(0)
    table.resign(1).ok(201)
    secret = bytes.fromhex(table.view()["seed"])
    assert hand == sorted(mixed(KINDS * 3, secret, 3)[:6], key=KINDS.index)
    assert recorded(table) == [None, None]


@pytest.mark.parametrize("text", ["", "a" * 64, "🎲" * 64, "\x00\u202e"])
def test_any_text_of_at_most_64_characters_is_taken(client: Client, text: str) -> None:
    table = client.create(players=ADA, seats=2)
    table.join("Ben", body={"entropy": text}).ok(201)
    table.deal(body={"entropy": text}).ok(200)
    assert added(table) == [text, text]
    hand = table.hand(0)
    table.resign(1).ok(201)
    seed = stated_seed(bytes.fromhex(table.view()["seed"]), [(2, text), (3, text)])
    assert hand == sorted(mixed(KINDS * 3, seed, 3)[:6], key=KINDS.index)
    assert recorded(table) == [text, text]


@pytest.mark.parametrize("value", ["a" * 65, 5, True, ["dice"], {}])
def test_anything_else_is_malformed_and_changes_nothing(client: Client, value: object) -> None:
    table = client.create(players=ADA, seats=2)
    for answer in (
        table.join("Ben", body={"entropy": value}),
        table.deal(body={"entropy": value}),
    ):
        problem = answer.refused(400, "malformed_request")
        assert [error["pointer"] for error in problem.json["errors"]] == ["/entropy"]
    assert table.view()["version"] == 1


def test_what_a_set_up_leaves_open_is_drawn_with_what_the_joiners_added(client: Client) -> None:
    table = client.create(players=ADA, seats=3, setup={"scores": [1, 2, 3]})
    table.join("Ben", body={"entropy": "dice"}).ok(201)
    assert added(table) == [None]
    table.join("Cleo", body={"entropy": "more dice"}).ok(201)
    assert added(table) == ["dice", "more dice"]
    hands = [table.hand(seat) for seat in range(3)]
    table.resign(2).ok(201)
    table.resign(1).ok(201)
    seed = stated_seed(bytes.fromhex(table.view()["seed"]), [(2, "dice"), (3, "more dice")])
    order = mixed(KINDS * 3, seed, 1)
    assert hands == [sorted(order[at : at + 6], key=KINDS.index) for at in (0, 6, 12)]
    assert recorded(table) == ["dice", "more dice"]


def test_the_lot_follows_from_secret_and_entropy(client: Client) -> None:
    hands = [["red-circle", "red-square"], ["blue-circle", "blue-square"]]
    openers = set()
    for number in range(30):
        setup = {"hands": hands, "bag": []}
        table = client.create(players=[{"name": "Ada"}], seats=2, setup=setup, auto_bid=True)
        view = table.join("Ben", body={"entropy": f"dice {number}"}).ok(201).json["game"]
        opener = view["turn"]["seat"]
        assert recorded(table) == [f"dice {number}"]
        table.play(opener, ("ro@0,0 rs@1,0", "bo@0,0 bs@1,0")[opener]).ok(201)
        seed = stated_seed(bytes.fromhex(table.view()["seed"]), [(2, f"dice {number}")])
        assert opener == stated_lot([0, 1], seed, 2)
        assert recorded(table) == [f"dice {number}"]
        openers.add(opener)
    assert openers == {0, 1}
