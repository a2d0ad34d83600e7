"""Node with the client, in front of a real server or of a network that fails."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.client import Client, Table
from tests.api.positions import in_play
from tests.clients.http_proxy import HttpProxy
from tests.clients.typescript.installed_package import install
from tests.clients.typescript.node_client import NodeClient
from tests.live.streams import client_for
from tests.servers import QwirkleServer


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: the TypeScript client did not run")
    return found


@pytest.fixture(scope="session")
def project(node: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the package from its archive, and the tools; skipped where npm has none."""
    folder = tmp_path_factory.mktemp("project")
    install(folder)
    return folder


@pytest.fixture
def api(valkey_server: QwirkleServer) -> Client:
    """The service itself, to prepare games and to see what became of them."""
    return client_for(valkey_server)


@pytest.fixture
def proxy(valkey_server: QwirkleServer) -> Iterator[HttpProxy]:
    with HttpProxy(valkey_server.base_url) as proxy:
        yield proxy


@pytest.fixture
def open_client(node: str) -> Iterator[Callable[..., NodeClient]]:
    """Starts a client; all end with the test, without a complaint."""
    clients: list[NodeClient] = []

    def start(base_url: str, **setup: Any) -> NodeClient:
        client = NodeClient(setup.pop("node", node), base_url, **setup)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.close()


@pytest.fixture
def client(open_client: Callable[..., NodeClient], proxy: HttpProxy) -> NodeClient:
    """A client behind a network that a test can break."""
    return open_client(proxy.base_url)


@pytest.fixture
def table(api: Client) -> Table:
    """A game that has just begun: seat 0 is to move, with a full bag."""
    return in_play(api)
