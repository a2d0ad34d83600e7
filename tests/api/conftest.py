"""Clients of real servers."""

from collections.abc import Callable

import pytest

from tests.api.client import Client, Table, client_of
from tests.servers import QwirkleServer

Position = Callable[..., Table]


@pytest.fixture(scope="session")
def client(qwirkle_server: QwirkleServer) -> Client:
    """A client of the shared server: three workers, nothing configured."""
    return client_of(qwirkle_server)
