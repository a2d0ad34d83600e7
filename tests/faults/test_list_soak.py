"""A tenant's lists after random traffic, while parts of the service die at random.

They say the same as a look at all games.
"""

from collections import Counter
from random import Random
from time import monotonic, sleep

import pytest

from service.games.session import GameSession
from tests.api.client import Client
from tests.api.lists import check_all_lists, stored_sessions
from tests.faults.tenant_traffic import KEY, REFS, Traffic
from tests.faults.test_kills import Death, everything, stop_and_start, store, web_server, worker
from tests.faults.test_soak import helper, reload, stalled_store, stalled_worker
from tests.live.streams import workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

SETTINGS = {"QWIRKLE_EMBEDDED_FSYNC": "always", "QWIRKLE_API_KEYS": f"acme:{KEY}"}
FAULTS: tuple[Death, ...] = (
    worker,
    store,
    everything,
    web_server,
    helper,
    stop_and_start,
    stalled_worker,
    stalled_store,
    reload,
)


def at_rest(server: QwirkleServer) -> list[GameSession]:
    """All games, once the bots have nothing to do any more."""
    before: list[GameSession] = []
    ends = monotonic() + 120
    while monotonic() < ends:
        now = stored_sessions(server.redis_url)
        if {each.id: each.game.version for each in now} == {
            each.id: each.game.version for each in before
        }:
            return now
        before = now
        sleep(2)
    raise AssertionError("the games do not come to rest")


def soak(server: QwirkleServer, seconds: float, faults: int, seed: int) -> str:
    """Traffic for so long, with at least so many faults; then compare lists and games."""
    chance, happened = Random(seed), Counter[str]()
    traffic = Traffic(lambda: server.base_url, people=4, seed=seed)
    try:
        ends = monotonic() + seconds
        pending: list[Death] = []
        while monotonic() < ends or happened.total() < faults:
            traffic.carry_on(chance.randint(10, 60))
            until(lambda: len(workers_of(server)) == 2, 120)
            # Every kind once in each round, in an order of its own.
            pending = pending or chance.sample(FAULTS, len(FAULTS))
            fault = pending.pop()
            fault(server)
            happened[fault.__name__] += 1
        traffic.carry_on(10)
    finally:
        traffic.stop()
    until(lambda: server.get("/readyz")[0] == 200, 60)
    games = Counter(session.game.phase for session in at_rest(server))
    client = Client(server.base_url)
    assert check_all_lists(client, server.redis_url, "acme", KEY, list(REFS)) == games.total()
    assert len(games) == 4, games
    assert "Traceback" not in server.errors
    return f"{dict(games)} after {dict(traffic.done)} and {dict(happened)}"


@pytest.mark.timeout(300)
def test_lists_are_right_after_random_traffic_and_deaths() -> None:
    with QwirkleServer(workers=2, environment=SETTINGS) as server:
        soak(server, seconds=10, faults=3, seed=16)


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_lists_are_right_after_minutes_of_random_traffic_and_deaths(
    pytestconfig: pytest.Config,
) -> None:
    minutes: float = pytestconfig.getoption("--soak-minutes")
    with QwirkleServer(workers=2, environment=SETTINGS) as server:
        print(f"\n{minutes:g} minutes: {soak(server, minutes * 60, 9, seed=61)}")
