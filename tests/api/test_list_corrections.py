"""Entries that do not fit their games, some time later: the clock of this house is the test's."""

from pathlib import Path

import pytest

from service.games.keyring import game_id
from service.games.list_pages import COMMIT_FAILED_MS, ListQuery, read_page
from service.store.embedded import EmbeddedStore
from service.store.game_index import FeedEvent, GameIndex, Listing, raw_id
from tests.worker.local_games import House

LONG = 10**12
EVENT = FeedEvent("a" * 26, 1, b"nonce of", b"{}")
_tenants = iter(f"corrected-{number}" for number in range(1000))


@pytest.fixture
def house(store_server: EmbeddedStore, tmp_path: Path) -> House:
    return House(store_server.url, tmp_path)


@pytest.fixture
def tenant() -> str:
    return next(_tenants)


def tables(house: House, tenant: str, count: int) -> list[str]:
    """New tables, a second apart."""
    ids = []
    for _ in range(count):
        house.clock.advance(1)
        ids.append(house.table(tenant=tenant))
    return ids


def listed(house: House, tenant: str, status: str | None = None, limit: int = 100) -> list[str]:
    """All pages."""
    ids: list[str] = []
    cursor = None
    while True:
        page = read_page(house.games, ListQuery(tenant, status), limit, cursor)
        ids += [session.id for session in page.sessions]
        cursor = page.following
        if cursor is None:
            return ids


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_an_entry_ahead_of_its_game_goes_back_once_the_commit_has_failed(
    house: House, tenant: str, limit: int
) -> None:
    first, second, third = tables(house, tenant, 3)
    house.clock.advance(1)
    ahead = Listing(tenant, first, house.clock(), frozenset({"waiting"}))
    house.games.store.index.announce(ahead, LONG, EVENT)
    assert listed(house, tenant, limit=limit) == [first, third, second]
    house.clock.advance(COMMIT_FAILED_MS / 1000)
    assert listed(house, tenant, limit=limit) == [third, second, first]


def test_an_entry_of_a_commit_that_failed_is_removed(house: House, tenant: str) -> None:
    first, second = tables(house, tenant, 2)
    wrong = Listing(tenant, first, house.clock(), frozenset({"finished"}))
    missing = Listing(tenant, "a" * 26, house.clock(), frozenset({"finished"}))
    for each in (wrong, missing):
        house.games.store.index.announce(each, LONG, EVENT)
    assert listed(house, tenant, "finished") == []
    assert len(entries(house, tenant, "finished")) == 2
    house.clock.advance(COMMIT_FAILED_MS / 1000)
    assert listed(house, tenant, "finished") == entries(house, tenant, "finished") == []
    assert listed(house, tenant) == [second, first]


def entries(house: House, tenant: str, name: str) -> list[str]:
    read = house.games.store.index.read(tenant, [name], None, 1000)
    return [entry.game_id for entry in read]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_an_entry_behind_its_game_is_shown_and_goes_forward(
    house: House, tenant: str, limit: int
) -> None:
    """A server that lost its newest entries, but not the games."""
    ids = tables(house, tenant, 8)
    for id_ in ids:
        house.games.store.index.announce(
            Listing(tenant, id_, LONG, frozenset({"waiting"})), 2 * LONG, EVENT
        )
    assert sorted(listed(house, tenant, limit=limit)) == sorted(ids)
    assert listed(house, tenant, limit=limit) == ids[::-1]


def test_thousands_of_obsolete_entries_end_a_page_early_and_are_gone_after_it(
    house: House, tenant: str
) -> None:
    (kept,) = tables(house, tenant, 1)
    for number in range(300):
        gone = Listing(tenant, game_id(number.to_bytes(16, "big")), LONG + number, WAITING)
        house.games.store.index.announce(gone, 2 * LONG, EVENT)
    house.games.store.index.announce(Listing(tenant, kept, LONG - 1, WAITING), 2 * LONG, EVENT)
    first = read_page(house.games, ListQuery(tenant), 10, None)
    assert (first.sessions, first.following is None) == ([], False)
    assert listed(house, tenant, limit=10) == [kept]
    assert entries(house, tenant, "waiting") == [kept]


WAITING = frozenset({"waiting"})


def test_games_of_the_same_moment_are_read_once_each(house: House, tenant: str) -> None:
    index = GameIndex(house.client)
    ids = {game_id(number.to_bytes(16, "big")) for number in range(200)}
    for id_ in ids:
        index.announce(Listing(tenant, id_, LONG, WAITING), 2 * LONG, EVENT)
    seen: list[str] = []
    after = None
    while read := index.read(tenant, ["waiting"], after, 7):
        seen += [entry.game_id for entry in read]
        after = (read[-1].updated_ms, read[-1].raw_id)
    assert seen == sorted(seen, key=raw_id, reverse=True)
    assert len(seen) == len(ids)
    assert set(seen) == ids
