"""A server whose numbers and log are looked at, and one that sends traces and says nothing else."""

from collections.abc import Iterator

import pytest

from tests.api.client import Client, client_of
from tests.observing.collector import Collector
from tests.servers import QwirkleServer

SETTINGS = {"QWIRKLE_LOG_LEVEL": "debug"}


@pytest.fixture(scope="package")
def server() -> Iterator[QwirkleServer]:
    with QwirkleServer(workers=2, environment=SETTINGS) as started:
        yield started


@pytest.fixture
def client(server: QwirkleServer) -> Client:
    return client_of(server)


@pytest.fixture(scope="package")
def collector() -> Iterator[Collector]:
    started = Collector()
    yield started
    started.close()


@pytest.fixture
def quiet(collector: Collector) -> Iterator[QwirkleServer]:
    """One for each test, since one of them stops it."""
    settings = {
        "QWIRKLE_METRICS": "no",
        "QWIRKLE_ACCESS_LOG": "no",
        "QWIRKLE_OTEL_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    with QwirkleServer(workers=1, environment=settings) as started:
        yield started
