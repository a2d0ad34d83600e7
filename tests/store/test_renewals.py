"""Renewals of tokens lie beside a game: written once, kept as long as it, gone with it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from service.store import keys
from service.store.games import Renewal, Retry, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.proxy import Fault, TcpProxy
from tests.store.writing import HOUR_MS, event, fresh_id, now, warm

OpenStore = Callable[..., RedisGameStore]
KEY, PRINT = b"k" * 16, b"f" * 8


def renewal(game: str, before: bytes = b"", after: bytes = b"[1]") -> Renewal:
    return Renewal(game, before, after, b"8 bytes!", KEY, Retry(PRINT, 1, now()))


def renewals_of(store: RedisGameStore, game: str) -> list[bytes]:
    loaded, with_retry, with_log = (
        store.load(game),
        store.load(game, KEY),
        store.load_with_log(game),
    )
    assert loaded is not None
    assert with_retry is not None
    assert with_log is not None
    return [loaded.renewals, with_retry.renewals, with_log[0].renewals]


def test_every_read_tells_the_renewals_and_the_game_stays_as_it_was(store: RedisGameStore) -> None:
    game = warm(store)
    before = store.load_with_log(game)
    assert before is not None
    assert renewals_of(store, game) == [b""] * 3
    store.renew(renewal(game))
    assert renewals_of(store, game) == [b"[1]"] * 3
    assert store.load_with_log(game) == (replace(before[0], renewals=b"[1]"), before[1])
    kept = store.load(game, KEY)
    assert kept is not None
    assert kept.retry is not None
    assert (kept.retry.fingerprint, kept.retry.version) == (PRINT, 1)


def test_a_renewal_of_what_was_renewed_meanwhile_is_refused(store: RedisGameStore) -> None:
    game = warm(store)
    store.renew(renewal(game))
    for before in (b"", b"[2]"):
        with pytest.raises(VersionConflict) as conflict:
            store.renew(replace(renewal(game, before, b"[3]"), nonce=b"another!"))
        assert conflict.value.current == 1
    store.renew(replace(renewal(game, b"[1]", b"[2]"), nonce=b"another!"))
    assert renewals_of(store, game) == [b"[2]"] * 3


def test_no_game_no_renewal(store: RedisGameStore) -> None:
    game = fresh_id()
    with pytest.raises(VersionConflict) as conflict:
        store.renew(renewal(game))
    assert conflict.value.current == 0
    assert not store.client.exists(keys.renewals_key(game), keys.retries_key(game))


def test_a_renewal_whose_answer_was_lost_happens_once(
    proxy: TcpProxy, store: RedisGameStore, open_store: OpenStore
) -> None:
    game = warm(store)
    other = warm(store)
    store.renew(renewal(other))  # now the server knows the script
    through = open_store(proxy.url)
    proxy.trouble("EVALSHA", Fault.CUT_AFTER)
    through.renew(renewal(game))
    assert renewals_of(store, game) == [b"[1]"] * 3


def test_renewals_are_kept_as_long_as_the_game_and_go_with_it(store: RedisGameStore) -> None:
    game, name = warm(store), keys.renewals_key
    store.renew(renewal(game))
    ends = [store.client.pexpiretime(key) for key in (name(game), keys.state_key(game))]
    assert abs(ends[0] - ends[1]) < 1000
    store.commit(event(game, 1, ttl_ms=50 * HOUR_MS))
    assert store.client.pttl(name(game)) > 49 * HOUR_MS
    store.delete(game)
    assert not store.client.exists(name(game))
