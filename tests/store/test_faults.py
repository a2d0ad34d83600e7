"""The server away, full, read-only or forgetful: never half a move."""

import os
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest
import redis

from service.store import keys
from service.store.base import StoreUnavailable
from service.store.redis_store import RedisGameStore
from tests.proxy import Fault, TcpProxy, until
from tests.store.conftest import Server
from tests.store.writing import event, fresh_id, stamp_of, warm

OpenStore = Callable[..., RedisGameStore]
OwnServer = Callable[..., Server]


def test_a_stopped_server_is_unavailable_within_the_timeout_and_well_again_when_back(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server("--appendonly", "yes", "--appendfsync", "always")
    store = open_store(server.url, timeout=10.0)
    game = warm(store)
    server.kill()
    started = monotonic()
    for attempt in (store.ping, lambda: store.load(game), lambda: store.commit(event(game, 1))):
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            attempt()
    assert monotonic() - started < 10.0
    server.start()
    # The restarted server has the game but not the scripts.
    store.commit(event(game, 1))
    assert len(store.load_log(game)) == 2


def test_a_frozen_server_is_unavailable_within_the_timeout(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server()
    store, fresh = open_store(server.url, timeout=2.0), open_store(server.url, timeout=2.0)
    game = warm(store)
    server.pause()
    # It stays frozen, so without a timeout neither would ever end.
    for each in (store, fresh):
        with pytest.raises(StoreUnavailable, match="in time"):
            each.load(game)


def test_a_server_that_goes_silent_while_we_introduce_ourselves_costs_no_more_than_the_timeout(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server("--requirepass", "open sesame")
    with TcpProxy(server.socket) as proxy:
        url = f"redis://:open%20sesame@127.0.0.1:{proxy.port}/1"
        known, fresh = open_store(url, timeout=2.0), open_store(url, timeout=2.0)
        game = warm(known)
        for each in (known, fresh):
            proxy.trouble("EVALSHA", Fault.CUT_BEFORE)
            silence = proxy.trouble("AUTH", Fault.SWALLOW)
            with pytest.raises(StoreUnavailable, match="in time"):
                each.load(game)
            assert silence.struck.is_set()
            each.load(game)


def test_a_server_that_lost_its_scripts_is_given_them_again(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    store = open_store(own_server().url)
    game = warm(store)
    store.client.script_flush()
    store.commit(event(game, 1))
    store.client.script_flush()
    assert store.load(game, b"k" * 16) is not None
    store.client.script_flush()
    assert store.load_with_log(game) is not None
    store.client.script_flush()
    assert store.delete(game, stamp_of(game, 2)) is True


def test_a_full_server_refuses_a_commit_whole_but_reads_and_deletes(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    store = open_store(own_server("--maxmemory-policy", "noeviction").url)
    game = warm(store)
    before = store.load_with_log(game)
    store.client.config_set("maxmemory", 1)
    for lost in (event(game, 1), event(fresh_id(), 0)):
        with pytest.raises(StoreUnavailable, match="out of memory"):
            store.commit(lost)
    store.client.script_flush()
    with pytest.raises(StoreUnavailable, match="out of memory"):
        store.commit(event(game, 1))
    assert store.load_with_log(game) == before
    assert store.load(game, b"k" * 16) is not None
    assert store.client.dbsize() == 3
    assert store.delete(game, stamp_of(game, 1)) is True


def test_a_replica_refuses_a_commit_whole_and_still_reads(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    store = open_store(own_server().url)
    game = warm(store)
    before = store.load_with_log(game)
    store.client.replicaof("127.0.0.1", "1")
    with pytest.raises(StoreUnavailable, match="read-only"):
        store.commit(event(game, 1))
    with pytest.raises(StoreUnavailable, match="read-only"):
        store.delete(game, stamp_of(game, 1))
    assert store.load_with_log(game) == before


def test_a_server_that_cannot_save_refuses_a_commit_whole(
    own_server: OwnServer, open_store: OpenStore, tmp_path: Path
) -> None:
    doomed = tmp_path / "doomed"
    doomed.mkdir()
    store = open_store(own_server("--dir", str(doomed), "--save", "3600 1000000").url)
    game = warm(store)
    before = store.load_with_log(game)
    doomed.rmdir()
    store.client.bgsave()
    until(lambda: store.client.info("persistence")["rdb_last_bgsave_status"] == "err")
    with pytest.raises(StoreUnavailable, match="disk"):
        store.commit(event(game, 1))
    assert store.load_with_log(game) == before


def test_a_server_that_is_loading_is_unavailable(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server()
    store = open_store(server.url)
    for n in range(40):
        store.client.set(f"ballast {n}", os.urandom(1100))
    store.client.save()
    server.kill()
    slowly = ("--key-load-delay", "200000", "--loading-process-events-interval-bytes", "1024")
    server.start(*slowly, ready=False)

    def loading() -> bool:
        try:
            store.ping()
        except StoreUnavailable as away:
            return "loading" in away.reason
        return False

    until(loading)
    with pytest.raises(StoreUnavailable, match="loading"):
        store.commit(event(fresh_id(), 0))


def test_foreign_data_under_our_keys_is_unavailable_and_stays_untouched(
    store: RedisGameStore,
) -> None:
    game = fresh_id()
    store.client.set(keys.log_key(game), "not a list")
    with pytest.raises(StoreUnavailable, match="WRONGTYPE"):
        store.commit(event(game, 0))
    assert store.load(game) is None
    assert store.client.get(keys.log_key(game)) == b"not a list"


def test_a_store_needs_a_client_with_limits() -> None:
    with pytest.raises(TypeError, match=r"service\.store\.client"):
        RedisGameStore(redis.Redis())
