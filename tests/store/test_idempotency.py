"""What is kept of requests under a key: a day of it, and never more than so much of one game."""

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from service.store import keys
from service.store.base import (
    IDEMPOTENCY_WINDOW_MS,
    MAX_IDEMPOTENCY_ENTRIES,
    IdempotencyEntry,
    IdempotencyFull,
    StateUpdate,
)
from service.store.redis_store import RedisGameStore
from tests.store.writing import event, now, stamp_of, warm

PRINT = b"f" * 8
A_DAY = 50  # requests, in these tests


def commit(store: RedisGameStore, game: str, n: int, at_ms: int) -> None:
    request = {"idempotency_key": b"%016d" % n, "fingerprint": PRINT}
    store.commit(event(game, n + 1, at_ms=at_ms, **request))


def save(store: RedisGameStore, game: str, n: int, at_ms: int) -> None:
    store.save_idempotency(game, IdempotencyEntry(b"%016d" % n, PRINT, 1, at_ms))


def renewal(store: RedisGameStore, game: str, n: int, at_ms: int) -> StateUpdate:
    found = store.load(game)
    assert found is not None
    entry = IdempotencyEntry(b"%016d" % n, PRINT, n, at_ms)
    return StateUpdate(game, found.stamp, b"renewed %d" % n, os.urandom(8), entry)


def renew(store: RedisGameStore, game: str, n: int, at_ms: int) -> None:
    store.update_state(renewal(store, game, n, at_ms))


@pytest.mark.parametrize("write", [commit, save, renew])
def test_old_requests_under_a_key_do_not_pile_up_whatever_they_did(
    store: RedisGameStore, write: Callable[..., None]
) -> None:
    game, start = warm(store), now()
    for n in range(10 * A_DAY):
        write(store, game, n, start + n * IDEMPOTENCY_WINDOW_MS // A_DAY)
    left = set(store.client.hkeys(keys.idempotency_entries_key(game)))
    young = {b"%016d" % n for n in range(9 * A_DAY, 10 * A_DAY)}
    assert young <= left
    assert len(left) < 2 * A_DAY


def filled(store: RedisGameStore) -> tuple[str, dict[bytes, bytes]]:
    """A game that remembers as many requests of today as it may."""
    game = warm(store)
    save(store, game, 0, now())
    entry = store.client.hget(keys.idempotency_entries_key(game), b"%016d" % 0)
    missing = MAX_IDEMPOTENCY_ENTRIES - store.client.hlen(keys.idempotency_entries_key(game))
    entries = {b"%016d" % n: entry for n in range(1, missing + 1)}
    store.client.hset(keys.idempotency_entries_key(game), mapping=entries)
    return game, store.client.hgetall(keys.idempotency_entries_key(game))


def test_a_game_remembers_only_so_many_requests_and_forgets_none_for_others(
    store: RedisGameStore,
) -> None:
    game, kept = filled(store)
    save(store, game, 99_999, now())
    with pytest.raises(IdempotencyFull):
        store.update_state(renewal(store, game, 88_888, now()))
    assert store.client.hgetall(keys.idempotency_entries_key(game)) == kept
    found = store.load(game)
    assert found is not None
    assert found.stamp == stamp_of(game, 1)
    store.update_state(replace(renewal(store, game, 0, now()), idempotency=None))


def test_events_are_remembered_whatever_else_is(store: RedisGameStore) -> None:
    """Their number is bounded by the length of a game."""
    game, kept = filled(store)
    store.commit(event(game, 1, idempotency_key=b"a move of today!", fingerprint=PRINT))
    assert store.client.hkeys(keys.idempotency_entries_key(game)) != kept.keys()
    loaded = store.load(game, b"a move of today!")
    assert loaded is not None
    assert loaded.idempotency is not None


@pytest.mark.parametrize("moves", [0, 5])
def test_there_is_room_again_when_the_day_is_over(store: RedisGameStore, moves: int) -> None:
    game, _ = filled(store)
    for n in range(1, 1 + moves):
        store.commit(event(game, n, idempotency_key=b"move %011d" % n, fingerprint=PRINT))
    later = now() + IDEMPOTENCY_WINDOW_MS + 1000
    renew(store, game, 0, later)
    assert store.client.hlen(keys.idempotency_entries_key(game)) < MAX_IDEMPOTENCY_ENTRIES
