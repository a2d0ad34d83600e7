"""Servers that accept connections and never answer take no more of a call than its time limit."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from service.store.base import StoreUnavailable
from service.store.client import connect
from service.store.redis_store import RedisGameStore

SERVERS = 12


@pytest.fixture
def silent() -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(SERVERS)]


@pytest.mark.parametrize(
    "address", ["redis+cluster://{hosts}", "redis+sentinel://{hosts}/mymaster"]
)
def test_no_more_servers_are_asked_than_a_call_has_time_for(
    silent: list[socket.socket], address: str
) -> None:
    hosts = ",".join(f"127.0.0.1:{server.getsockname()[1]}" for server in silent)
    client = connect(address.format(hosts=hosts), timeout=0.4, connections=1)
    with pytest.raises(StoreUnavailable, match=r"in time|cannot be reached"):
        RedisGameStore(client).load("a" * 20)
    client.close()
    # Each gets a quarter of the time, and is connected to again once if that is cut short.
    assert 1 <= sum(map(was_asked, silent)) <= 4


def was_asked(server: socket.socket) -> bool:
    server.setblocking(False)
    try:
        server.accept()[0].close()
    except BlockingIOError:
        return False
    return True
