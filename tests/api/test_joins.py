"""Coming and going: a stranger must not use up what a waiting game has."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex

import pytest

from service.store.hourly_limits import MOST_JOINS
from tests.api.client import Answer, Client, Table, client_of
from tests.api.positions import waiting
from tests.servers import QwirkleServer


@pytest.fixture
def proxied(kept_qwirkle: Callable[..., QwirkleServer]) -> Client:
    """Of a server behind one proxy, which says where a request comes from."""
    return client_of(kept_qwirkle(QWIRKLE_TRUSTED_PROXIES="1"))


def come_and_go(table: Table, address: str) -> Answer:
    """Take a seat and leave it; the answer to the joining."""
    headers = {"X-Forwarded-For": address}
    joined = table.act(None, "players", {"name": "Eve"}, headers=headers)
    if joined.status == 201:
        table.act(None, "resignations", token=joined.json["token"], headers=headers).ok(201)
    return joined


def test_no_stranger_grows_a_waiting_game_by_joining_and_leaving(proxied: Client) -> None:
    table = waiting(proxied)
    for _ in range(MOST_JOINS):
        come_and_go(table, "192.0.2.7").ok(201)
    grown = table.version
    refused = come_and_go(table, "192.0.2.7").refused(429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert table.version == grown == 1 + 2 * MOST_JOINS
    # Others still get the seat, and the stranger gets one elsewhere.
    come_and_go(table, "192.0.2.8").ok(201)
    come_and_go(waiting(proxied), "192.0.2.7").ok(201)


def test_strangers_who_join_at_the_same_moment_get_no_further(proxied: Client) -> None:
    table = waiting(proxied)

    def until_refused(_: int) -> int:
        joined = 0
        while (answer := come_and_go(table, "192.0.2.9")).code != "rate_limited":
            joined += answer.status == 201
        return joined

    with ThreadPoolExecutor(8) as crowd:
        assert sum(crowd.map(until_refused, range(8))) <= MOST_JOINS
    assert table.version <= 1 + 2 * MOST_JOINS


def test_what_comes_to_nothing_and_what_is_repeated_counts_for_nothing(proxied: Client) -> None:
    table = waiting(proxied, seats=2, players=1)
    address = {"X-Forwarded-For": "192.0.2.10"}
    key = token_hex(16)
    first = table.act(None, "players", {"name": "Eve"}, headers=address, key=key).ok(201)
    for _ in range(MOST_JOINS):
        again = table.act(None, "players", {"name": "Eve"}, headers=address, key=key).ok(201)
        assert again.replayed
        table.act(None, "players", {"name": "Fay"}, headers=address).refused(409, "table_full")
    table.act(None, "resignations", token=first.json["token"], headers=address).ok(201)
    for _ in range(MOST_JOINS - 1):
        come_and_go(table, "192.0.2.10").ok(201)
    come_and_go(table, "192.0.2.10").refused(429, "rate_limited")


def test_a_crowd_of_strangers_leaves_a_game_that_can_still_be_played(proxied: Client) -> None:
    """At most a tenth of what a game may have goes by coming and going."""
    played, deserted = (waiting(proxied, seats=2, players=1) for _ in range(2))
    for table in (played, deserted):
        for number in range(99):
            come_and_go(table, f"198.51.100.{number}").ok(201)
    played.join("Friend").ok(201)
    played.deal().ok(200)
    come_and_go(deserted, "198.51.100.99").ok(201)
    come_and_go(deserted, "198.51.100.100").refused(409, "game_too_long")
    assert deserted.version == 201
    deserted.resign(0).ok(201)
