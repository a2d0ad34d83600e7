"""Both clients, and a network between them and the service that can be broken."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.clients.http_proxy import HttpProxy
from tests.clients.python.clients import Connect, asynchronous, blocking
from tests.servers import QwirkleServer


@pytest.fixture(params=["blocking", "asyncio"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Connects a client of either kind; all are closed with the test."""
    connected: list[Any] = []

    def connect_to(base_url: str, **options: Any) -> Any:
        make = blocking if request.param == "blocking" else asynchronous
        connected.append(make(base_url, **options))
        return connected[-1]

    yield connect_to
    for client in connected:
        client.close()


@pytest.fixture
def qwirkle(connect: Connect, valkey_server: QwirkleServer) -> Any:
    """A client with a good connection."""
    return connect(valkey_server.base_url)


@pytest.fixture
def proxy(valkey_server: QwirkleServer) -> Iterator[HttpProxy]:
    with HttpProxy(valkey_server.base_url) as proxy:
        yield proxy


@pytest.fixture
def shaky(connect: Connect, proxy: HttpProxy) -> Any:
    """A client behind the proxy."""
    return connect(proxy.base_url)
