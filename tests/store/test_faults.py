"""The network cut, the server away, full, read-only or forgetful: never half a move, never two."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest
import redis

from service.store import keys
from service.store.games import StoreUnavailable, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.proxy import Fault, TcpProxy, until
from tests.store.conftest import Server
from tests.store.writing import event, fresh_id

OpenStore = Callable[..., RedisGameStore]
OwnServer = Callable[..., Server]


def nonces(store: RedisGameStore, game: str) -> list[bytes]:
    return [logged.nonce for logged in store.load_log(game)]


def warm(store: RedisGameStore) -> str:
    """A game at version 1; the server knows the scripts now."""
    game = fresh_id()
    store.commit(event(game, 0))
    store.load(game, b"k" * 16)
    return game


@pytest.mark.parametrize("cut", [Fault.CUT_BEFORE, Fault.CUT_AFTER])
def test_a_commit_whose_connection_is_cut_happens_exactly_once(
    proxy: TcpProxy, open_store: OpenStore, store: RedisGameStore, cut: Fault
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    second = event(game, 1)
    trouble = proxy.trouble("EVALSHA", cut)
    through.commit(second)
    assert trouble.struck.is_set()
    assert nonces(store, game)[1:] == [second.nonce]


@pytest.mark.parametrize(("cut", "happened"), [(Fault.CUT_BEFORE, False), (Fault.CUT_AFTER, True)])
def test_a_commit_cut_twice_is_unavailable_and_the_same_commit_settles_it_later(
    proxy: TcpProxy, open_store: OpenStore, store: RedisGameStore, cut: Fault, happened: bool
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    second = event(game, 1)
    proxy.trouble("EVALSHA", cut, times=2)
    with pytest.raises(StoreUnavailable):
        through.commit(second)
    assert nonces(store, game)[1:] == ([second.nonce] if happened else [])
    through.commit(second)
    assert nonces(store, game)[1:] == [second.nonce]


def test_a_commit_cut_and_overtaken_by_another_is_a_conflict(
    proxy: TcpProxy, open_store: OpenStore, store: RedisGameStore
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    mine, theirs = event(game, 1), event(game, 1)
    proxy.trouble("EVALSHA", Fault.CUT_BEFORE)
    held = proxy.trouble("EVALSHA", Fault.HOLD)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(through.commit, mine)
        assert held.struck.wait(5)
        store.commit(theirs)
        held.release()
        with pytest.raises(VersionConflict) as refused:
            outcome.result()
    assert refused.value.current == 2
    assert nonces(store, game)[1:] == [theirs.nonce]


def test_a_cut_commit_that_others_have_built_upon_still_counts(
    proxy: TcpProxy, open_store: OpenStore, store: RedisGameStore
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    mine, after = event(game, 1), event(game, 2)
    proxy.trouble("EVALSHA", Fault.CUT_AFTER)
    held = proxy.trouble("EVALSHA", Fault.HOLD)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(through.commit, mine)
        assert held.struck.wait(5)
        store.commit(after)
        held.release()
        outcome.result()
    assert nonces(store, game)[1:] == [mine.nonce, after.nonce]
    loaded = store.load(game)
    assert loaded is not None
    assert loaded.state == after.state


@pytest.mark.parametrize("cut", [Fault.CUT_BEFORE, Fault.CUT_AFTER])
def test_a_deletion_whose_connection_is_cut_still_tells_that_it_deleted(
    proxy: TcpProxy, open_store: OpenStore, cut: Fault
) -> None:
    through = open_store(proxy.url)
    game, never = warm(through), fresh_id()
    assert through.delete(never) is False
    for expected, each in ((True, game), (False, never)):
        proxy.trouble("EVALSHA", cut)
        assert through.delete(each) is expected
    assert through.load(game) is None


def test_reads_survive_one_cut(proxy: TcpProxy, open_store: OpenStore) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    for command in ("GET", "LRANGE", "EVALSHA"):
        proxy.trouble(command, Fault.CUT_AFTER)
    assert through.load(game) is not None
    assert len(through.load_log(game)) == 1
    assert through.load_with_log(game) is not None


def test_connections_that_died_while_idle_are_replaced_unnoticed(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    start = threading.Barrier(8)

    def read(_: int) -> bool:
        start.wait()
        return through.load(game) is not None

    with ThreadPoolExecutor(8) as threads:
        for _ in range(3):
            assert all(threads.map(read, range(8)))
            proxy.cut_all()


def test_a_silent_server_costs_no_more_than_the_timeout_and_its_late_answer_reaches_nobody(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url, timeout=0.4)
    game, other = warm(through), warm(through)
    through.commit(event(other, 1, state=b"another"))
    held = proxy.trouble("GET", Fault.HOLD_ANSWER)
    started = monotonic()
    with pytest.raises(StoreUnavailable, match="in time"):
        through.load(game)
    assert monotonic() - started < 0.8
    held.release()
    loaded = through.load(other)
    assert loaded is not None
    assert loaded.state == b"another"


def test_a_drop_and_the_repetition_share_one_timeout(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url, timeout=1.0)
    game = warm(through)
    proxy.trouble("GET", Fault.SWALLOW, times=2)
    cut = threading.Timer(0.6, proxy.cut_all)
    started = monotonic()
    cut.start()
    with pytest.raises(StoreUnavailable, match="in time"):
        through.load(game)
    assert 0.9 < monotonic() - started < 1.4


def test_an_interrupted_read_leaves_no_answer_for_the_next(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    class Interrupted(BaseException):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupted

    through = open_store(proxy.url, connections=1)
    game, other = warm(through), warm(through)
    through.commit(event(other, 1, state=b"another"))
    held = proxy.trouble("GET", Fault.HOLD_ANSWER)
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        sender = threading.Thread(
            target=lambda: held.struck.wait(5) and os.kill(os.getpid(), signal.SIGUSR1)
        )
        sender.start()
        with pytest.raises(Interrupted):
            through.load(game)
        sender.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    held.release()
    loaded = through.load(other)
    assert loaded is not None
    assert loaded.state == b"another"


def test_a_slow_answer_within_the_timeout_is_waited_for(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url, timeout=2.0)
    game = warm(through)
    proxy.trouble("GET", Fault.HOLD, seconds=0.2)
    started = monotonic()
    assert through.load(game) is not None
    assert 0.2 <= monotonic() - started < 1.0


def test_a_timed_out_commit_is_not_sent_again(proxy: TcpProxy, open_store: OpenStore) -> None:
    through = open_store(proxy.url, timeout=0.3)
    game = warm(through)
    proxy.trouble("EVALSHA", Fault.SWALLOW)
    before = len(proxy.commands)
    with pytest.raises(StoreUnavailable, match="in time"):
        through.commit(event(game, 1))
    assert len(proxy.commands) == before + 1
    assert len(through.load_log(game)) == 1


def test_who_finds_all_connections_busy_waits_and_then_is_told(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url, timeout=1.0, connections=1)
    game = warm(through)
    with ThreadPoolExecutor(1) as thread:
        held = proxy.trouble("GET", Fault.HOLD)
        first = thread.submit(through.load, game)
        assert held.struck.wait(5)
        started = monotonic()
        with pytest.raises(StoreUnavailable, match="busy"):
            through.load_log(game)
        assert monotonic() - started < 1.0
        held.release()
        assert first.result() is not None
    assert len(through.load_log(game)) == 1


def test_a_stopped_server_is_unavailable_within_the_timeout_and_well_again_when_back(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server("--appendonly", "yes", "--appendfsync", "always")
    store = open_store(server.url, timeout=1.0)
    game = warm(store)
    server.kill()
    started = monotonic()
    for attempt in (store.ping, lambda: store.load(game), lambda: store.commit(event(game, 1))):
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            attempt()
    assert monotonic() - started < 1.0
    server.start()
    # The restarted server has the game but not the scripts.
    store.commit(event(game, 1))
    assert len(store.load_log(game)) == 2


def test_a_frozen_server_is_unavailable_within_the_timeout(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server()
    store, fresh = open_store(server.url, timeout=0.3), open_store(server.url, timeout=0.3)
    game = warm(store)
    server.pause()
    for each in (store, fresh):
        started = monotonic()
        with pytest.raises(StoreUnavailable, match="in time"):
            each.load(game)
        assert monotonic() - started < 0.6


def test_a_server_that_goes_silent_while_we_introduce_ourselves_costs_no_more_than_the_timeout(
    own_server: OwnServer, open_store: OpenStore
) -> None:
    server = own_server("--requirepass", "open sesame")
    with TcpProxy(server.socket) as proxy:
        url = f"redis://:open%20sesame@127.0.0.1:{proxy.port}/1"
        known, fresh = open_store(url, timeout=0.4), open_store(url, timeout=0.4)
        game = warm(known)
        for each in (known, fresh):
            proxy.trouble("GET", Fault.CUT_BEFORE)
            silence = proxy.trouble("AUTH", Fault.SWALLOW)
            started = monotonic()
            with pytest.raises(StoreUnavailable, match="in time"):
                each.load(game)
            assert monotonic() - started < 0.7
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
    assert store.delete(game) is True


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
    assert store.client.dbsize() == 2
    assert store.delete(game) is True


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
        store.delete(game)
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
    with pytest.raises(TypeError, match=r"service\.store\.connect"):
        RedisGameStore(redis.Redis())
