"""A real server for the harness; what these show does not depend on the kind of store."""

import pytest

from tests.api.client import Client, client_of
from tests.servers import QwirkleServer


@pytest.fixture(scope="session")
def server(valkey_server: QwirkleServer) -> QwirkleServer:
    """A service that is shared, so leave it as you found it."""
    return valkey_server


@pytest.fixture(scope="session")
def client(server: QwirkleServer) -> Client:
    return client_of(server)
