"""What the store keeps of a game, and when it refuses to."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.store import keys
from service.store.base import (
    IDEMPOTENCY_WINDOW_MS,
    Commit,
    IdempotencyEntry,
    LoggedEvent,
    VersionConflict,
)
from service.store.redis_store import RedisGameStore
from tests.store.writing import HOUR_MS, delete, event, fresh_id, nonce_in, now, rival, stamp_of

KEY = b"k" * 16
PRINT = b"f" * 8


def all_keys(game_id: str) -> list[str]:
    return [*keys.game_keys(game_id)]


def test_a_created_game_is_loaded_with_its_state_and_nonce(store: RedisGameStore) -> None:
    game = fresh_id()
    created = event(game, 0, state=b"\x00\xffopen", body=b"created")
    store.commit(created)
    loaded = store.load(game)
    assert loaded is not None
    assert (loaded.state, loaded.nonce, loaded.idempotency) == (
        b"\x00\xffopen",
        nonce_in(created),
        None,
    )


def test_an_unknown_game_is_none_everywhere(store: RedisGameStore) -> None:
    game = fresh_id()
    assert store.load(game) is None
    assert store.load(game, KEY) is None
    assert store.load_log(game) == []
    assert store.load_with_log(game) is None
    assert delete(store, game) is False


def test_events_are_numbered_from_one_in_the_order_committed(store: RedisGameStore) -> None:
    game = fresh_id()
    commits = [event(game, n) for n in range(5)]
    for each in commits:
        store.commit(each)
    expected = [event for commit in commits for event in commit.events]
    assert store.load_log(game) == expected
    assert store.load_log(game, after=2) == expected[2:]
    assert store.load_log(game, after=1, limit=2) == expected[1:3]
    assert store.load_log(game, after=5) == []
    assert store.load_log(game, limit=0) == []


def test_state_and_log_are_loaded_as_of_one_moment(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    done = threading.Event()

    def play_on() -> None:
        for n in range(1, 200):
            store.commit(event(game, n))
        done.set()

    player = threading.Thread(target=play_on)
    player.start()
    while not done.is_set():
        both = store.load_with_log(game)
        assert both is not None
        stored, log = both
        assert stored.nonce == log[-1].nonce
        assert stored.state == b"state %d" % len(log)
    player.join()


@pytest.mark.parametrize("expected", [0, 1, 3, 9])
def test_a_commit_at_another_version_is_refused_and_writes_nothing(
    store: RedisGameStore, expected: int
) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    store.commit(event(game, 1))
    before = store.load_with_log(game)
    with pytest.raises(VersionConflict) as refused:
        store.commit(rival(event(game, expected, idempotency_key=KEY, fingerprint=PRINT)))
    assert refused.value.current == 2
    assert store.load_with_log(game) == before
    loaded = store.load(game, KEY)
    assert loaded is not None
    assert loaded.idempotency is None


def test_a_commit_to_a_game_that_is_gone_finds_version_0(store: RedisGameStore) -> None:
    game = fresh_id()
    with pytest.raises(VersionConflict) as refused:
        store.commit(event(game, 4))
    assert refused.value.current == 0
    assert store.load(game) is None


def test_the_same_commit_sent_again_has_already_happened(store: RedisGameStore) -> None:
    game = fresh_id()
    created, second = event(game, 0), event(game, 1)
    store.commit(created)
    store.commit(created)
    store.commit(second)
    store.commit(created)
    assert [e.nonce for e in store.load_log(game)] == [nonce_in(created), nonce_in(second)]
    loaded = store.load(game)
    assert loaded is not None
    assert loaded.state == second.state


def test_of_fifty_commits_to_one_version_exactly_one_wins(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    start = threading.Barrier(50)

    def attempt(mine: Commit) -> bytes | int:
        start.wait()
        try:
            store.commit(mine)
        except VersionConflict as lost:
            return lost.current
        return nonce_in(mine)

    with ThreadPoolExecutor(50) as threads:
        results = list(threads.map(attempt, [rival(event(game, 1)) for _ in range(50)]))
    winners = [nonce for nonce in results if nonce != 2]
    assert len(winners) == 1
    assert [e.nonce for e in store.load_log(game, after=1)] == winners


def test_a_retry_finds_what_its_key_committed(store: RedisGameStore) -> None:
    game, at = fresh_id(), now() // 1000 * 1000
    store.commit(event(game, 0))
    store.commit(event(game, 1, at_ms=at, idempotency_key=KEY, fingerprint=PRINT))
    loaded = store.load(game, KEY)
    assert loaded is not None
    assert loaded.idempotency == IdempotencyEntry(KEY, PRINT, 2, at)
    other = store.load(game, b"o" * 16)
    assert other is not None
    assert other.idempotency is None


@pytest.mark.parametrize("part_of_a_second", [0, 1, 999])
def test_a_retry_key_is_forgotten_after_a_day(store: RedisGameStore, part_of_a_second: int) -> None:
    game, at = fresh_id(), now() // 1000 * 1000 + part_of_a_second
    store.commit(event(game, 0, at_ms=at, idempotency_key=KEY, fingerprint=PRINT))
    in_time = store.load(game, KEY, now_ms=at + IDEMPOTENCY_WINDOW_MS)
    too_late = store.load(game, KEY, now_ms=at + IDEMPOTENCY_WINDOW_MS + 1000)
    assert in_time is not None
    assert in_time.idempotency is not None
    assert too_late is not None
    assert too_late.idempotency is None


def test_old_retry_keys_do_not_pile_up_and_young_ones_stay(store: RedisGameStore) -> None:
    game, at = fresh_id(), now()
    for n in range(200):
        stale = at - IDEMPOTENCY_WINDOW_MS - 1000 if n < 150 else at
        store.commit(event(game, n, at_ms=stale, idempotency_key=b"%016d" % n, fingerprint=PRINT))
    for n in range(200, 264):
        store.commit(event(game, n, at_ms=at))
    left = store.client.hkeys(keys.idempotency_entries_key(game))
    young = {b"%016d" % n for n in range(150, 200)}
    assert young <= set(left)
    assert len(left) < 100


def test_every_key_expires_and_every_commit_renews_it(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0, ttl_ms=HOUR_MS, idempotency_key=KEY, fingerprint=PRINT))
    first = [store.client.pexpiretime(key) - now() for key in all_keys(game)]
    began = now()
    store.commit(event(game, 1, ttl_ms=5 * HOUR_MS))
    took = now() - began
    second = [store.client.pexpiretime(key) - now() for key in all_keys(game)]
    assert all(HOUR_MS - 60_000 < left <= HOUR_MS for left in first)
    assert all(5 * HOUR_MS - 60_000 < left <= 5 * HOUR_MS for left in second)
    # Together, but for what passes within the commit: Redis 7.0 counts from each of its commands.
    ends = [store.client.pexpiretime(key) for key in all_keys(game)]
    assert max(ends) - min(ends) <= took + 1  # whole milliseconds, so one may be cut off


def test_a_deleted_game_leaves_nothing_and_is_gone_the_second_time(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(event(game, 0, idempotency_key=KEY, fingerprint=PRINT))
    assert delete(store, game) is True
    assert delete(store, game) is False
    assert store.client.exists(*all_keys(game)) == 0
    assert 0 < store.client.pttl(keys.deletion_key(game)) <= 60_000


def test_a_deletion_of_another_version_is_refused_and_leaves_the_game(
    store: RedisGameStore,
) -> None:
    game = fresh_id()
    store.commit(event(game, 0))
    for stamp in (stamp_of(game, 2), nonce_in(rival(event(game, 0))) + bytes(8), b""):
        with pytest.raises(VersionConflict) as conflict:
            store.delete(game, stamp)
        assert conflict.value.current == 1
    assert store.load(game) is not None
    assert store.delete(game, stamp_of(game, 1))
    assert store.load(game) is None


@pytest.mark.parametrize("version", [1, 3])
def test_a_commit_to_another_event_of_the_same_number_is_refused(
    store: RedisGameStore, version: int
) -> None:
    """The log is as long as the writer believes, after a rollback or under a reused id."""
    game = fresh_id()
    for n in range(version - 1):
        store.commit(event(game, n))
    store.commit(rival(event(game, version - 1)))
    before = store.load_with_log(game)
    with pytest.raises(VersionConflict) as refused:
        store.commit(event(game, version))
    assert refused.value.current == version
    assert store.load_with_log(game) == before


def test_a_deleted_game_may_be_created_again(store: RedisGameStore) -> None:
    game = fresh_id()
    for _ in range(2):
        store.commit(event(game, 0))
        assert delete(store, game) is True


def test_watchers_hear_every_version_and_the_end(store: RedisGameStore) -> None:
    game = fresh_id()
    with store.client.pubsub() as watcher:
        watcher.ssubscribe(keys.game_channel(game))
        assert watcher.get_sharded_message(timeout=30)["type"] == "ssubscribe"
        store.commit(event(game, 0))
        store.commit(event(game, 1))
        delete(store, game)
        heard = [watcher.get_sharded_message(timeout=30)["data"] for _ in range(3)]
    assert heard == [b"1", b"2", b"deleted"]


@pytest.mark.parametrize(
    ("n", "nonce", "stamp"),
    [(1, b"short", b""), (1, b"8 bytes!", b"16 bytes, so lon"), (2, b"8 bytes!", b"")],
)
def test_a_commit_that_makes_no_sense_cannot_be_made(n: int, nonce: bytes, stamp: bytes) -> None:
    with pytest.raises(ValueError, match=r"a (nonce|stamp) has"):
        Commit(fresh_id(), stamp, b"", (LoggedEvent(n, nonce, b""),), 1)
