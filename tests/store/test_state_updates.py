"""Updates without an event, such as a token's renewal: written once, kept as long as the game."""

import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from service.store import keys
from service.store.base import IdempotencyEntry, StateUpdate, StoredGame, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.proxy import Fault, TcpProxy
from tests.store.writing import HOUR_MS, event, fresh_id, nonce_of, now, rival, stamp_of, warm

OpenStore = Callable[..., RedisGameStore]
KEY, PRINT = b"k" * 16, b"f" * 8
NONCE = b"8 bytes!"


def renewal(game: str, stamp: bytes | None = None, nonce: bytes = NONCE) -> StateUpdate:
    seen = stamp_of(game, 1) if stamp is None else stamp
    return StateUpdate(game, seen, b"renewed", nonce, IdempotencyEntry(KEY, PRINT, 1, now()))


def loaded(store: RedisGameStore, game: str) -> StoredGame:
    found = store.load(game)
    assert found is not None
    return found


def test_a_renewal_changes_state_and_stamp_and_nothing_else(store: RedisGameStore) -> None:
    game = warm(store)
    before = store.load_with_log(game)
    assert before is not None
    store.update_state(renewal(game))
    after = replace(before[0], state=b"renewed", stamp=nonce_of(game, 1) + NONCE)
    assert store.load_with_log(game) == (after, before[1])
    kept = store.load(game, KEY)
    assert kept is not None
    assert kept.idempotency is not None
    assert (kept.idempotency.fingerprint, kept.idempotency.version) == (PRINT, 1)


def test_what_was_seen_before_a_renewal_is_not_written_after_it(store: RedisGameStore) -> None:
    """A move, a renewal or a deletion under way cannot bring an old token back."""
    game = warm(store)
    store.update_state(renewal(game))
    for write in (
        lambda: store.update_state(renewal(game, nonce=b"another!")),
        lambda: store.commit(event(game, 1)),
        lambda: store.delete(game, stamp_of(game, 1)),
    ):
        with pytest.raises(VersionConflict) as conflict:
            write()
        assert conflict.value.current == 1
    assert loaded(store, game).state == b"renewed"
    store.update_state(renewal(game, nonce_of(game, 1) + NONCE, b"another!"))
    store.commit(event(game, 1, stamp=nonce_of(game, 1) + b"another!"))
    assert loaded(store, game).stamp == nonce_of(game, 2) + b"another!"


def test_a_renewal_of_another_game_of_the_same_id_is_refused(store: RedisGameStore) -> None:
    game = fresh_id()
    store.commit(rival(event(game, 0)))
    before = store.load_with_log(game)
    with pytest.raises(VersionConflict) as conflict:
        store.update_state(renewal(game))
    assert conflict.value.current == 1
    assert store.load_with_log(game) == before


def test_no_game_no_renewal(store: RedisGameStore) -> None:
    game = fresh_id()
    with pytest.raises(VersionConflict) as conflict:
        store.update_state(renewal(game))
    assert conflict.value.current == 0
    assert not store.client.exists(*keys.game_keys(game))


@pytest.mark.parametrize("events_since", [0, 2])
def test_a_renewal_whose_answer_was_lost_happens_once(
    proxy: TcpProxy, store: RedisGameStore, open_store: OpenStore, events_since: int
) -> None:
    game = warm(store)
    other = warm(store)
    store.update_state(renewal(other))  # now the server knows the script
    mine = renewal(game)
    through = open_store(proxy.url)
    proxy.trouble("EVALSHA", Fault.CUT_AFTER)
    through.update_state(mine)
    after = loaded(store, game)
    assert after.stamp == nonce_of(game, 1) + NONCE
    for n in range(1, 1 + events_since):
        store.commit(event(game, n, stamp=nonce_of(game, n) + NONCE))
    before = store.load_with_log(game)
    through.update_state(mine)
    assert store.load_with_log(game) == before


def test_renewals_are_kept_as_long_as_the_game(store: RedisGameStore) -> None:
    game = warm(store)
    ends = store.client.pexpiretime(keys.state_key(game))
    store.update_state(renewal(game, nonce=os.urandom(8)))
    assert store.client.pexpiretime(keys.state_key(game)) == ends
    assert 0 < ends - now() <= HOUR_MS
