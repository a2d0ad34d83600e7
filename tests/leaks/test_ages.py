"""An age is compared only at tables where its owner asked to sit, so nobody can search for it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.client import Client, Table, client_of
from tests.servers import QwirkleServer

AGE = 44
VICTIM = {"name": "Vic", "age": AGE}
WHOLE_SEARCH = 8
"""Comparisons that suffice to find an age of 0 to 150."""


@pytest.fixture(scope="module")
def client(kept_qwirkle: Callable[..., QwirkleServer]) -> Client:
    return client_of(kept_qwirkle())


def begun_with_victim(client: Client, **choices: Any) -> Table:
    """A game between its host, on seat 0, and somebody who joined once."""
    host = [{"name": "Mal", "age": 75}]
    table = client.create(players=host, seats=2, auto_bid=True, **choices)
    table.join(body=VICTIM).ok(201)
    table.deal().ok(200)
    return table


def finished_with_victim(client: Client, **choices: Any) -> Table:
    """The same after the host has left it."""
    table = begun_with_victim(client, **choices)
    table.resign(0).ok(201)
    return table


def rank_of_victim(table: Table) -> int | None:
    """What the record tells of the victim's age."""
    events = table.look(rest="/record").ok(200).json["events"]
    entrants = [*events[0]["players"], *(each for each in events if each["type"] == "joined")]
    found = [each["age_rank"] for each in entrants if each["name"] == VICTIM["name"]]
    return found[-1] if found else None


def compared_in_the_rematch(table: Table, own: int, guess: int) -> tuple[Table, int] | None:
    """The host leaves the rematch, comes back with another age, looks, and ends it.

    Gives the rematch and the victim's rank in it; None if there was nobody to compare with.
    """
    host = table.act(None, "rematch", token=table.host).ok(201).json
    mine = table.act(own, "rematch").ok(201).json
    rematch = Table(table.client, host["game"]["id"], host["token"], ["", ""])
    rematch.tokens[mine["seat"]] = mine["token"]
    rematch.resign(mine["seat"]).ok(201)
    rematch.join("Mal", body={"age": guess}).ok(201)
    if rematch.view()["status"] == "waiting":
        return None
    rank = rank_of_victim(rematch)
    seat = rematch.tokens.index(next(filter(None, rematch.tokens)))
    rematch.resign(seat).ok(201)
    return None if rank is None else (rematch, rank)


def test_no_age_is_found_by_asking_for_one_rematch_after_another(client: Client) -> None:
    table, own = finished_with_victim(client), 0
    comparisons = 0
    low, high = 0, 150
    for _ in range(WHOLE_SEARCH):
        guess = (low + high) // 2
        compared = compared_in_the_rematch(table, own, guess)
        if compared is None:
            break
        comparisons += 1
        table, rank = compared
        own = next(seat for seat, token in enumerate(table.tokens) if token)
        low, high = (guess, high) if rank else (low, guess)
    assert comparisons == 0


def test_a_victims_age_is_compared_in_a_rematch_that_they_asked_for(client: Client) -> None:
    """The other way round: the order of those who sit down together still decides a tie."""
    table = finished_with_victim(client)
    host = table.act(None, "rematch", token=table.host).ok(201).json
    rematch = Table(client, host["game"]["id"], host["token"], [])
    table.act(0, "rematch").ok(201)
    assert rank_of_victim(rematch) is None
    table.act(1, "rematch").ok(201)
    assert rank_of_victim(rematch) == 0


def test_no_age_is_found_by_forking_a_table_that_still_waits(client: Client) -> None:
    """Who comes and goes before the start is not compared, in the game or in a fork of it."""
    table = client.create(players=[], seats=2, seed="known", auto_bid=True)
    table.join(body=VICTIM).ok(201)
    for guess in (AGE - 1, AGE + 1):
        seat = table.join("Mal", body={"age": guess}).ok(201).json["seat"]
        table.resign(seat).ok(201)
    for guess in (0, 2, 150):
        made = table.act(None, "forks", {"after": table.version}, token=table.host).ok(201)
        fork = Table.of(client, made)
        fork.join("Mal", body={"age": guess}).ok(201)
        fork.deal().ok(200)
        assert rank_of_victim(fork) is None


def test_no_age_is_found_by_a_host_who_may_act_for_a_seat(client: Client) -> None:
    """In a game without secrets the host gets every seat's token, and so may ask for its player."""
    table = begun_with_victim(client, seed="known")
    renewed = table.act(None, "tokens", {"seat": 1}, token=table.host).ok(201).json["token"]
    table.resign(0).ok(201)
    asked = table.act(None, "rematch", token=renewed).ok(201).json
    host = table.act(None, "rematch", token=table.host).ok(201).json
    rematch = Table(client, asked["game"]["id"], host["token"], [asked["token"]])
    for _ in range(2):
        if rematch.view()["status"] != "waiting":
            break
        rematch.join("Mal", body={"age": 50}).ok(201)
    assert rematch.view()["status"] != "waiting"
    assert rank_of_victim(rematch) is None
