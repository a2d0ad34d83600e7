"""A tenant's games in lists: by status and player, newest action first, page by page."""

from collections.abc import Callable
from itertools import count
from time import sleep
from typing import Any

import pytest
import redis

from service.games.listing import list_name
from service.store import keys
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.game_index import FeedEvent, GameIndex, Listing, raw_id, shard_of
from tests.api.client import Client, Table, client_of, tiles_of
from tests.api.lists import check_all_lists, listed, page, pages
from tests.api.positions import finished, in_play
from tests.servers import SHARED, QwirkleServer

_numbers = count(1)
EVENT = FeedEvent("a" * 26, 1, b"nonce of", b"{}")


class Tenant:
    """A tenant whom no other test uses, with a server that knows two more of them."""

    def __init__(self, client: Client, url: str, name: str, key: str) -> None:
        self.client, self.url, self.name, self.key = client, url, name, key

    def table(self, *refs: str | None, **choices: Any) -> Table:
        players = [{"name": f"P{seat}", "ref": ref} for seat, ref in enumerate(refs or (None,) * 2)]
        return self.client.create(api_key=self.key, players=players, **choices)

    def listed(self, **query: object) -> list[str]:
        return listed(self.client, self.key, **query)

    def page(self, **query: object) -> dict[str, Any]:
        return page(self.client, self.key, **query)

    def entries(self, table: Table, name: str) -> float | None:
        """The time of the game's entry in one of the store's lists."""
        shard = shard_of(table.id)
        with redis.Redis.from_url(self.url) as store:
            return store.zscore(keys.list_key(self.name, shard, name), raw_id(table.id))  # type: ignore[arg-type]  # bytes


@pytest.fixture(scope="module")
def house(
    store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> tuple[Client, str]:
    named = ",".join(f"t{number}:key-of-tenant-{number}" for number in range(1, 60))
    settings = SHARED | {"QWIRKLE_API_KEYS": named}
    server = kept_qwirkle(redis_url=store_server.url, workers=2, **settings)
    return client_of(server), store_server.url


@pytest.fixture
def tenant(house: tuple[Client, str]) -> Tenant:
    number = next(_numbers)
    return Tenant(*house, f"t{number}", f"key-of-tenant-{number}")


def test_a_list_shows_what_a_back_end_knows_its_games_by(tenant: Tenant) -> None:
    table = tenant.table("ada", None, metadata={"room": 7}, seats=3, turn_seconds=60)
    (row,) = tenant.page()["games"]
    view = table.view(token=table.host)
    same = ("id", "edition", "status", "version", "created_at", "updated_at", "expires_at")
    same += ("private", "turn_seconds", "seats", "turn", "winners", "end")
    assert {name: row[name] for name in same} == {name: view[name] for name in same}
    assert row["metadata"] == {"room": 7}
    assert [(player["seat"], player["ref"]) for player in row["players"]] == [(0, "ada"), (1, None)]


def test_games_are_found_by_their_status_as_it_changes(tenant: Tenant) -> None:
    hands = [tiles_of("ro rs rd bo y* gc"), tiles_of("bs bd go ys pc ox")]
    table = tenant.table("ada", setup={"hands": hands}, seats=2)

    def shown() -> dict[str, list[str]]:
        every = ("waiting", "bidding", "playing", "finished")
        lists = {status: tenant.listed(status=status) for status in every}
        assert tenant.listed() == [table.id]
        assert tenant.listed(ref="ada") == [table.id]
        return {status: ids for status, ids in lists.items() if ids}

    assert shown() == {"waiting": [table.id]}
    table.join().ok(201)
    assert shown() == {"bidding": [table.id]}
    for seat, length in enumerate((3, 2)):
        table.bid(seat, length).ok(201)
    assert shown() == {"playing": [table.id]}
    table.resign(0).ok(201)
    assert shown() == {"finished": [table.id]}


def test_games_are_found_by_their_players(tenant: Tenant) -> None:
    both, one = tenant.table("ada", "ben"), tenant.table("ada", None)
    open_seat = tenant.table(None, None, seats=3)
    assert tenant.listed(ref="ada") == [one.id, both.id]
    assert tenant.listed(ref="ben") == [both.id]
    assert tenant.listed(ref="") == tenant.listed(ref="ada ") == []
    open_seat.join(body={"ref": "ben"}).ok(201)
    assert tenant.listed(ref="ben") == [open_seat.id, both.id]
    open_seat.resign(2).ok(201)
    assert tenant.listed(ref="ben") == [both.id]
    odd = "}:{zoë\n" + "x" * 120
    table = tenant.table(odd, None)
    assert tenant.listed(ref=odd) == [table.id]


def test_the_newest_action_comes_first(tenant: Tenant) -> None:
    first, second, third = (tenant.table(seats=3) for _ in range(3))
    assert tenant.listed() == [third.id, second.id, first.id]
    first.join().ok(201)
    assert tenant.listed() == [first.id, third.id, second.id]
    second.update(metadata={"no": "event"}).ok(200)
    assert tenant.listed() == [first.id, third.id, second.id]


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_pages_together_are_the_list(tenant: Tenant, limit: int) -> None:
    ids = [tenant.table("ada", None).id for _ in range(14)][::-1]
    read = [[row["id"] for row in rows] for rows in pages(tenant.client, tenant.key, limit=limit)]
    assert [id_ for ids_of_page in read for id_ in ids_of_page] == ids
    assert [len(rows) for rows in read] == [limit] * (14 // limit) + [14 % limit] * (14 % limit > 0)


def test_paging_is_stable_while_games_change(tenant: Tenant) -> None:
    """Who stays is seen once, nobody twice, wherever others move meanwhile."""
    tables = [tenant.table("ada", None, seats=4) for _ in range(24)]
    seen: list[str] = []
    for number, rows in enumerate(pages(tenant.client, tenant.key, limit=5)):
        seen += [row["id"] for row in rows]
        shown, ahead = tables[-1 - number], tables[number]
        shown.join().ok(201)  # was on the first page or after it: comes to the front again
        ahead.join().ok(201)  # would have been among the last: comes to the front
        tenant.table()
        tables[12 + number].deal()
    assert len(seen) == len(set(seen))
    moved = {table.id for table in tables[:6]}
    assert {table.id for table in tables} - moved <= set(seen)
    assert moved <= set(tenant.listed())


def test_a_tenant_sees_its_own_games_alone(tenant: Tenant, house: tuple[Client, str]) -> None:
    number = next(_numbers)
    other = Tenant(*house, f"t{number}", f"key-of-tenant-{number}")
    mine, theirs = tenant.table("ada", None), other.table("ada", None)
    for query in ({}, {"status": "waiting"}, {"ref": "ada"}):
        assert tenant.listed(**query) == [mine.id]
        assert other.listed(**query) == [theirs.id]
    # Not even if another's game is among the entries.
    listing = Listing(tenant.name, theirs.id, 1_000_000_000_000, frozenset({"waiting"}))
    GameIndex(connect(tenant.url, timeout=10, connections=2)).announce(listing, 10**12, EVENT)
    assert tenant.entries(theirs, "waiting") is not None
    assert tenant.listed() == [mine.id]


def test_nobody_but_a_tenant_may_ask(tenant: Tenant) -> None:
    table, client = tenant.table(), tenant.client
    client.get("/v1/games").refused(403, "api_key_required")
    for token in ("", "wrong", table.host, table.tokens[0]):
        client.get("/v1/games", token=token).refused(401, "token_invalid")


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("limit=0", "query:limit"),
        ("limit=101", "query:limit"),
        ("status=open", "query:status"),
        ("ref=" + "x" * 129, "query:ref"),
        ("cursor=abc", "query:cursor"),
        ("page=2", "query:page"),
    ],
)
def test_a_malformed_query_is_refused(tenant: Tenant, query: str, pointer: str) -> None:
    answer = tenant.client.get(f"/v1/games?{query}", token=tenant.key)
    (fault,) = answer.refused(400, "malformed_request").json["errors"]
    assert fault["pointer"] == pointer


def test_any_cursor_of_the_right_form_gives_a_page(tenant: Tenant) -> None:
    table = tenant.table()
    assert [row["id"] for row in tenant.page(cursor="_" * 43)["games"]] == [table.id]
    assert tenant.page(cursor="A" * 43) == {"games": [], "next": None}


# What is no longer there


def test_deleted_games_leave_every_list(tenant: Tenant) -> None:
    table, kept = tenant.table("ada", "ben"), tenant.table("ada", None)
    table.delete().ok(204)
    assert tenant.listed() == tenant.listed(ref="ada") == [kept.id]
    assert tenant.listed(ref="ben") == []
    assert tenant.entries(table, "waiting") is None
    assert tenant.entries(table, list_name("waiting", "ben")) is None


def test_expired_games_vanish_with_their_entries(start_qwirkle: Any) -> None:
    settings = {"QWIRKLE_API_KEYS": "acme:a-key", "QWIRKLE_TTL_FINISHED": "1"}
    server = start_qwirkle(workers=1, **settings)
    client = client_of(server)
    ended, kept = finished(client, api_key="a-key"), in_play(client, api_key="a-key")
    assert listed(client, "a-key") == [kept.id, ended.id]
    sleep(1.1)
    assert listed(client, "a-key") == listed(client, "a-key", status="playing") == [kept.id]
    with redis.Redis.from_url(server.redis_url) as store:
        assert not list(store.scan_iter(match="qw:{t:*}:finished*"))


# Entries that are wrong


def wrong_entry(tenant: Tenant, table: Table, name: str, at_ms: int) -> None:
    listing = Listing(tenant.name, table.id, at_ms, frozenset({name}))
    GameIndex(connect(tenant.url, timeout=10, connections=2)).announce(listing, 10**12, EVENT)


def test_an_obsolete_entry_is_not_shown_and_goes(tenant: Tenant) -> None:
    table = tenant.table("ada", None)
    for name in ("playing", "finished", list_name("waiting", "ben"), list_name("playing", "ada")):
        wrong_entry(tenant, table, name, 1_700_000_000_000)
    assert tenant.listed() == [table.id]
    assert tenant.listed(status="playing") == tenant.listed(ref="ben") == []
    assert tenant.entries(table, "playing") is None
    assert tenant.entries(table, list_name("waiting", "ben")) is None


def test_an_entry_whose_commit_may_still_come_stays(tenant: Tenant) -> None:
    table = tenant.table()
    soon = int(tenant.entries(table, "waiting") or 0) + 1000
    wrong_entry(tenant, table, "finished", soon)
    assert tenant.listed(status="finished") == []
    assert tenant.listed() == [table.id]
    assert tenant.entries(table, "finished") == soon


def test_every_list_agrees_with_the_games(tenant: Tenant) -> None:
    tables = [tenant.table("ada", "ben", seats=3) for _ in range(4)]
    tables += [tenant.table("ben", "cleo") for _ in range(4)]
    for table in tables[4:6]:
        table.deal().ok(200)
    tables[4].resign(1).ok(201)
    tables[0].remove(1).ok(204)
    tables[1].join(body={"ref": "cleo"}).ok(201)
    tables[2].delete().ok(204)
    refs = ["ada", "ben", "cleo"]
    assert check_all_lists(tenant.client, tenant.url, tenant.name, tenant.key, refs, limit=2) == 7
