"""Tables that deal by themselves once every seat is taken."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest

from tests.api.client import Client, Table
from tests.api.concurrent_calls import at_once
from tests.api.positions import waiting
from tests.api.test_host_table import events_of, types_of


def dealt_when_full(table: Table) -> None:
    """Whenever the last seat was taken, the next thing that happened was the deal."""
    events = events_of(table)
    taken = {player["seat"] for player in table.created["game"]["players"]}
    for event, following in pairwise(events):
        if event["type"] == "joined":
            taken.add(event["seat"])
        elif event["type"] == "resigned":
            taken.discard(event["seat"])
        full = len(taken) == table.created["game"]["seats"]
        assert full == (following["type"] == "dealt")
        if full:
            return


def test_the_last_to_sit_down_starts_the_game(client: Client) -> None:
    table = waiting(client, seats=3, players=1, auto_deal=True)
    table.join("Ben").ok(201)
    assert table.view()["status"] == "waiting"
    assert table.join("Cleo").ok(201).json["game"]["status"] == "waiting"
    view = table.view(2)
    assert view["status"] == "bidding"
    assert len(view["you"]["hand"]) == 6
    assert types_of(table) == ["created", "joined", "joined", "dealt"]


def test_a_table_created_full_is_dealt(client: Client) -> None:
    table = client.create(auto_deal=True, auto_bid=True)
    assert table.view()["status"] == "playing"
    table.deal().refused(409, "wrong_phase")


def test_a_bot_that_takes_the_last_seat_starts_the_game(client: Client) -> None:
    table = waiting(client, seats=2, players=1, auto_deal=True)
    table.add_bot().ok(201)
    assert table.view()["status"] == "bidding"


def test_a_full_table_is_dealt_when_it_is_told_to_deal_by_itself(client: Client) -> None:
    table = client.create()
    assert table.update(auto_deal=True).ok(200).json["status"] == "waiting"
    assert table.view()["status"] == "bidding"
    assert types_of(table) == ["created", "updated", "dealt"]


def test_a_table_whose_open_seat_is_taken_away_is_dealt(client: Client) -> None:
    table = waiting(client, seats=3, auto_deal=True)
    table.update(seats=2).ok(200)
    assert table.view()["status"] == "bidding"


def test_nobody_has_to_ask_for_the_deal(client: Client) -> None:
    """A background worker deals; a waiting reader is told of it."""
    table = waiting(client, seats=2, players=1, auto_deal=True)
    table.join("Ben").ok(201)
    page = table.look(rest="/events?after=2&wait=20").ok(200).json
    assert [event["type"] for event in page["events"]] == ["dealt"]


def test_after_the_last_seat_is_taken_leaving_is_resigning(client: Client) -> None:
    table = waiting(client, seats=2, players=1, auto_deal=True)
    table.join("Ben").ok(201)
    table.resign(0).ok(201)
    assert types_of(table) == ["created", "joined", "dealt", "resigned"]
    assert table.view()["end"] == "last_player"


def test_what_joiners_add_enters_a_deal_that_nobody_asked_for(client: Client) -> None:
    table = waiting(client, seats=2, players=1, auto_deal=True, seed="x")
    plain = waiting(client, seats=2, players=1, auto_deal=True, seed="x")
    table.join("Ben", body={"entropy": "dice"}).ok(201)
    plain.join("Ben").ok(201)
    assert table.hand(1) != plain.hand(1)


def test_a_crowd_fills_the_table_once_and_it_is_dealt_once(client: Client) -> None:
    for _ in range(4):
        table = waiting(client, seats=4, players=1, auto_deal=True)
        join = partial(table.act, None, "players")
        answers = at_once([partial(join, {"name": f"P{n}"}, key=f"{n:016}") for n in range(16)])
        assert Counter(answer.status for answer in answers) == {201: 3, 409: 13}
        assert {answer.code for answer in answers} <= {None, "table_full"}
        assert table.view()["status"] == "bidding"
        assert types_of(table) == ["created", "joined", "joined", "joined", "dealt"]
        seats = {answer.json["seat"] for answer in answers if answer.status == 201}
        assert seats == {1, 2, 3}


@pytest.mark.parametrize("leave", ["resign", "remove"])
def test_no_one_leaves_between_the_last_seat_and_the_deal(leave: str, client: Client) -> None:
    outcomes = set()
    for _ in range(8):
        table = waiting(client, seats=3, players=2, auto_deal=True)
        go: Callable[[int], object] = getattr(table, leave)
        join = partial(table.act, None, "players", {"name": "Cleo"})
        at_once([join, partial(go, 1), table.view, join])
        view = table.view()
        dealt_when_full(table)
        outcomes.add(view["status"])
    assert outcomes <= {"waiting", "bidding", "finished"}
