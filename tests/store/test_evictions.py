"""A server that evicts keys: a game that has lost a part is gone, and all of it goes."""

from collections.abc import Callable

import pytest

from service.store import keys
from service.store.base import IdempotencyEntry, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.store.conftest import Server
from tests.store.test_state_updates import renewal
from tests.store.writing import HOUR_MS, event, fresh_id, now, stamp_of

OpenStore = Callable[..., RedisGameStore]
OwnServer = Callable[..., Server]
KEY, PRINT = b"k" * 16, b"f" * 8
PARTS = pytest.mark.parametrize(
    "part", [keys.state_key, keys.log_key, keys.idempotency_entries_key]
)
Part = Callable[[str], str]


def evicted(store: RedisGameStore, part: Part) -> str:
    """A game of two events that has lost a part."""
    game = fresh_id()
    store.commit(event(game, 0, idempotency_key=KEY, fingerprint=PRINT))
    store.commit(event(game, 1))
    assert store.client.delete(part(game)) == 1
    return game


@PARTS
def test_a_game_that_has_lost_a_part_is_gone_for_everybody(
    store: RedisGameStore, part: Part
) -> None:
    game = evicted(store, part)
    assert store.load(game) is None
    assert store.load(game, KEY) is None
    assert store.load_log(game) == []
    assert store.load_with_log(game) is None
    for write in (
        lambda: store.commit(event(game, 2)),
        lambda: store.update_state(renewal(game, stamp_of(game, 2))),
    ):
        with pytest.raises(VersionConflict) as conflict:
            write()
        assert conflict.value.current == 0
    store.save_idempotency(game, IdempotencyEntry(b"o" * 16, PRINT, 2, now()))
    assert store.client.exists(*keys.game_keys(game)) == 2


@PARTS
def test_deleting_it_removes_the_rest_and_tells_whoever_watches(
    store: RedisGameStore, part: Part
) -> None:
    game = evicted(store, part)
    with store.client.pubsub() as watcher:
        watcher.ssubscribe(keys.game_channel(game))
        assert watcher.get_sharded_message(timeout=30)["type"] == "ssubscribe"
        assert store.delete(game, stamp_of(game, 2)) is False
        assert watcher.get_sharded_message(timeout=30)["data"] == b"deleted"
    assert not store.client.exists(*keys.game_keys(game))


@PARTS
def test_a_new_game_under_its_id_has_nothing_of_it(store: RedisGameStore, part: Part) -> None:
    game = evicted(store, part)
    store.commit(event(game, 0, state=b"new", body=b"anew", nonce=b"8 bytes!"))
    found = store.load_with_log(game)
    assert found is not None
    assert (found[0].state, [logged.event for logged in found[1]]) == (b"new", [b"anew"])
    loaded = store.load(game, KEY)
    assert loaded is not None
    assert loaded.idempotency is None
    assert all(0 < store.client.pttl(key) <= HOUR_MS for key in keys.game_keys(game))


def test_under_real_eviction_every_game_is_whole_or_gone(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    store = open_store(own_server("--maxmemory-policy", "allkeys-random").url)
    store.client.config_set("maxmemory", store.client.info("memory")["used_memory"] + 500_000)
    games = []
    while store.client.info("stats")["evicted_keys"] < 300:
        games.append(fresh_id())
        store.commit(event(games[-1], 0, state=b"s" * 600))
    store.client.config_set("maxmemory", 0)
    partly = 0
    for game in games:
        left = store.client.exists(*keys.game_keys(game))
        assert (store.load(game) is not None) == (left == 3)
        partly += left in {1, 2}
        assert store.delete(game, stamp_of(game, 1)) is (left == 3)
        assert not store.client.exists(*keys.game_keys(game))
    assert partly
