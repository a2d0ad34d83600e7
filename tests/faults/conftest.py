"""Servers that the tests of faults may break, as long as they are well again afterwards."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from service.store.embedded import EmbeddedStore
from tests.proxy import TcpProxy
from tests.servers import NewDir, QwirkleServer

PATIENCE = "2.0"


@dataclass(frozen=True)
class Far:
    """A service whose way to its store leads through a proxy."""

    store: EmbeddedStore
    proxy: TcpProxy
    server: QwirkleServer

    def address(self) -> str:
        return self.server.base_url


@pytest.fixture(scope="package")
def far(new_dir: NewDir) -> Iterator[Far]:
    folder = new_dir()
    socket = str(folder / "store.sock")
    settings = {"QWIRKLE_STORE_TIMEOUT": PATIENCE}
    with (
        EmbeddedStore(folder) as store,
        TcpProxy(socket) as proxy,
        QwirkleServer(redis_url=proxy.url, workers=2, environment=settings) as server,
    ):
        yield Far(store, proxy, server)


@pytest.fixture(scope="package")
def whole() -> Iterator[QwirkleServer]:
    """A service with a store of its own, every write of which reaches the disk at once.

    By default the store may answer while an older write is still on its way to the disk, so
    that its violent death can cost what it acknowledged in the last second: that is no fault.
    """
    settings = {"QWIRKLE_EMBEDDED_FSYNC": "always"}
    with QwirkleServer(workers=2, environment=settings) as server:
        yield server
