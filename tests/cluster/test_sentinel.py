"""A real primary with two replicas, under three real Sentinels; and it dies.

The killed primary stays away until another one has taken over: one that is back before anybody
has noticed is the primary still. Both replicas have to confirm, so whichever is chosen has all.
"""

import pytest

from tests.api.client import Answer, Client, Table
from tests.api.positions import in_play
from tests.cluster.deployments import Guarded, until
from tests.cluster.players import Player, compare
from tests.live.streams import Stream
from tests.servers import QwirkleServer

SETTINGS = {"QWIRKLE_MIN_REPLICAS": "2", "QWIRKLE_STORE_TIMEOUT": "4"}


@pytest.mark.timeout(300)
def test_no_promise_goes_with_a_killed_primary_and_none_is_broken_by_its_return() -> None:
    with (
        Guarded() as store,
        QwirkleServer(redis_url=store.url, workers=1, environment=SETTINGS) as server,
    ):
        client = Client(server.base_url)
        assert client.get("/readyz").ok(200).json["warnings"] == []
        players = [Player(client, seed) for seed in range(3)]
        killed = store.primary()
        with Stream(begun := opened(client), after=1) as stream:
            for player in players:
                player.start()
            try:
                for player in players:
                    until(lambda player=player: player.has_promises(15), "everybody plays")
                killed.kill()
                until(lambda: store.is_replaced(killed), "another server has taken over")
                until(lambda: store.primary().has_replicas(1), "it has the other replica")
            finally:
                for player in players:
                    player.stop()
            assert compare(players, client) >= 45
            unconfirmed = a_move_that_one_replica_alone_confirms(begun, stream)
        killed.start()
        nobody_asks_the_server_that_was_primary(store, client, players, begun)
        # The Sentinels would do this too, ten seconds later.
        killed.ask("REPLICAOF", "127.0.0.1", store.primary().port)
        until(lambda: store.primary().has_replicas(2), "there are two replicas again")
        answers: list[Answer] = []

        def confirmed() -> bool:
            answers.append(begun.play(0, "rd@2,0", key=unconfirmed))
            return answers[-1].status != 503

        until(confirmed, "both replicas confirm")
        assert answers[-1].ok(201).replayed


def opened(client: Client) -> Table:
    """A game in play; on a busy machine it may take a second try until both replicas have one."""
    tables: list[Table] = []

    def made() -> bool:
        try:
            tables.append(in_play(client))
        except AssertionError:
            return False
        return True

    until(made, "a game is made")
    return tables[0]


def version_of(table: Table) -> int:
    """What anybody is shown, once the store answers."""
    answers: list[Answer] = []

    def answered() -> bool:
        answers.append(table.look())
        return answers[-1].status != 503

    until(answered, "the store answers")
    version: int = answers[-1].ok(200).json["version"]
    return version


def a_move_that_one_replica_alone_confirms(table: Table, stream: Stream) -> str:
    """It is there and shown, but never acknowledged, however often it is sent."""
    key = "unconfirmed"
    for _ in range(2):
        table.play(0, "rd@2,0", key=key).refused(503, "store_unavailable")
    assert version_of(table) == 2
    heard = stream.next()
    assert heard is not None
    assert heard.data["type"] == "played"
    return key


def nobody_asks_the_server_that_was_primary(
    store: Guarded, client: Client, players: list[Player], later: Table
) -> None:
    """For a while it takes itself for the primary, with a past that lacks what came since."""
    # Whoever has to connect now must not end up there.
    store.primary().ask("CLIENT", "KILL", "TYPE", "normal")
    assert compare(players, client) >= 45
    assert version_of(later) == 2
