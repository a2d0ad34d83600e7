"""Minutes of play while primaries are killed and frozen in turn; only `make soak` runs it."""

import os
import random
from time import monotonic

import pytest

from tests.api.client import Client
from tests.cluster.deployments import Cluster, Guarded, until
from tests.cluster.players import Player, compare
from tests.servers import QwirkleServer

SECONDS = float(os.environ.get("SOAK_SECONDS", "180"))


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "replicas"), [(Cluster, 1), (Guarded, 2)])
def test_primaries_die_one_after_the_other_and_no_promise_is_broken(
    kind: type[Cluster | Guarded], replicas: int
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    settings = {"QWIRKLE_MIN_REPLICAS": str(replicas)}
    with (
        kind() as store,
        QwirkleServer(redis_url=store.url, workers=2, environment=settings) as server,
    ):
        client = Client(server.base_url)
        players = [Player(client, number, most_seconds=180) for number in range(4)]
        for player in players:
            player.start()
        try:
            end = monotonic() + SECONDS
            while monotonic() < end:
                go_on(players)
                lose_a_primary(store, rng)
            go_on(players)
        finally:
            for player in players:
                player.stop()
        kept = compare(players, client)
        print(f"{kept} promises kept, {sum(player.refused for player in players)} refusals")
        assert kept > 0


def go_on(players: list[Player]) -> None:
    """Return once everybody was promised something new."""
    for player in players:
        before = len(player.promises)
        until(lambda p=player, b=before: p.has_promises(b + 10), "the games go on", 180)


def lose_a_primary(store: Cluster | Guarded, rng: random.Random) -> None:
    """Kill or freeze one, and bring it back once another has taken over."""
    lost = rng.choice(store.primaries())
    lose, find = rng.choice([(lost.kill, lost.start), (lost.freeze, lost.thaw)])
    lose()
    try:
        until(lambda: store.is_replaced(lost), "another server has taken over")
    finally:
        find()
    until(lambda: not lost.is_primary(), "the lost one is a replica")
    store.await_health()
