"""Real servers for every test that wants one: a store, and `qwirkle serve` on top of it."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer


@pytest.fixture(scope="session")
def short_dir() -> Iterator[Path]:
    """A folder whose name leaves room for Unix sockets; pytest's own names can be too long."""
    folder = Path(tempfile.mkdtemp(prefix="qw-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session", params=["valkey", "redis"])
def store_server(request: pytest.FixtureRequest, short_dir: Path) -> Iterator[EmbeddedStore]:
    """A running store: the embedded Valkey, and Debian's Redis where it is installed."""
    binary = None
    if request.param == "redis":
        found = shutil.which("redis-server")
        if found is None:
            pytest.skip("redis-server is not installed: not tested against Redis")
        binary = Path(found)
    with EmbeddedStore(short_dir / request.param, binary=binary) as store:
        yield store


@pytest.fixture(scope="session")
def qwirkle_server(store_server: EmbeddedStore) -> Iterator[QwirkleServer]:
    """A running service with three workers on the store; shared, so leave it as you found it."""
    with QwirkleServer(redis_url=store_server.url) as server:
        yield server


@pytest.fixture
def start_qwirkle() -> Iterator[Callable[..., QwirkleServer]]:
    """Starts further servers, e.g. `start_qwirkle(QWIRKLE_API_KEYS="...")`; all end with the test.

    Without `redis_url` a server runs its own embedded store.
    """
    started: list[QwirkleServer] = []

    def start(
        *,
        redis_url: str | None = None,
        data_dir: Path | None = None,
        workers: int = 3,
        **environment: str,
    ) -> QwirkleServer:
        server = QwirkleServer(
            redis_url=redis_url, data_dir=data_dir, workers=workers, environment=environment
        )
        started.append(server)
        return server.start()

    yield start
    for server in started:
        server.close()
