"""A tenant's lists and feed on a real Cluster: spread over it, and right when a server is lost."""

import pytest
from redis.crc import key_slot

from service.config import Settings
from service.games.bootstrap import open_client, open_games
from service.games.list_repair import repair_lists
from service.store import keys
from service.store.game_index import SHARDS
from service.store.sweep import Sweep
from tests.api.client import Client
from tests.api.lists import check_all_lists, listed
from tests.cluster.deployments import Cluster, until
from tests.faults.tenant_traffic import KEY
from tests.faults.test_feed import busy_tenant
from tests.servers import QwirkleServer

SETTINGS = {
    "QWIRKLE_MIN_REPLICAS": "1",
    "QWIRKLE_STORE_TIMEOUT": "10",
    "QWIRKLE_API_KEYS": f"acme:{KEY}",
}


@pytest.mark.timeout(300)
def test_lists_and_feed_lose_nothing_when_a_primary_is_killed() -> None:
    with (
        Cluster() as cluster,
        QwirkleServer(redis_url=cluster.url, workers=2, environment=SETTINGS) as server,
    ):
        slots = [key_slot(keys.feed_key("acme", shard).encode()) for shard in range(SHARDS)]
        assert len({cluster.owner(slot) for slot in slots}) == 3
        with busy_tenant(server) as crowd:
            lost = cluster.owner(slots[0])
            lost.kill()
            until(lambda: cluster.is_replaced(lost), "another server has taken over")
            lost.start()
            cluster.await_health()
            crowd.carry_on(6)
        servers = [node.client for node in cluster.primaries()]
        client = Client(server.base_url)
        count = check_all_lists(client, cluster.url, "acme", KEY, ["ada"], servers=servers)
        assert count > 12
        for each in servers:
            for key in each.scan_iter("qw:{t:acme:*}:*", _type="zset"):
                each.delete(key)
        assert listed(client, KEY) == []
        sweep_lists(cluster.url)
        assert check_all_lists(client, cluster.url, "acme", KEY, ["ada"], servers=servers) == count


def sweep_lists(url: str) -> None:
    """What a worker does in a while: a look at the games of every server."""
    settings = Settings(redis_url=url, secrets=("s" * 32,))
    client = open_client(settings)
    games = open_games(settings, client)
    for batch in Sweep(client).batches():
        repair_lists(games, batch)
