"""Whatever is restarted or killed, a stream goes on or can be resumed, without loss."""

import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import psutil
import pytest

from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.live.streams import (
    Message,
    Stream,
    client_for,
    exchanges,
    log_of,
    meanwhile,
    peers_of,
    resumed,
    store_of,
    workers_of,
)
from tests.proxy import until
from tests.servers import QwirkleServer


@pytest.fixture(scope="module")
def server() -> Iterator[QwirkleServer]:
    """A server that the tests of this file may break, as long as it recovers."""
    with QwirkleServer(workers=2) as server:
        yield server


def kill(victim: psutil.Process) -> None:
    """Kill it, and return when it can take no more connections."""
    victim.kill()
    victim.wait(10)


def patiently(table: Table, count: int) -> None:
    """So many turns, each tried until the server takes it; one of them at most happens twice."""
    goal = version_of(table) + count
    while version_of(table) < goal:
        try:
            exchanges(table, 1)
        except (OSError, AssertionError):
            continue


def version_of(table: Table) -> int:
    while True:
        try:
            return table.version
        except (OSError, AssertionError):
            continue


def same(heard: list[Message], table: Table) -> bool:
    return [message.data for message in heard] == log_of(table)[: len(heard)]


def test_streams_are_resumed_when_workers_are_killed(server: QwirkleServer) -> None:
    table = in_play(client_for(server))
    with meanwhile(*[lambda: resumed(table, None, 13)] * 4) as heard:
        for _ in range(3):
            patiently(table, 4)
            kill(workers_of(server)[0])
        for each in heard:
            assert same(each.result(), table)


def test_a_rolling_restart_ends_every_stream_at_once_and_each_is_resumed(
    server: QwirkleServer,
) -> None:
    table = in_play(client_for(server))
    before = workers_of(server)
    streams = [Stream(table) for _ in range(6)]
    for stream in streams:
        stream.take(1)
    began = monotonic()
    psutil.Process(server.pid).send_signal(signal.SIGHUP)
    with meanwhile(*(stream.ended for stream in streams)) as ended:
        assert all(each.result() for each in ended)
    _, left = psutil.wait_procs(before, timeout=28)
    # Running requests have 30 seconds; streams and those who wait do not use them up.
    assert not left
    assert monotonic() - began < 28
    exchanges(table, 2)
    for stream in streams:
        with Stream(table, last_id=stream.last_id) as again:
            assert [message.n for message in again.take(2)] == [2, 3]


def test_a_waiting_request_is_answered_when_its_worker_leaves(server: QwirkleServer) -> None:
    table = in_play(client_for(server))
    with meanwhile(lambda: table.look(rest="/events?after=1&wait=30")) as (waiting,):
        with Stream(table) as stream:
            stream.take(1)
            psutil.Process(server.pid).send_signal(signal.SIGHUP)
            assert stream.ended()
        began = monotonic()
        assert waiting.result().ok(200).json["last"] == 1
        assert monotonic() - began < 15


def test_an_open_stream_outlives_its_store(server: QwirkleServer) -> None:
    table = in_play(client_for(server))
    with Stream(table) as stream:
        stream.take(1)
        for round_ in range(2):
            kill(store_of(server))
            patiently(table, 2)
            first = 2 + 2 * round_
            assert [message.n for message in stream.take(2)] == [first, first + 1]
    assert "Traceback" not in server.errors


def test_streams_are_resumed_after_a_full_stop(
    start_qwirkle: Callable[..., QwirkleServer], tmp_path: Path
) -> None:
    first = start_qwirkle(data_dir=tmp_path, workers=1)
    table = in_play(client_for(first))
    stream = Stream(table, table.tokens[0])
    stream.take(1)
    began = monotonic()
    assert first.stop() == 0
    assert monotonic() - began < 20
    assert stream.ended()
    second = start_qwirkle(data_dir=tmp_path, workers=1)
    table.client = Client(second.base_url)
    exchanges(table, 2)
    with Stream(table, table.tokens[0], stream.last_id) as again:
        assert [message.n for message in again.take(2)] == [2, 3]


def test_whoever_has_just_connected_is_still_served_by_a_worker_that_leaves(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    server = start_qwirkle(workers=1)
    table = in_play(client_for(server))
    where = urlsplit(server.base_url)
    with (
        Stream(table) as stream,
        socket.create_connection((where.hostname, where.port), timeout=20) as line,
    ):
        stream.take(1)
        until(lambda: line.getsockname()[1] in peers_of(server))
        server.process.terminate()
        assert stream.ended()
        line.sendall(b"GET /livez HTTP/1.1\r\nHost: table\r\nConnection: close\r\n\r\n")
        assert line.recv(65_536).startswith(b"HTTP/1.1 200 ")


def test_killing_a_worker_leaves_the_streams_of_the_other_alone(server: QwirkleServer) -> None:
    until(lambda: len(workers_of(server)) == 2)
    table = in_play(client_for(server))
    victim = workers_of(server)[0]
    victim.suspend()  # so that the other one takes the streams
    streams = [Stream(table) for _ in range(3)]
    for stream in streams:
        stream.take(1)
    kill(victim)
    exchanges(table, 1)
    for stream in streams:
        assert [message.n for message in stream.take(1)] == [2]
        stream.cut()
