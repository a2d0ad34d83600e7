"""Real servers for every test that wants one: a store, and `qwirkle serve` on top of it."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from service.store.embedded import EmbeddedStore
from tests.servers import SHARED, NewDir, QwirkleServer

# Property tests run the same cases everywhere, and a busy machine is no reason to fail.
settings.register_profile(
    "stable",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("stable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long the long tests of faults go on."""
    parser.addoption("--soak-minutes", type=float, default=10.0, help="minutes of random faults")


@pytest.fixture(scope="session")
def new_dir() -> Iterator[NewDir]:
    """Makes a new empty folder at each call, for fixtures that outlive a test.

    Its name leaves room for Unix sockets; pytest's own names can be too long.
    """
    with tempfile.TemporaryDirectory(prefix="qw-", ignore_cleanup_errors=True) as parent:
        Path(parent).chmod(0o711)  # other users may reach what a test opens to them
        yield lambda: Path(tempfile.mkdtemp(dir=parent))


@pytest.fixture
def short_dir(new_dir: NewDir) -> Path:
    """A new empty folder of the test's own."""
    return new_dir()


@pytest.fixture(scope="session")
def kept_store(new_dir: NewDir) -> Iterator[Callable[[str], EmbeddedStore]]:
    """The store of a kind, started for the first who asks and kept for all others."""
    with ExitStack() as kept:

        @cache
        def store_of(kind: str) -> EmbeddedStore:
            binary = shutil.which("redis-server") if kind == "redis" else None
            path = Path(binary) if binary else None
            return kept.enter_context(EmbeddedStore(new_dir(), binary=path))

        yield store_of


@pytest.fixture(scope="session")
def kept_qwirkle() -> Iterator[Callable[..., QwirkleServer]]:
    """Servers for whoever leaves them as they were, one for all who ask with the same settings.

    Starting one costs more than most tests, so a test that neither stops nor breaks anything
    asks here, e.g. `kept_qwirkle(workers=1, QWIRKLE_CORS_ORIGINS="*")`.
    """
    with ExitStack() as kept:

        @cache
        def server_for(
            redis_url: str | None, workers: int, settings: tuple[tuple[str, str], ...]
        ) -> QwirkleServer:
            server = QwirkleServer(redis_url=redis_url, workers=workers, environment=dict(settings))
            return kept.enter_context(server)

        def server_with(
            *, redis_url: str | None = None, workers: int = 1, **settings: str
        ) -> QwirkleServer:
            return server_for(redis_url, workers, tuple(sorted(settings.items())))

        yield server_with


@pytest.fixture(scope="session", params=["valkey", "redis"])
def store_server(
    request: pytest.FixtureRequest, kept_store: Callable[[str], EmbeddedStore]
) -> EmbeddedStore:
    """A running store: the embedded Valkey, and Debian's Redis where it is installed."""
    if request.param == "redis" and shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed: not tested against Redis")
    return kept_store(request.param)


@pytest.fixture(scope="session")
def qwirkle_server(
    store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]
) -> QwirkleServer:
    """A running service with three workers on the store; shared, so leave it as you found it."""
    return kept_qwirkle(redis_url=store_server.url, workers=3, **SHARED)


@pytest.fixture(scope="session")
def valkey_server(
    kept_store: Callable[[str], EmbeddedStore], kept_qwirkle: Callable[..., QwirkleServer]
) -> QwirkleServer:
    """The same on Valkey alone, for what does not depend on the kind of store."""
    return kept_qwirkle(redis_url=kept_store("valkey").url, workers=3, **SHARED)


@pytest.fixture
def start_qwirkle() -> Iterator[Callable[..., QwirkleServer]]:
    """Starts further servers, e.g. `start_qwirkle(QWIRKLE_API_KEYS="a:b")`; all end with the test.

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
