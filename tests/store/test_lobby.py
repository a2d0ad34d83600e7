"""The lobby's own keys: no table leaves anything behind, and no run of a script takes long."""

from collections.abc import Callable, Sequence
from itertools import count
from secrets import token_hex

import pytest

from service.store import keys
from service.store.base import StoreUnavailable
from service.store.game_index import raw_id
from service.store.lobby_index import ABSENT_MS, OpenTable, Room
from service.store.redis_store import RedisGameStore
from tests.store.conftest import Server
from tests.store.writing import HOUR_MS, fresh_id, now

VERSION = 5
MANY = 600
"""More than one run of a script looks at."""

_TIMES = count(now())


@pytest.fixture
def room() -> Room:
    return Room(None, 2, token_hex(4))


def table_in(room: Room, turn: str = "60") -> OpenTable:
    """A table that is newer than those before it."""
    return OpenTable(room, fresh_id(), next(_TIMES), VERSION, turn)


def add(store: RedisGameStore, room: Room, tables: int = 1) -> list[OpenTable]:
    added = [table_in(room) for _ in range(tables)]
    for table in added:
        store.lobby.add(table, HOUR_MS)
    return added


def leave(store: RedisGameStore, tables: Sequence[OpenTable]) -> None:
    """Let it be too long since anybody at these tables was seen."""
    for table in tables:
        hash_, field = keys.lobby_keys(*table.room)[0], raw_id(table.game_id)
        version, seen, rest = store.client.hget(hash_, field).split(b" ", 2)
        past = int(seen) - ABSENT_MS - 1
        store.client.hset(hash_, field, b"%b %d %b" % (version, past, rest))


def sizes(store: RedisGameStore, room: Room) -> list[int]:
    tables, all_of_them, to_match = keys.lobby_keys(*room)
    client = store.client
    return [client.hlen(tables), client.zcard(all_of_them), client.zcard(to_match)]


def ids(tables: Sequence[OpenTable]) -> list[str]:
    return [table.game_id for table in tables]


def test_a_dropped_table_leaves_nothing_behind(store: RedisGameStore, room: Room) -> None:
    for table in add(store, room, 3):
        assert store.lobby.drop(room, table.game_id, VERSION)
    assert sizes(store, room) == [0, 0, 0]


def test_a_table_with_another_turn_time_has_one_place(store: RedisGameStore, room: Room) -> None:
    (table,) = add(store, room)
    for turn in ("6", "600", "-", "0"):
        store.lobby.add(table._replace(turn=turn), HOUR_MS)
    assert sizes(store, room) == [1, 1, 1]
    assert store.lobby.match(table_in(room, "0"), HOUR_MS)[0] == table.game_id
    for turn in ("6", "60", "600"):
        own = table_in(room, turn)
        assert store.lobby.match(own, HOUR_MS)[0] == own.game_id


def test_the_oldest_table_of_the_kind_is_found(store: RedisGameStore, room: Room) -> None:
    store.lobby.add(table_in(room, "6"), HOUR_MS)
    oldest, second, _ = add(store, room, 3)
    store.lobby.add(second, HOUR_MS)
    assert store.lobby.match(table_in(room), HOUR_MS)[0] == oldest.game_id
    found, _ = store.lobby.match(table_in(room), HOUR_MS, [oldest.game_id])
    assert found == second.game_id


def test_one_run_of_a_match_removes_a_limited_number(store: RedisGameStore, room: Room) -> None:
    leave(store, add(store, room, MANY))
    own = table_in(room)
    assert store.lobby.match(own, HOUR_MS)[0] is None
    left = sizes(store, room)
    assert 0 < left[0] < MANY
    assert left == left[:1] * 3
    assert store.lobby.match(own, HOUR_MS)[0] == own.game_id
    assert sizes(store, room) == [1, 1, 1]


def test_one_run_of_a_read_removes_a_limited_number(store: RedisGameStore, room: Room) -> None:
    old = add(store, room, 2)
    leave(store, add(store, room, MANY))
    (newest,) = add(store, room)
    first = store.lobby.read([room], None, 10)
    assert [entry.game_id for entry in first.entries] == [newest.game_id]
    assert 3 < sizes(store, room)[0] < MANY
    rest = store.lobby.read([room], first.reached, 10)
    assert [entry.game_id for entry in rest.entries] == ids(old)[::-1]
    assert rest.reached is None
    assert sizes(store, room) == [3, 3, 3]


@pytest.mark.parametrize("limit", [3, 10])
def test_rooms_are_read_together_although_one_takes_several_runs(
    store: RedisGameStore, room: Room, limit: int
) -> None:
    other = room._replace(seats=3)
    tables = [*add(store, other), *add(store, room)]
    leave(store, add(store, room, MANY))
    tables += [*add(store, other, 2), *add(store, room), *add(store, other, 2)]
    seen, position, reads = [], None, 0
    while reads == 0 or position is not None:
        read = store.lobby.read([room, other], position, limit)
        seen += [entry.game_id for entry in read.entries]
        position, reads = read.reached, reads + 1
    assert seen == ids(tables)[::-1]


def test_a_new_table_removes_some_that_nobody_is_at(store: RedisGameStore, room: Room) -> None:
    leave(store, add(store, room, 10))
    for left in (7, 4, 1 + 2):
        add(store, room)
        assert sizes(store, room) == [left] * 3


@pytest.mark.parametrize(
    ("loaded", "opening", "dropped"),
    [
        (VERSION, False, True),
        (VERSION - 1, False, False),
        (0, True, False),
        (0, False, True),
    ],
)
def test_only_a_commit_that_can_succeed_is_waited_for(
    store: RedisGameStore, room: Room, loaded: int, opening: bool, dropped: bool
) -> None:
    table = table_in(room)
    store.lobby.add(table, HOUR_MS, opening=opening)
    assert store.lobby.drop(room, table.game_id, loaded) == dropped
    assert sizes(store, room) == [int(not dropped)] * 3


def test_a_table_that_could_not_be_kept_is_kept_the_next_time(
    own_server: Callable[..., Server], open_store: Callable[..., RedisGameStore], room: Room
) -> None:
    server = own_server()
    store, table = open_store(server.url, timeout=1), table_in(room)
    server.kill()
    with pytest.raises(StoreUnavailable):
        store.lobby.keep(table, HOUR_MS)
    server.start()
    store.lobby.keep(table, HOUR_MS)
    assert sizes(store, room) == [1, 1, 1]
