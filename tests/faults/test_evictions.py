"""A store that evicts keys: a game that has lost a part is gone for everybody, once and cleanly."""

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest
import redis

from service.app import create_app
from service.config import Settings
from service.store import keys
from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.faults.conftest import Far
from tests.live.streams import Stream
from tests.store.conftest import Server

Part = Callable[[str], str]
PARTS = pytest.mark.parametrize(
    "part", [keys.state_key, keys.log_key, keys.idempotency_entries_key]
)


@pytest.fixture
def client(far: Far) -> Client:
    return Client(far.address(), 30)


@pytest.fixture
def store(far: Far) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(far.store.url) as store:
        yield store


@PARTS
def test_a_game_that_has_lost_a_part_is_found_by_nobody(
    client: Client, store: redis.Redis, part: Part
) -> None:
    table = in_play(client)
    void, old = table.tokens[1], table.look(1).etag
    table.tokens[1] = table.act(1, "tokens").ok(201).json["token"]
    table.play(0, "rd@2,0", key="k").ok(201)
    store.delete(part(table.id))
    for rest in ("", "/score", "/record", "/events", "/unseen", "/board.svg"):
        table.look(rest=rest).refused(404, "game_not_found")
    for answer in (
        table.look(1, "/hand"),
        table.look(token=void),
        table.play(0, "rd@2,0", key="k"),
        table.exchange(1, "rc"),
        table.exchange(1, "rc", match=old),
        table.act(1, "tokens"),
        table.act(None, "tokens", token=void),
        table.delete(),
    ):
        answer.refused(404, "game_not_found")
    assert not store.exists(*keys.game_keys(table.id))


@PARTS
def test_its_streams_end_with_the_news_that_it_was_deleted(
    client: Client, store: redis.Redis, part: Part
) -> None:
    table = in_play(client)
    with Stream(table, after=0) as stream:
        assert [message.event for message in stream.take(1)] == ["created"]
        store.delete(part(table.id))
        table.delete().refused(404, "game_not_found")
        assert [message.event for message in stream.rest()] == ["deleted"]


@PARTS
def test_a_creation_repeated_after_it_makes_a_new_game(
    client: Client, store: redis.Redis, part: Part
) -> None:
    key, body = token_hex(16), {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    first = Table.of(client, client.post("/v1/games", body, key=key).ok(201))
    first.deal().ok(200)
    store.delete(part(first.id))
    answer = client.post("/v1/games", body, key=key).ok(201)
    assert not answer.replayed
    second = Table.of(client, answer)
    second.look(token=first.host).refused(401, "token_invalid")
    assert [event["type"] for event in second.look(rest="/events").json["events"]] == ["created"]
    second.deal().ok(200)


def test_readiness_tells_of_a_store_that_evicts_whatever_else_is_wrong(tmp_path: Path) -> None:
    server = Server("valkey", "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
    try:
        server.start()
        settings = Settings(redis_url=server.url, data_dir=tmp_path, secrets=("s" * 32,))
        answer = create_app(settings).test_client().get("/readyz")
        assert answer.status_code == 200
        told = " ".join(answer.json["warnings"])
        assert "append-only" in told
        assert "maxmemory-policy noeviction" in told
    finally:
        server.remove()
