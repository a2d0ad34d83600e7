"""Damaged bytes in the store: refused as `store_damaged`, and never read as another game."""

from collections.abc import Callable, Iterator
from random import Random

import pytest
import redis

from service.store import keys
from tests.api.client import Answer, Client, Table
from tests.api.positions import in_play
from tests.faults.conftest import Far
from tests.live.streams import Stream

Reads = dict[str, Callable[[], Answer]]


@pytest.fixture
def client(far: Far) -> Client:
    return Client(far.address(), 30)


@pytest.fixture
def store(far: Far) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(far.store.url) as store:
        yield store


@pytest.fixture
def table(client: Client) -> Table:
    table = in_play(client, seed="s")
    table.play(0, "rd@2,0", key="k").ok(201)
    table.exchange(1, "rc gs").ok(201)
    return table


def damages(sound: bytes, chance: Random) -> Iterator[bytes]:
    """Every byte altered; cut off, and with bytes put in or left out, all along."""
    for at in range(len(sound)):
        yield sound[:at] + bytes([sound[at] ^ chance.randrange(1, 256)]) + sound[at + 1 :]
    for at in range(0, len(sound), 7):
        yield sound[:at]
        yield sound[:at] + chance.randbytes(chance.randrange(1, 5)) + sound[at:]
        yield sound[:at] + sound[at + chance.randrange(1, 5) :]
    yield sound + b"\0"
    yield sound + sound
    yield bytes(len(sound))


def reads_of(table: Table) -> Reads:
    return {
        "view": lambda: table.look(0),
        "log": lambda: table.look(rest="/events"),
        "retry": lambda: table.play(0, "rd@2,0", key="k"),
    }


def is_damaged(answer: Answer, table: Table) -> bool:
    """Whether it tells of the damage, and when to come again."""
    if answer.status != 503:
        return False
    answer.refused(503, "store_damaged")
    assert answer.headers["retry-after"] == "60"
    assert table.id not in answer.json["detail"]
    return True


def test_a_damaged_state_is_refused_and_never_another_position(
    far: Far, table: Table, store: redis.Redis
) -> None:
    name = keys.state_key(table.id)
    sound: bytes = store.get(name)  # type: ignore[assignment]  # bytes
    look = reads_of(table)["view"]
    before = look().ok(200).body
    for damaged in damages(sound, Random(1)):
        store.set(name, damaged)
        assert is_damaged(look(), table), damaged
    for answer in (table.exchange(0, "bo"), table.delete(), table.look(rest="/score")):
        assert is_damaged(answer, table)
    store.set(name, sound)
    assert look().ok(200).body == before
    assert any(f"game {table.id} is damaged" in said for said in far.server.warnings)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_a_damaged_event_is_refused_and_nothing_is_shown_otherwise(
    table: Table, store: redis.Redis, index: int
) -> None:
    name = keys.log_key(table.id)
    sound: bytes = store.lindex(name, index)  # type: ignore[assignment]  # bytes
    reads = reads_of(table)
    before = {kind: read().ok().body for kind, read in reads.items()}
    for damaged in damages(sound, Random(index)):
        store.lset(name, index, damaged)  # type: ignore[arg-type]  # bytes
        answers = {kind: read() for kind, read in reads.items()}
        assert is_damaged(answers.pop("log"), table), damaged
        for kind, answer in answers.items():
            assert is_damaged(answer, table) or answer.body == before[kind], damaged
    store.lset(name, index, sound)  # type: ignore[arg-type]  # bytes
    assert {kind: read().ok().body for kind, read in reads.items()} == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda store, name: store.ltrim(name, 1, -1),
        lambda store, name: store.ltrim(name, 0, -2),
        lambda store, name: store.rpush(name, store.lindex(name, 0)),
        lambda store, name: store.lset(name, 1, store.lindex(name, 0)),
    ],
    ids=["no beginning", "no end", "longer", "an event in another's place"],
)
def test_a_log_that_is_not_the_states_is_refused(
    table: Table, store: redis.Redis, damage: Callable[[redis.Redis, str], object]
) -> None:
    damage(store, keys.log_key(table.id))
    for read in ("/events", "/score", "/record"):
        assert is_damaged(table.look(rest=read), table)


def test_a_damaged_retry_is_refused_and_nothing_happens_twice(
    table: Table, store: redis.Redis
) -> None:
    name = keys.idempotency_entries_key(table.id)
    entries: dict[bytes, bytes] = store.hgetall(name)  # type: ignore[assignment]  # bytes
    key = next(key for key in entries if key)
    repeat = reads_of(table)["retry"]
    before = repeat().ok(201).body
    for damaged in damages(entries[key], Random(3)):
        store.hset(name, key, damaged)  # type: ignore[arg-type]  # bytes
        assert is_damaged(repeat(), table), damaged
    store.hset(name, key, entries[key])  # type: ignore[arg-type]  # bytes
    assert repeat().ok(201).body == before
    assert table.version == 3


def test_a_stream_of_a_damaged_game_ends_and_who_comes_again_is_told(
    table: Table, store: redis.Redis
) -> None:
    name = keys.state_key(table.id)
    with Stream(table, after=0) as stream:
        stream.take(3)
        store.setrange(name, 100, b"?")
        store.execute_command("SPUBLISH", keys.game_channel(table.id), 3)
        assert stream.ended()
    with Stream(table, after=0) as again:
        assert again.status == 503
        assert b"store_damaged" in again.raw
