"""One caller must not stall the others: whatever a request costs, a worker does it in pieces."""

import contextlib
import http.client
import select
import socket
import statistics
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from urllib.parse import urlsplit

import orjson
import pytest

from service.rules.actions import create, exchange
from service.rules.host_actions import deal
from service.rules.record.write import record_of
from tests.api.client import Client
from tests.contract.checker import body_of
from tests.faults.test_denial import connect
from tests.golden.make import greedy
from tests.rules.hostile_position import PLAYS, SETUP
from tests.rules.positions import SEED, entrants
from tests.servers import QwirkleServer

OTHERS = 10
"""Requests of somebody else that are answered, one after the other, while one long one is."""

TRIES = 5


@pytest.fixture
def lone(kept_qwirkle: Callable[..., QwirkleServer]) -> QwirkleServer:
    """A server whose one worker has to see to everybody."""
    return kept_qwirkle(workers=1)


def answered_meanwhile(
    server: QwirkleServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, bytes]:
    """How many requests of somebody else were answered first, and what came of this one."""
    where = urlsplit(server.base_url)
    with (
        closing(http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)) as long,
        closing(http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)) as short,
    ):
        short.request("GET", "/livez")
        short.getresponse().read()
        long.request(method, path, body, headers or {})
        count = 0
        while not select.select([long.sock], [], [], 0)[0]:
            short.request("GET", "/livez")
            short.getresponse().read()
            count += 1
        answer = long.getresponse()
        assert answer.status == 200
        return count, body_of(answer)


def others_go_on(counts: Iterable[int]) -> None:
    """Mostly: some are answered in any case, while a slow store is waited for."""
    assert statistics.median(counts) >= OTHERS


@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_others_are_answered_while_a_hostile_tables_plays_are_listed(
    lone: QwirkleServer, coding: str
) -> None:
    table = Client(lone.base_url).create(setup=SETUP)
    headers = {"Authorization": f"Bearer {table.tokens[0]}", "Accept-Encoding": coding}
    path = table.path("/legal-plays?limit=5000&sort=points")
    seen = [answered_meanwhile(lone, "GET", path, headers=headers) for _ in range(TRIES)]
    others_go_on(count for count, _ in seen)
    listed = orjson.loads(seen[0][1])
    assert (listed["count"], len(listed["plays"])) == (PLAYS, 5000)


def test_others_are_answered_while_a_long_record_is_verified(lone: QwirkleServer) -> None:
    steps = [create(SEED, entrants(2), auto_bid=True)]
    steps.append(deal(steps[-1].game))
    steps.append(greedy(steps[-1].game, steps[-1].game.mover or 0))
    for _ in range(1500):
        game = steps[-1].game
        assert game.mover is not None
        steps.append(exchange(game, game.mover, game.player(game.mover).hand[:1]))
    record = orjson.dumps(record_of([step.event for step in steps], steps[-1].game))
    path, headers = "/v1/records/verify", {"Content-Type": "application/json"}
    seen = [answered_meanwhile(lone, "POST", path, record, headers) for _ in range(TRIES)]
    others_go_on(count for count, _ in seen)
    assert orjson.loads(seen[0][1])["ok"]


def test_others_are_answered_while_a_picture_is_painted(lone: QwirkleServer) -> None:
    table = Client(lone.base_url).create(setup=SETUP)
    # Another size each time: what was painted before is kept.
    paths = [table.path(f"/board.png?size={1200 - number}") for number in range(TRIES)]
    others_go_on([answered_meanwhile(lone, "GET", path)[0] for path in paths])


# What a client sends without ever pausing: a head, and then the same again and again.
FLOODS = {
    "requests": (b"", b"GET /livez HTTP/1.1\r\nHost: table\r\n\r\n" * 1000),
    "a body": (
        b"POST /nothing HTTP/1.1\r\nHost: table\r\nContent-Length: 99999999999\r\n\r\n",
        b"x" * 65_536,
    ),
    "chunks": (
        b"POST /nothing HTTP/1.1\r\nHost: table\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1\r\nx\r\n" * 10_000,
    ),
    "chunks that are read": (
        b"POST /v1/records/verify HTTP/1.1\r\nContent-Type: application/json\r\n%b\r\n"
        % b"Transfer-Encoding: chunked\r\n",
        b"1\r\n \r\n" * 10_000,
    ),
}


@pytest.mark.parametrize(("head", "more"), FLOODS.values(), ids=FLOODS)
def test_others_are_answered_while_somebody_sends_without_end(
    lone: QwirkleServer, head: bytes, more: bytes
) -> None:
    client = Client(lone.base_url, 20)
    enough, begun = threading.Event(), threading.Event()

    def read(line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while line.recv(65_536):
                pass

    def flood() -> None:
        while not enough.is_set():
            # The server may hang up on it; then it comes again.
            with contextlib.suppress(OSError), connect(lone, head) as line:
                threading.Thread(target=read, args=(line,), daemon=True).start()
                while not enough.is_set():
                    line.sendall(more)
                    begun.set()

    flooding = threading.Thread(target=flood)
    flooding.start()
    try:
        assert begun.wait(20)
        for _ in range(OTHERS):
            client.get("/livez").ok(200)
    finally:
        enough.set()
        flooding.join()


def test_headers_have_a_limit_together(lone: QwirkleServer) -> None:
    for fields, status in ((3, b" 200 "), (5, b" 431 ")):
        head = b"GET /livez HTTP/1.1\r\n" + b"X-Filler: %b\r\n" % (b"x" * 8000) * fields
        with connect(lone, head + b"\r\n") as line:
            assert status in line.recv(65_536)[:13]
