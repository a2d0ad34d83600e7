"""Whoever wants to keep others from being served: slow, idle, huge, deep, wide and abandoned.

After each of them everybody else is served, and the workers hold little more than before.
"""

import contextlib
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic, sleep
from urllib.parse import urlsplit

import psutil
import pytest

from tests.api.client import Client
from tests.api.positions import in_play
from tests.live.streams import Stream, peers_of, workers_of
from tests.proxy import until
from tests.servers import QwirkleServer

FEW, MANY = 150, 2_000
MOST_GROWTH = 64 << 20
"""Bytes by which the workers together may have grown; a connection costs some ten thousand."""

A_CONNECTION = 60_000

HEAD = b"POST /v1/games HTTP/1.1\r\nHost: table\r\nContent-Type: application/json\r\n"
LAST_SLOW = 75 + 60 + 30
"""Seconds after which nobody can be slow any more: head, body, and what a busy machine takes."""


@pytest.fixture
def client(whole: QwirkleServer) -> Client:
    return Client(whole.base_url, 60)


def memory(server: QwirkleServer) -> int:
    """What all workers hold for themselves alone, in bytes."""
    until(lambda: len(workers_of(server)) == 2, 60)
    return sum(worker.memory_full_info().uss for worker in workers_of(server))


@contextmanager
def bounded(server: QwirkleServer, most: int = MOST_GROWTH) -> Iterator[None]:
    """The workers survive it, and grow by no more than so many bytes."""
    before = workers_of(server)
    held = memory(server)
    yield
    assert workers_of(server) == before, "a worker was lost"
    assert memory(server) - held < most


def connect(server: QwirkleServer, words: bytes = b"") -> socket.socket:
    where = urlsplit(server.base_url)
    line = socket.create_connection((where.hostname, where.port), timeout=60)
    line.sendall(words)
    return line


def others_are_served(client: Client) -> None:
    """A whole table of strangers is served as if nothing were."""
    table = in_play(client)
    table.play(0, "rd@2,0").ok(201)
    table.look(1, "/legal-plays").ok(200)
    for _ in range(4):
        client.get("/readyz").ok(200)


def besieged(server: QwirkleServer, client: Client, count: int) -> None:
    """So many say nothing, so many half a head, so many half a body, all at once."""
    openings = (b"", HEAD[:-30], HEAD + b"Content-Length: 60000\r\n\r\n{")
    with bounded(server, MOST_GROWTH + 3 * count * A_CONNECTION), ExitStack() as lines:
        slow = [
            lines.enter_context(connect(server, words)) for words in openings for _ in range(count)
        ]
        ours = {line.getsockname()[1] for line in slow}
        until(lambda: len(ours & peers_of(server)) == len(ours), 60)
        others_are_served(client)
        for line in slow[count:]:
            line.sendall(b" ")
        others_are_served(client)


def test_idle_and_slow_senders_hold_nobody_up(whole: QwirkleServer, client: Client) -> None:
    besieged(whole, client, FEW)


@pytest.mark.soak
def test_thousands_of_idle_and_slow_senders_hold_nobody_up(
    whole: QwirkleServer, client: Client
) -> None:
    besieged(whole, client, MANY)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_who_sends_a_byte_now_and_then_is_hung_up_on(whole: QwirkleServer) -> None:
    openings = (b"", HEAD[:-30], HEAD + b"Content-Length: 60000\r\n\r\n{")
    with ExitStack() as lines:
        slow = [lines.enter_context(connect(whole, words)) for words in openings]
        ports = {line.getsockname()[1] for line in slow}
        until(lambda: ports <= peers_of(whole), 60)
        for line in slow:
            line.setblocking(False)
        began = monotonic()
        while ports & peers_of(whole):
            assert monotonic() - began < LAST_SLOW, "somebody is slow for ever"
            for line in slow[1:]:
                with contextlib.suppress(OSError):
                    line.send(b" ")
            sleep(0.5)
        assert monotonic() - began > 30, "a slow connection is no reason to hang up at once"


HUGE = {
    "a header without an end": b"GET /livez HTTP/1.1\r\nX: " + b"x" * 1_000_000,
    "headers without an end": b"GET /livez HTTP/1.1\r\n" + b"X-Y: z\r\n" * 100_000,
    "a path without an end": b"GET /" + b"x" * 1_000_000,
    "a body beyond its limit": HEAD + b"Content-Length: 100000000\r\n\r\n" + b" " * 200_000,
    "chunks without an end": HEAD
    + b"Transfer-Encoding: chunked\r\n\r\n"
    + b"2000\r\n%b\r\n" % (b" " * 0x2000) * 60,
    "a chunk without an end": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 1_000_000,
}


def test_what_has_no_end_is_cut_short(whole: QwirkleServer, client: Client) -> None:
    with bounded(whole):
        for what, words in HUGE.items():
            with connect(whole) as line:
                # The server may hang up in the middle of it; then there is nothing to read either.
                with contextlib.suppress(OSError):
                    line.sendall(words)
                said = b""
                with contextlib.suppress(OSError):
                    line.shutdown(socket.SHUT_WR)
                    said = line.recv(65_536)
            assert not said or b" 4" in said[:13], (what, said[:60])
        others_are_served(client)


def nested(depth: int) -> bytes:
    return b'{"metadata":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"


# Digits of every length: equal hashes for integers, if they were ever used as keys of a table.
COLLIDING = [str(n * ((1 << 61) - 1)) for n in range(1, 2_000)]
BODIES = {
    "deep": nested(10_000),
    "deep lists": b"[" * 60_000,
    "wide": json.dumps({f"m{n}": n for n in range(4_000)}).encode(),
    "wide and the same": b"{" + b",".join([b'"a":1'] * 9_000) + b"}",
    "members of equal hashes": json.dumps(dict.fromkeys(COLLIDING, 1)).encode(),
    "numbers of equal hashes": b"[" + ",".join(COLLIDING).encode() + b"]",
    "a long number": b'{"seats":' + b"9" * 60_000 + b"}",
    "a long fraction": b'{"seats":1e' + b"9" * 60_000 + b"}",
    "many players": json.dumps({"players": [{"name": "x"}] * 2_500}).encode(),
    "many escapes": b'{"edition":"' + b"\\u00e9" * 10_000 + b'"}',
    "half pairs": b'{"edition":"' + b"\\ud800" * 10_000 + b'"}',
}


def test_bodies_that_are_deep_wide_or_full_of_bait_are_refused_cheaply(
    whole: QwirkleServer, client: Client
) -> None:
    with bounded(whole):
        for what, body in BODIES.items():
            answer = client.post("/v1/games", body)
            assert answer.status in {400, 413}, (what, answer.body[:200])
            assert len(answer.body) < 20_000, what
        others_are_served(client)


# What makes a careless expression try every way there is.
BAIT = {
    "Accept": ",".join(["a/b;q=0." + "1" * 40] * 100),
    "Accept-Encoding": ",".join(["gzip;q=0." + "1" * 40] * 100),
    "Accept-Language": "a-" * 3_500 + "!",
    "If-None-Match": '"' + '",W/"' * 1_500,
    "If-Match": "W/" * 4_000,
    "Idempotency-Key": '"' * 4_000,
    "Authorization": "Bearer " + "qwp_" * 1_900,
    "X-Request-ID": "a" * 8_000 + "!",
    "Last-Event-ID": "1" * 8_000,
    "Content-Type": "application/json;" + 'charset="' * 800,
    "Origin": "http://" + "a." * 3_900,
    "X-Forwarded-For": "1.1.1.1," * 1_000,
    "Cookie": "a=" + ";a=" * 2_500,
    "Range": "bytes=" + "0-1," * 1_900,
    "traceparent": "00-" + "a" * 8_000,
}
QUERIES = (
    "?after=" + "9" * 3_500,
    "?" + "a=1&" * 900,
    "?limit=" + "%00" * 1_000,
    "?" + "%" * 3_800,
)


def test_bait_for_careless_expressions_is_answered_at_once(
    whole: QwirkleServer, client: Client
) -> None:
    """Each would take longer than the patience here if it were tried in every way there is."""
    table = in_play(client)
    with bounded(whole):
        for name, value in BAIT.items():
            for path in ("", "/events", "/board.svg"):
                status = client.get(table.path(path), headers={name: value}).status
                assert status < 500, (name, path)
            given = client.post(table.path("/plays"), {"placements": []}, headers={name: value})
            assert 400 <= given.status < 500, name
        for query in QUERIES:
            assert client.get(table.path(f"/events{query}")).status < 500, query[:20]
        others_are_served(client)


def test_streams_opened_and_abandoned_cost_nothing_for_long(
    whole: QwirkleServer, client: Client
) -> None:
    table = in_play(client)
    with bounded(whole):
        for _ in range(3):
            ports = set()
            for seat in (0, 1, None):
                for _ in range(20):
                    token = None if seat is None else table.tokens[seat]
                    stream = Stream(table, token)
                    assert stream.status == 200
                    ports.add(stream.line.sock.getsockname()[1])
                    stream.cut()
            until(lambda ports=ports: not ports & peers_of(whole), 60)  # type: ignore[misc]  # as is
        others_are_served(client)


def test_a_process_hashes_texts_its_own_way(whole: QwirkleServer) -> None:
    """Or everybody could work out at home which names of members collide."""
    for worker in workers_of(whole):
        with contextlib.suppress(psutil.AccessDenied):
            assert worker.environ().get("PYTHONHASHSEED", "random") == "random"
