"""A store that loses its newest events never leaves a watcher with a log that is not true."""

from collections.abc import Iterator

import pytest
import redis

from tests.api.client import Client
from tests.api.positions import in_play
from tests.live.rollbacks import copies, roll_back
from tests.live.streams import Stream, exchanges, is_watched, log_of, meanwhile
from tests.proxy import until
from tests.servers import QwirkleServer


@pytest.fixture
def store(live_server: QwirkleServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(live_server.redis_url) as client:
        yield client


def test_an_id_that_the_log_does_not_have_is_answered_by_a_resync(
    client: Client, store: redis.Redis
) -> None:
    table = in_play(client)
    before = copies(store, table.id)
    exchanges(table, 3)
    lost = [event["id"] for event in log_of(table)]
    roll_back(store, before)
    exchanges(table, 1)
    newest = log_of(table)[-1]
    for last_id in (lost[1], lost[3], "7", "2-AAAAAAAA", "nonsense", "", "0-AAAAAAAA"):
        with Stream(table, last_id=last_id) as stream:
            resync = stream.next()
            assert resync is not None
            assert (resync.event, resync.data) == ("resync", {"last": 2})
            assert resync.id == newest["id"] != lost[1]
            exchanges(table, 1)
            assert stream.take(1)[0].n == 3
        roll_back(store, before)
        exchanges(table, 1)
        newest = log_of(table)[-1]


def test_whoever_has_only_what_was_kept_goes_on_as_if_nothing_had_happened(
    client: Client, store: redis.Redis
) -> None:
    table = in_play(client)
    exchanges(table, 1)
    before = copies(store, table.id)
    kept = log_of(table)[-1]["id"]
    exchanges(table, 2)
    roll_back(store, before)
    exchanges(table, 1)
    with Stream(table, last_id=kept) as stream:
        assert (stream.take(1)[0].event, stream.last_id) == ("exchanged", log_of(table)[-1]["id"])


@pytest.mark.parametrize("lost", [1, 3])
def test_an_open_stream_is_told_of_a_rollback_and_goes_on(
    client: Client, store: redis.Redis, lost: int
) -> None:
    table = in_play(client)
    exchanges(table, 1)
    before = copies(store, table.id)
    exchanges(table, lost)
    with Stream(table) as stream:
        stream.take(2 + lost)
        roll_back(store, before)
        exchanges(table, 1)
        resync = stream.take(1)[0]
        exchanges(table, 1)
        log = log_of(table)
        # It may have looked right after the rollback already, or only at the next event.
        last = resync.data["last"]
        assert (resync.event, resync.id) == ("resync", log[last - 1]["id"])
        assert last in {2, 3}
        assert [message.data for message in stream.take(4 - last)] == log[last:]


def test_a_waiting_request_is_told_that_the_log_has_become_shorter(
    client: Client, store: redis.Redis
) -> None:
    table = in_play(client)
    before = copies(store, table.id)
    exchanges(table, 3)
    with meanwhile(lambda: table.look(rest="/events?after=4&wait=30")) as (waiting,):
        until(lambda: is_watched(store, table))
        roll_back(store, before)
        exchanges(table, 1)
        told = waiting.result().json
    # It may have looked right after the rollback already, or only at the next event.
    assert told["last"] in {1, 2}
    assert told == {"events": [], "last": told["last"]}
