"""One server whose numbers and log are looked at; its finished games expire at once."""

from collections.abc import Iterator

import pytest

from tests.api.client import Client, client_of
from tests.servers import QwirkleServer

SETTINGS = {"QWIRKLE_TTL_FINISHED": "1", "QWIRKLE_LOG_LEVEL": "debug"}


@pytest.fixture(scope="package")
def server() -> Iterator[QwirkleServer]:
    with QwirkleServer(workers=2, environment=SETTINGS) as started:
        yield started


@pytest.fixture
def client(server: QwirkleServer) -> Client:
    return client_of(server)
