"""What a game costs: round trips, memory, and whether a crash can take it away."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from service.store import keys
from service.store.redis_store import RedisGameStore
from tests.store.conftest import Server
from tests.store.writing import delete, event, fresh_id

OpenStore = Callable[..., RedisGameStore]
OwnServer = Callable[..., Server]
KEY, PRINT = b"k" * 16, b"f" * 8


@contextmanager
def seen_by_server(store: RedisGameStore) -> Iterator[list[str]]:
    """The commands the server gets from clients meanwhile (not those its scripts make)."""
    seen: list[str] = []
    with store.client.monitor() as monitor:
        yield seen
        store.client.echo("that was all")
        while (heard := monitor.next_command())["command"] != "ECHO that was all":
            if heard["client_type"] != "lua":
                seen.append(heard["command"].split()[0])


def test_a_read_is_one_round_trip_and_a_play_two(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    store.load(game, KEY)
    store.load_with_log(game)
    for read in (
        lambda: store.load(game),
        lambda: store.load(game, KEY),
        lambda: store.load_log(game),
        lambda: store.load_with_log(game),
    ):
        with seen_by_server(store) as seen:
            read()
        assert len(seen) == 1
    with seen_by_server(store) as seen:
        store.load(game, KEY)
        store.commit(event(game, 1, idempotency_key=KEY, fingerprint=PRINT))
    assert len(seen) == 2


@pytest.mark.parametrize(("events", "at_most"), [(22, 3_840), (45, 9_216)])
def test_a_game_stays_small(
    store: RedisGameStore, events: int, at_most: int, record_property: Callable[..., None]
) -> None:
    dice = random.Random(events)
    sizes = []
    for _ in range(50):
        game = fresh_id()
        for n in range(events):
            body = os.urandom(dice.randint(45, 75))
            request = {"idempotency_key": os.urandom(16), "fingerprint": os.urandom(8)}
            store.commit(event(game, n, state=os.urandom(600), body=body, **request))
        names = (keys.state_key(game), keys.log_key(game), keys.idempotency_entries_key(game))
        sizes.append(sum(store.client.memory_usage(name, samples=0) for name in names))
        delete(store, game)
    record_property("bytes_per_game", sum(sizes) / len(sizes))
    assert sum(sizes) / len(sizes) <= at_most


def test_the_operator_is_warned_of_a_store_that_forgets(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    store = open_store(own_server("--appendonly", "yes").url)
    assert store.warnings() == []
    store.client.config_set("maxmemory", "100mb")
    assert store.warnings() == []
    store.client.config_set("maxmemory-policy", "allkeys-lru")
    (evicting,) = store.warnings()
    assert "noeviction" in evicting
    store.client.config_set("appendonly", "no")
    forgetful, still = store.warnings()
    assert "append-only" in forgetful
    assert still == evicting
