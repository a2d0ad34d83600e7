"""A game that begins with a whole log: written as one thing, or not at all."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.store import keys
from service.store.base import NEVER_UPDATED, Commit, IdempotencyEntry, LoggedEvent, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.store.writing import HOUR_MS, event, fresh_id, now

KEY = b"k" * 16
PRINT = b"f" * 8


def forked(game_id: str, events: int = 3, *, keyed: bool = False) -> Commit:
    log = tuple(LoggedEvent(n, os.urandom(8), b"event %d" % n) for n in range(1, events + 1))
    entry = IdempotencyEntry(KEY, PRINT, events, now() // 1000 * 1000) if keyed else None
    return Commit(game_id, b"", b"state", log, HOUR_MS, entry)


def test_a_fork_is_loaded_with_its_state_and_whole_log(store: RedisGameStore) -> None:
    fork = forked(fresh_id())
    store.commit(fork)
    loaded = store.load(fork.game_id)
    assert loaded is not None
    assert (loaded.state, loaded.nonce) == (b"state", fork.events[-1].nonce)
    assert store.load_log(fork.game_id) == list(fork.events)


def test_a_fork_goes_on_like_any_game(store: RedisGameStore) -> None:
    fork = forked(fresh_id())
    store.commit(fork)
    stamp = fork.events[-1].nonce + NEVER_UPDATED
    with pytest.raises(VersionConflict):
        store.commit(event(fork.game_id, 2, stamp=stamp))
    store.commit(event(fork.game_id, 3, stamp=stamp))
    assert len(store.load_log(fork.game_id)) == 4


def test_a_fork_sent_again_counts_as_done_even_after_more_events(store: RedisGameStore) -> None:
    fork = forked(fresh_id())
    store.commit(fork)
    store.commit(event(fork.game_id, 3, stamp=fork.events[-1].nonce + NEVER_UPDATED))
    store.commit(fork)
    assert len(store.load_log(fork.game_id)) == 4


def test_an_id_that_is_taken_is_refused_and_nothing_changes(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    with pytest.raises(VersionConflict) as refused:
        store.commit(forked(game))
    assert refused.value.current == 1
    assert len(store.load_log(game)) == 1


def test_of_many_forks_under_one_id_one_is_written(store: RedisGameStore) -> None:
    game = fresh_id()

    def attempt(_: int) -> bool:
        try:
            store.commit(forked(game))
        except VersionConflict:
            return False
        return True

    with ThreadPoolExecutor(8) as crowd:
        assert sum(crowd.map(attempt, range(16))) == 1
    assert len(store.load_log(game)) == 3


def test_a_fork_is_remembered_under_its_key(store: RedisGameStore) -> None:
    fork = forked(fresh_id(), keyed=True)
    store.commit(fork)
    loaded = store.load(fork.game_id, KEY)
    assert loaded is not None
    assert loaded.idempotency == fork.idempotency


@pytest.mark.parametrize("keyed", [True, False])
def test_everything_of_a_fork_expires(store: RedisGameStore, keyed: bool) -> None:
    fork = forked(fresh_id(), keyed=keyed)
    store.commit(fork)
    for name in keys.game_keys(fork.game_id):
        assert 0 < store.client.pttl(name) <= HOUR_MS


def test_a_log_of_ten_thousand_events_is_copied(store: RedisGameStore) -> None:
    fork = forked(fresh_id(), 10_000)
    store.commit(replace(fork, state=b"long"))
    assert len(store.load_log(fork.game_id)) == 10_000
