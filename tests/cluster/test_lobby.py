"""Who wants to play meets on a real Cluster too, wherever their tables are."""

import pytest

from tests.api.client import Client
from tests.api.lobbies import ask, ask_at_once, kind, lobby
from tests.cluster.deployments import Cluster
from tests.servers import QwirkleServer

SETTINGS = {"QWIRKLE_MIN_REPLICAS": "1", "QWIRKLE_STORE_TIMEOUT": "10"}


@pytest.mark.timeout(300)
def test_who_asks_at_once_meets_on_a_cluster() -> None:
    with (
        Cluster() as cluster,
        QwirkleServer(redis_url=cluster.url, workers=3, environment=SETTINGS) as server,
    ):
        client = Client(server.base_url, 60)
        for seats in (2, 3, 4):
            tables = ask_at_once(client, kind(seats), 61)
            full, left = divmod(61, seats)
            assert tables == {seats: full} | ({left: 1} if left else {})
        assert [len(lobby(client, seats=seats)) for seats in (2, 3, 4)] == [1, 1, 1]
        wish, key = kind(2), "a" * 32
        first = ask(client, wish, key=key).ok(201)
        assert ask(client, wish, key=key).ok(201).json == first.json
