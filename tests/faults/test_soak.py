"""Minutes of games on a real server while its parts are killed, stalled, reloaded and restarted at
random; then every promise made to anybody is checked.
"""

import signal
from collections import Counter
from random import Random
from time import monotonic, sleep

import psutil
import pytest

from tests.faults.checker import check
from tests.faults.load import Load
from tests.faults.stream_watchers import Watcher
from tests.faults.test_kills import (
    Death,
    everything,
    kill,
    stop_and_start,
    store,
    web_server,
    worker,
)
from tests.live.streams import store_of, workers_of
from tests.proxy import until
from tests.servers import QwirkleServer, words_of

SETTINGS = {
    "QWIRKLE_EMBEDDED_FSYNC": "always",
    "QWIRKLE_ANONYMOUS_BOT_TABLES": "1000000",
    "QWIRKLE_ANONYMOUS_BOT_TABLES_PER_ADDRESS": "1000000",
}
STALL = 1.5


def helper(server: QwirkleServer) -> None:
    """Kills the process that sees to bots and deadlines."""
    children = psutil.Process(server.pid).children()
    kill([each for each in children if "service.worker.main" in words_of(each)])


def stall(process: psutil.Process) -> None:
    """Stops it for a moment, without killing it."""
    process.suspend()
    sleep(STALL)
    process.resume()


def stalled_worker(server: QwirkleServer) -> None:
    stall(workers_of(server)[0])


def stalled_store(server: QwirkleServer) -> None:
    stall(store_of(server))


def reload(server: QwirkleServer) -> None:
    """Replaces the workers one by one."""
    psutil.Process(server.pid).send_signal(signal.SIGHUP)


FAULTS: tuple[Death, ...] = (
    worker,
    web_server,
    store,
    helper,
    everything,
    stop_and_start,
    stalled_worker,
    stalled_store,
    reload,
)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_minutes_of_random_faults_break_no_promise(pytestconfig: pytest.Config) -> None:
    minutes: float = pytestconfig.getoption("--soak-minutes")
    chance = Random(8)
    happened: Counter[str] = Counter()
    with QwirkleServer(workers=2, environment=SETTINGS) as server:

        def address() -> str:
            return server.base_url

        loads = [
            Load(address, clients=3, seed=80, seats=2, patience=180),
            Load(address, clients=1, seed=81, seats=3, patience=180),
            Load(address, clients=1, seed=82, seats=2, bots=True, patience=180),
        ]
        for load in loads:
            load.start()
        watchers = [Watcher(address, load.ledger).start() for load in loads]
        pending: list[Death] = []
        ends = monotonic() + minutes * 60
        while monotonic() < ends:
            for load in loads:
                load.carry_on(chance.randint(1, 12))
            until(lambda: len(workers_of(server)) == 2, 120)
            # Every kind once in each round, in an order of its own.
            pending = pending or chance.sample(FAULTS, len(FAULTS))
            fault = pending.pop()
            fault(server)
            happened[fault.__name__] += 1
        for load in loads:
            load.carry_on(3)
            load.stop()
        for watcher in watchers:
            watcher.stop()
        until(lambda: server.get("/readyz")[0] == 200, 60)
        events = sum(check(server.redis_url, load.ledger) for load in loads)
        heard = sum(watcher.check() for watcher in watchers)
        assert "Traceback" not in server.errors
    assert heard
    retries = sum(load.ledger.retries for load in loads)
    replays = sum(load.ledger.replays for load in loads)
    print(
        f"\n{minutes:g} minutes, {sum(happened.values())} faults {dict(happened)}: {events} events "
        f"in {sum(len(load.ledger.games()) for load in loads)} games, {retries} requests sent "
        f"again, {replays} answers compared, {heard} events heard live "
        f"over {sum(watcher.breaks for watcher in watchers)} breaks"
    )
