"""Workers that die and services that are restarted: games go on, and followers miss nothing."""

import signal
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.api.client import Table
from tests.api.positions import in_play
from tests.clients.http_proxy import HttpProxy
from tests.clients.typescript.node_client import NodeClient
from tests.live.streams import client_for, workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

OpenClient = Callable[..., NodeClient]

NEW_GAME = {"players": [{"name": "Ada"}, {"name": "Ben"}]}


def test_workers_are_killed_and_replaced(
    open_client: OpenClient, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=2)
    table = in_play(client_for(server))
    following = open_client(server.base_url).game(table.id).follow()
    playing = open_client(server.base_url, options={"patience": 60_000})
    assert following.numbers(1) == [1]
    for n in range(2, 5):
        for worker in workers_of(server):
            worker.kill()
        exchange(playing, table, n)
        assert following.numbers(1) == [n]
    before = workers_of(server)
    server.process.send_signal(signal.SIGHUP)
    psutil.wait_procs(before, timeout=40)
    exchange(playing, table, 5)
    assert following.numbers(1) == [5]


def exchange(client: NodeClient, table: Table, n: int) -> None:
    """A turn without a play, which becomes event `n`, by a client that waits for the service."""
    player = client.game(table.id, table.tokens[n % 2])
    hand = player.call("hand")["tiles"]
    assert player.call("exchange", hand[:1])["game"]["version"] == n


def test_the_service_is_restarted(
    open_client: OpenClient, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    server = start_qwirkle(workers=1)
    with HttpProxy(server.base_url) as proxy:
        client = open_client(proxy.base_url, options={"patience": 60_000})
        table = in_play(client_for(server))
        following = client.game(table.id).follow()
        assert following.numbers(1) == [1]
        server.process.terminate()
        server.process.wait(30)
        until(lambda: following.connections == ["live", "lost"])
        server.start()
        proxy.upstream = server.base_url
        exchange(client, table, 2)
        assert following.numbers(1) == [2]
        assert following.connections[:2] == ["live", "lost"]
        assert following.connections[-1] in {"live", "polling"}


def test_a_restart_in_the_middle_is_waited_for(
    open_client: OpenClient, start_qwirkle: Callable[..., QwirkleServer], tmp_path: Path
) -> None:
    first = start_qwirkle(data_dir=tmp_path, workers=1)
    with HttpProxy(first.base_url) as proxy:
        client = open_client(proxy.base_url)
        created = client.call("createGame", NEW_GAME)
        first.stop()
        dealing = client.game(created["game"]["id"], created["host_token"]).start("deal", None)
        until(lambda: client.retries)
        proxy.upstream = start_qwirkle(data_dir=tmp_path, workers=1).base_url
        assert dealing.result()["status"] == "bidding"
