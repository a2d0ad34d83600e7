"""One server with everything at its defaults, for all tests that leave it as it is."""

import pytest

from tests.api.client import Client
from tests.live.streams import client_for
from tests.servers import QwirkleServer


@pytest.fixture(scope="session")
def live_server(valkey_server: QwirkleServer) -> QwirkleServer:
    return valkey_server


@pytest.fixture
def client(live_server: QwirkleServer) -> Client:
    return client_for(live_server)
