"""A worker goes through all games, slowly, and adds them to lists that have lost them."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
import redis

from service.games.list_pages import ListQuery, read_page
from service.store import keys
from service.store.embedded import EmbeddedStore
from service.store.game_index import raw_id
from service.store.sweep import Sweep
from service.worker import list_sweep
from service.worker.list_sweep import ListSweep
from tests.api.client import client_of
from tests.api.lists import check_all_lists
from tests.api.lists import listed as listed_by_service
from tests.proxy import until
from tests.servers import QwirkleServer
from tests.worker.conftest import Launch
from tests.worker.local_games import House

KEY = "a-key-of-acme"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_sweep, "BATCH_EVERY", 0.0)
    monkeypatch.setattr(list_sweep, "BEGIN_EVERY", 0.0)


def tables(house: House, count: int, tenant: str | None = "acme") -> list[str]:
    """New tables of Ada's and Ben's, newest first."""
    ids = []
    for _ in range(count):
        house.clock.advance(1)
        ids.append(house.table(tenant=tenant, refs=("ada", "ben")))
    return ids[::-1]


def listed(house: House, status: str | None = None, ref: str | None = None) -> list[str]:
    page = read_page(house.games, ListQuery("acme", status, ref), 10_000, None)
    return [session.id for session in page.sessions]


def lose_lists(house: House) -> None:
    """As if the store had never had them."""
    for key in list_keys(house.client):
        house.client.delete(key)


def sweep_of(house: House) -> ListSweep:
    return ListSweep(house.games, Sweep(house.client))


def sweep_all(sweep: ListSweep, house: House, rounds: int = 1000) -> None:
    """Go on until nothing is left to do for an hour."""
    for _ in range(rounds):
        sweep.run_due()
        if house.client.pttl(keys.SWEEP) > 60_000:
            return
    raise AssertionError("the sweep does not end")


def test_games_that_the_lists_have_lost_come_back_where_they_were(house: House) -> None:
    ids = tables(house, 40)
    house.deal(ids[3])
    house.resign(ids[3], 0)
    house.deal(ids[5])
    before = [listed(house, status, ref) for status, ref in EVERY_LIST]
    assert [len(each) for each in before] == [40, 38, 1, 1, 40, 38]
    lose_lists(house)
    assert listed(house) == []
    sweep_all(sweep_of(house), house)
    assert [listed(house, status, ref) for status, ref in EVERY_LIST] == before


EVERY_LIST = (
    (None, None),
    ("waiting", None),
    ("playing", None),
    ("finished", None),
    (None, "ada"),
    ("waiting", "ben"),
)


def test_one_lost_game_comes_back_and_the_others_stay_as_they_are(house: House) -> None:
    ids = tables(house, 20)
    before = stored(house.client)
    for key in before:
        house.client.zrem(key, raw_id(ids[7]))
    assert listed(house) == [*ids[:7], *ids[8:]]
    sweep_all(sweep_of(house), house)
    assert stored(house.client) == before
    assert listed(house) == ids


def stored(client: redis.Redis) -> dict[bytes, list[tuple[bytes, float]]]:
    """Every entry of every list."""
    return {key: client.zrange(key, 0, -1, withscores=True) for key in list_keys(client)}


def list_keys(client: redis.Redis) -> Iterator[bytes]:
    return client.scan_iter("qw:{t:acme:*}:*", _type="zset")


def test_what_is_no_tenants_or_gone_is_not_listed(house: House) -> None:
    tables(house, 3, tenant=None)
    kept, gone = tables(house, 2)
    house.games.delete(house.seen(gone))
    lose_lists(house)
    sweep_all(sweep_of(house), house)
    assert listed(house) == [kept]
    assert len(list(list_keys(house.client))) == 3  # waiting, Ada's and Ben's


def test_an_entry_that_waits_for_its_commit_is_not_set_back(house: House) -> None:
    (id_,) = tables(house, 1)
    (key,) = house.client.keys("qw:{t:acme:*}:waiting")
    ahead = house.clock() + 5000
    house.client.zadd(key, {raw_id(id_): ahead})
    sweep_all(sweep_of(house), house)
    assert house.client.zscore(key, raw_id(id_)) == ahead


def test_lists_live_as_long_as_their_games_again(house: House) -> None:
    tables(house, 1)
    lose_lists(house)
    sweep_all(sweep_of(house), house)
    for key in house.client.keys("qw:{t:acme:*}:waiting*"):
        assert house.games.ttl_active_ms - 60_000 < house.client.pttl(key)


def test_one_step_is_small_however_many_games_there_are(house: House) -> None:
    tables(house, 600)
    lose_lists(house)
    sweep = sweep_of(house)
    counts = [0]
    for _ in range(3):
        sweep.run_due()
        counts.append(len(listed(house)))
    steps = [later - earlier for earlier, later in pairwise(counts)]
    assert all(0 < step < 300 for step in steps), steps
    sweep_all(sweep, house)
    assert len(listed(house)) == 600


def test_steps_have_pauses_between_them(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_sweep, "BATCH_EVERY", 3600.0)
    tables(house, 600)
    lose_lists(house)
    sweep = sweep_of(house)
    for _ in range(100):
        sweep.run_due()
    assert 0 < len(listed(house)) < 300


def test_one_worker_sweeps_and_another_takes_over_if_it_dies(house: House) -> None:
    tables(house, 200)
    lose_lists(house)
    first, second = sweep_of(house), sweep_of(house)
    first.run_due()
    count = len(listed(house))
    second.run_due()
    assert len(listed(house)) == count
    house.client.delete(keys.SWEEP)  # the first one is not heard of any more
    sweep_all(second, house)
    assert len(listed(house)) == 200
    lose_lists(house)
    for _ in range(20):
        sweep_of(house).run_due()
    assert listed(house) == []  # the next sweep is an hour away


def test_a_store_that_goes_away_stops_the_sweep_and_nothing_else(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    tables(house, 200)
    lose_lists(house)
    sweep = sweep_of(house)
    house.client.acl_setuser("default", enabled=True, commands=["-scan"])
    try:
        for _ in range(3):
            house.client.delete(keys.SWEEP)
            sweep.run_due()
    finally:
        house.client.acl_setuser("default", enabled=True, commands=["+scan"])
    assert [record.message for record in caplog.records] == [
        "The sweep of the tenants' lists was stopped: the store does not permit us this command"
    ]
    house.client.delete(keys.SWEEP)
    sweep_all(sweep, house)
    assert len(listed(house)) == 200


@pytest.mark.timeout(120)
def test_a_worker_sweeps_as_soon_as_it_starts(work_store: EmbeddedStore, launch: Launch) -> None:
    settings = {"QWIRKLE_API_KEYS": f"acme:{KEY}", "QWIRKLE_SERVE_WORKER": "no"}
    with (
        redis.Redis.from_url(work_store.url) as store,
        QwirkleServer(redis_url=work_store.url, workers=1, environment=settings) as server,
    ):
        store.flushall()
        client = client_of(server)
        for _ in range(5):
            client.create(api_key=KEY)
        for key in list_keys(store):
            store.delete(key)
        assert listed_by_service(client, KEY) == []
        launch(work_store, QWIRKLE_API_KEYS=f"acme:{KEY}")
        until(lambda: store.pttl(keys.SWEEP) > 60_000, 60)
        assert check_all_lists(client, server.redis_url, "acme", KEY, []) == 5
