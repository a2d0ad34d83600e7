"""Clients of real servers."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.config import Settings
from service.games.bootstrap import open_client, open_games
from service.games.service import Games
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, client_of
from tests.api.feeds import FEED_KEYS, Feed, feed_of_a_new_tenant
from tests.servers import SHARED, QwirkleServer

# What these show is decided before a store is asked, so one kind of store is enough.
ONE_STORE_IS_ENOUGH = {
    "test_authorisation.py",
    "test_browsers.py",
    "test_compression.py",
    "test_malformed.py",
    "test_precedence.py",
    "test_rates.py",
    "test_wire.py",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what would be the same against Redis as against Valkey."""
    spared = [item for item in items if item.path.name in ONE_STORE_IS_ENOUGH and on_redis(item)]
    left_out = set(spared)
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=spared)


def on_redis(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.params.get("store_server") == "redis"


@pytest.fixture(scope="session")
def keyed(kept_qwirkle: Callable[..., QwirkleServer]) -> Client:
    """Of a server with an API key, that admits every origin and gives guests no bots."""
    settings = {
        "QWIRKLE_API_KEYS": "acme:" + "k" * 20,
        "QWIRKLE_CORS_ORIGINS": "*",
        "QWIRKLE_ANONYMOUS_BOT_TABLES": "0",
    }
    return client_of(kept_qwirkle(**settings))


@pytest.fixture(scope="session")
def client(qwirkle_server: QwirkleServer) -> Client:
    """A client of the shared server: three workers, nothing configured."""
    return client_of(qwirkle_server)


@pytest.fixture
def feed(store_server: EmbeddedStore, kept_qwirkle: Callable[..., QwirkleServer]) -> Feed:
    """The feed of a tenant whom no other test uses."""
    settings = SHARED | {"QWIRKLE_API_KEYS": FEED_KEYS}
    server = kept_qwirkle(redis_url=store_server.url, workers=2, **settings)
    return feed_of_a_new_tenant(client_of(server), store_server.url)


@pytest.fixture
def games(store_server: EmbeddedStore, tmp_path: Path) -> Iterator[Games]:
    """The games in the store of the shared server, without a server."""
    settings = Settings(redis_url=store_server.url, data_dir=tmp_path, secrets=("s" * 32,))
    client = open_client(settings)
    yield open_games(settings, client)
    client.close()
