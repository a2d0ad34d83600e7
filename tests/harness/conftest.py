"""A real server for the harness; what these show does not depend on the kind of store."""

from collections.abc import Iterator

import pytest

from tests.api.client import Client, client_of
from tests.servers import QwirkleServer


@pytest.fixture(scope="session")
def server() -> Iterator[QwirkleServer]:
    """A service with a store of its own; shared, so leave it as you found it."""
    with QwirkleServer(workers=2) as started:
        yield started


@pytest.fixture(scope="session")
def client(server: QwirkleServer) -> Client:
    return client_of(server)
