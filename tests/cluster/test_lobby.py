"""People meet on a real Cluster too, wherever their tables are: by match, by code, once more."""

import pytest

from tests.api.client import Client
from tests.api.lobbies import ask, ask_at_once, kind, lobby
from tests.api.test_rematches import ask as ask_for_rematch
from tests.api.test_rematches import to_its_end
from tests.cluster.deployments import Cluster, until
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


@pytest.mark.timeout(300)
def test_codes_and_offers_outlive_a_server_of_a_cluster() -> None:
    with (
        Cluster() as cluster,
        QwirkleServer(redis_url=cluster.url, workers=2, environment=SETTINGS) as server,
    ):
        client = Client(server.base_url, 60)
        # The codes, and the games that they lead to, are spread over the servers.
        waiting = [client.create(players=[{"name": "Ada"}], seats=2) for _ in range(12)]
        finished = [to_its_end(client) for _ in range(6)]
        offered = [ask_for_rematch(table, 0).ok(201).json["game"]["id"] for table in finished]
        lost = cluster.primaries()[0]
        lost.kill()
        until(lambda: cluster.is_replaced(lost), "another server has taken over")
        lost.start()
        cluster.await_health()
        for table in waiting:
            body = {"name": "Ben", "join_code": table.join_code}
            assert client.post("/v1/joins", body).ok(201).json["game"]["id"] == table.id
        for table, rematch in zip(finished, offered, strict=True):
            assert table.view()["rematch"] == {"game_id": rematch, "seats": [0]}
            for seat in (1, 2):
                assert ask_for_rematch(table, seat).ok(201).json["game"]["id"] == rematch
            assert client.get(f"/v1/games/{rematch}").ok(200).json["status"] == "bidding"
