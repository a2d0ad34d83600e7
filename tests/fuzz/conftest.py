"""The server that is asked everything that can be made up."""

import pytest

from tests.servers import QwirkleServer


@pytest.fixture(scope="package")
def server(valkey_server: QwirkleServer) -> QwirkleServer:
    """Shared with all others: what is made up here touches only games made here."""
    return valkey_server
