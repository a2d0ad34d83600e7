"""A real Cluster of six servers: whatever one server does, many do; and one of them may die.

All of it is one story, told to one Cluster: starting it costs more than most of its chapters.
"""

from contextlib import ExitStack
from time import monotonic

import pytest
from redis.crc import key_slot

from service.store.client import connect
from service.store.redis_store import RedisGameStore
from tests.api.client import Client, Table, tiles_of
from tests.cluster.deployments import Cluster, Node, until
from tests.cluster.players import Player, compare
from tests.live.streams import Message, Stream
from tests.servers import QwirkleServer
from tests.worker.webhook_receiver import Receiver

SETTINGS = {
    "QWIRKLE_MIN_REPLICAS": "1",
    # Nothing here waits for the end of it, and a busy machine takes its time.
    "QWIRKLE_STORE_TIMEOUT": "10",
    "QWIRKLE_RATE_WRITE": "900000/hour",
    "QWIRKLE_RATE_READ": "900000/hour",
    "QWIRKLE_WEBHOOK_PRIVATE": "yes",
}
HANDS = [tiles_of("ro rs rd b*"), tiles_of("bo go")]


@pytest.mark.timeout(300)
def test_a_cluster_carries_everything_and_loses_no_promise_when_a_primary_is_killed() -> None:
    with (
        Cluster() as cluster,
        Receiver() as receiver,
        QwirkleServer(
            redis_url=cluster.url,
            workers=1,
            environment=SETTINGS | {"QWIRKLE_WEBHOOK_ALLOW": f"127.0.0.1:{receiver.port}"},
        ) as server,
    ):
        client = Client(server.base_url)
        assert client.get("/readyz").ok(200).json["warnings"] == []
        tables = games_on_every_server(cluster, client)
        streams_hear_of_games_wherever_they_are(tables)
        requests_are_counted_in_one_place(tables)
        the_worker_moves_for_bots_and_reports(client, receiver)
        a_game_moves_with_its_slot(cluster, tables)
        slots_move_while_everybody_plays(cluster, client)
        a_killed_primary_takes_no_promise_with_it(cluster, client)


def games_on_every_server(cluster: Cluster, client: Client) -> dict[Node, Table]:
    """A game in play on each of the three primaries."""
    tables: dict[Node, Table] = {}

    def found() -> bool:
        table = client.create(setup={"hands": HANDS, "bag": []})
        tables.setdefault(cluster.owner(slot_of(table)), table)
        return len(tables) == 3

    until(found, "every primary has a game")
    for table in tables.values():
        assert table.bid(0, 3).ok(201).json["game"]["status"] == "bidding"
        assert table.bid(1, 2).ok(201).json["game"]["turn"]["seat"] == 0
    return tables


def streams_hear_of_games_wherever_they_are(tables: dict[Node, Table]) -> None:
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(Stream(each, after=3)) for each in tables.values()]
        for table in tables.values():
            key = f"opens-{table.id}"
            first = table.play(0, "ro@0,0 rs@1,0 rd@2,0", key=key).ok(201)
            again = table.play(0, "ro@0,0 rs@1,0 rd@2,0", key=key).ok(201)
            assert (again.replayed, again.body) == (True, first.body)
        assert [heard_next(stream).data["type"] for stream in streams] == ["played"] * 3


def requests_are_counted_in_one_place(tables: dict[Node, Table]) -> None:
    left = []
    for table in tables.values():
        answer = table.look(None, headers={"X-Request-ID": "count"}).ok(200)
        left.append(int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0]))
    assert left == [left[0], left[0] - 1, left[0] - 2]


def the_worker_moves_for_bots_and_reports(client: Client, receiver: Receiver) -> None:
    robots = [{"name": "Robo", "bot": "greedy"}, {"name": "Bobo", "bot": "greedy"}]
    setup = {"hands": HANDS, "bag": []}
    table = client.create(players=robots, setup=setup, webhook_url=receiver.url)
    until(lambda: table.view()["status"] == "finished", "the bots have finished")
    told = receiver.next(patience=60)
    while told.data["status"] != "finished":
        told = receiver.next(patience=60)
    assert told.data["game_id"] == table.id


def a_game_moves_with_its_slot(cluster: Cluster, tables: dict[Node, Table]) -> None:
    """Its slot goes to another server key by key; whoever asks, and listens, is led there."""
    source, target, _ = tables
    table = tables[source]
    slot = slot_of(table)
    direct = connect(cluster.url, timeout=10, connections=2)
    store = RedisGameStore(direct)
    assert len(store.load_log(table.id)) == 4
    with Stream(table, after=4) as stream:
        move_keys(slot, source, target)
        assert len(store.load_log(table.id)) == 4  # led there for this once
        settle(cluster, slot, source, target)
        began = monotonic()
        last = table.play(1, "bo@0,1 go@0,2", key=f"ends-{table.id}").ok(201)
        assert last.json["game"]["end"] == "hand_empty"
        assert heard_next(stream).data["winners"] == last.json["game"]["winners"]
        # A stream that nobody tells anything looks for itself after a minute.
        assert monotonic() - began < 50
    assert len(store.load_log(table.id)) == 5
    direct.close()


def move_keys(slot: int, source: Node, target: Node) -> None:
    """The first half of a slot's move: its keys are on the other server, which does not own it."""
    target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
    source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
    # New keys of the slot are made on the other server by now, so this ends.
    while names := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 10_000, "KEYS", *names)


def settle(cluster: Cluster, slot: int, source: Node, target: Node) -> None:
    """The second half: everybody knows whose the slot is."""
    for node in (target, source, *cluster.primaries()):
        node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)


def slots_move_while_everybody_plays(cluster: Cluster, client: Client) -> None:
    """Every slot in which a game is being played goes to the next server, three times over."""
    players = [Player(client, 100 + seed) for seed in range(3)]
    for player in players:
        player.start()
    try:
        for player in players:
            until(lambda player=player: player.has_promises(10), "everybody plays")
        for _ in range(3):
            primaries = cluster.primaries()
            for player in players:
                slot = slot_of(player.tables[-1])
                source = cluster.owner(slot)
                target = primaries[(primaries.index(source) + 1) % len(primaries)]
                move_keys(slot, source, target)
                settle(cluster, slot, source, target)
            for player in players:
                before = len(player.promises)
                until(lambda p=player, b=before: p.has_promises(b + 5), "the games go on")
    finally:
        for player in players:
            player.stop()
    assert compare(players, client) >= 75


def a_killed_primary_takes_no_promise_with_it(cluster: Cluster, client: Client) -> None:
    players = [Player(client, seed) for seed in range(3)]
    for player in players:
        player.start()
    try:
        for player in players:
            until(lambda player=player: player.has_promises(15), "everybody plays")
        killed = cluster.owner(slot_of(players[0].tables[-1]))
        killed.kill()
        until(lambda: cluster.is_replaced(killed), "another server has taken over")
        # Until it is back, the new primary has nobody to confirm its moves.
        killed.start()
        cluster.await_health()
        for player in players:
            before = len(player.promises)
            until(lambda p=player, b=before: p.has_promises(b + 10), "the games go on")
    finally:
        for player in players:
            player.stop()
    assert compare(players, client) >= 75
    assert not killed.is_primary()


def slot_of(table: Table) -> int:
    return key_slot(table.id.encode())


def heard_next(stream: Stream) -> Message:
    message = stream.next()
    assert message is not None
    return message
