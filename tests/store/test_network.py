"""The network cut, slow or silent: a move happens once, and nobody waits for ever."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest

from service.store.base import StoreUnavailable, VersionConflict
from service.store.redis_store import RedisGameStore
from tests.proxy import Fault, TcpProxy
from tests.store.writing import event, fresh_id, nonce_in, rival, stamp_of, warm

OpenStore = Callable[..., RedisGameStore]


def nonces(store: RedisGameStore, game: str) -> list[bytes]:
    return [logged.nonce for logged in store.load_log(game)]


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
    assert nonces(store, game)[1:] == [nonce_in(second)]


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
    assert nonces(store, game)[1:] == ([nonce_in(second)] if happened else [])
    through.commit(second)
    assert nonces(store, game)[1:] == [nonce_in(second)]


def test_a_commit_cut_and_overtaken_by_another_is_a_conflict(
    proxy: TcpProxy, open_store: OpenStore, store: RedisGameStore
) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    mine, theirs = event(game, 1), rival(event(game, 1))
    proxy.trouble("EVALSHA", Fault.CUT_BEFORE)
    held = proxy.trouble("EVALSHA", Fault.HOLD)
    with ThreadPoolExecutor(1) as thread:
        outcome = thread.submit(through.commit, mine)
        assert held.struck.wait(60)
        store.commit(theirs)
        held.release()
        with pytest.raises(VersionConflict) as refused:
            outcome.result()
    assert refused.value.current == 2
    assert nonces(store, game)[1:] == [nonce_in(theirs)]


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
        assert held.struck.wait(60)
        store.commit(after)
        held.release()
        outcome.result()
    assert nonces(store, game)[1:] == [nonce_in(mine), nonce_in(after)]
    loaded = store.load(game)
    assert loaded is not None
    assert loaded.state == after.state


@pytest.mark.parametrize("cut", [Fault.CUT_BEFORE, Fault.CUT_AFTER])
def test_a_deletion_whose_connection_is_cut_still_tells_that_it_deleted(
    proxy: TcpProxy, open_store: OpenStore, cut: Fault
) -> None:
    through = open_store(proxy.url)
    game, never = warm(through), fresh_id()
    assert through.delete(never, b"") is False
    for expected, each in ((True, game), (False, never)):
        proxy.trouble("EVALSHA", cut)
        assert through.delete(each, stamp_of(each, 1)) is expected
    assert through.load(game) is None


def test_reads_survive_one_cut(proxy: TcpProxy, open_store: OpenStore) -> None:
    through = open_store(proxy.url)
    game = warm(through)
    for read in (through.load, through.load_log, through.load_with_log):
        cut = proxy.trouble("EVALSHA", Fault.CUT_AFTER)
        assert read(game)
        assert cut.struck.is_set()


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
    # Long enough that a busy machine does not run into it by itself.
    through = open_store(proxy.url, timeout=2.0)
    game, other = warm(through), warm(through)
    through.commit(event(other, 1, state=b"another"))
    held = proxy.trouble("EVALSHA", Fault.HOLD_ANSWER)
    # The answer is held for ever, so without a timeout this would never end.
    with pytest.raises(StoreUnavailable, match="in time"):
        through.load(game)
    held.release()
    loaded = through.load(other)
    assert loaded is not None
    assert loaded.state == b"another"


def test_a_drop_and_the_repetition_share_one_timeout(
    proxy: TcpProxy, open_store: OpenStore
) -> None:
    through = open_store(proxy.url, timeout=5.0)
    game = warm(through)
    proxy.trouble("EVALSHA", Fault.SWALLOW, times=2)
    cut = threading.Timer(4.0, proxy.cut_all)
    started = monotonic()
    cut.start()
    with pytest.raises(StoreUnavailable, match="in time"):
        through.load(game)
    # With a timeout of its own the repetition would end after nine seconds.
    assert 4.9 < monotonic() - started < 8.5


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
    held = proxy.trouble("EVALSHA", Fault.HOLD_ANSWER)
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        sender = threading.Thread(
            target=lambda: held.struck.wait(60) and os.kill(os.getpid(), signal.SIGUSR1)
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
    through = open_store(proxy.url, timeout=30.0)
    game = warm(through)
    proxy.trouble("EVALSHA", Fault.HOLD, seconds=0.2)
    started = monotonic()
    assert through.load(game) is not None
    assert monotonic() - started >= 0.2


def test_a_timed_out_commit_is_not_sent_again(proxy: TcpProxy, open_store: OpenStore) -> None:
    through = open_store(proxy.url, timeout=2.0)
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
    through = open_store(proxy.url, timeout=6.0, connections=1)
    game = warm(through)
    with ThreadPoolExecutor(1) as thread:
        held = proxy.trouble("EVALSHA", Fault.HOLD)
        first = thread.submit(through.load, game)
        assert held.struck.wait(60)
        with pytest.raises(StoreUnavailable, match="busy"):
            through.load_log(game)
        # The one who waited gave up before the one who has the connection had to.
        held.release()
        assert first.result() is not None
    assert len(through.load_log(game)) == 1
