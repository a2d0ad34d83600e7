"""A client that sends more than the server wants to read still gets the answer.

Closing a connection while there is input to read resets it, and the client may lose an answer that
it has not read yet. So the server reads on for a while. All clients here send everything before
they read.
"""

import contextlib
import re
import socket
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.faults.test_denial import HEAD, connect
from tests.servers import QwirkleServer

MUCH = 12_000_000
TOO_MUCH = 200_000_000


@pytest.fixture
def server(kept_qwirkle: Callable[..., QwirkleServer]) -> QwirkleServer:
    return kept_qwirkle(workers=1)


def whole(size: int) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % size + b"x" * size


def in_chunks(size: int) -> bytes:
    chunk = b"2000\r\n%b\r\n" % (b"x" * 0x2000)
    return b"Transfer-Encoding: chunked\r\n\r\n" + chunk * (size // 0x2000) + b"0\r\n\r\n"


def statuses(line: socket.socket) -> list[int]:
    """The status of every answer until the server closes the connection."""
    said = b""
    while came := line.recv(65_536):
        said += came
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+) ", said)]


@pytest.mark.parametrize("body", [whole, in_chunks])
@pytest.mark.parametrize("last", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
def test_a_body_that_is_too_large_is_read_after_the_answer(
    server: QwirkleServer, body: Callable[[int], bytes], last: bytes
) -> None:
    with closing(connect(server)) as line:
        line.sendall(HEAD + last + body(MUCH))
        assert statuses(line) == [413]


def test_a_connection_goes_on_after_a_body_that_nobody_read(server: QwirkleServer) -> None:
    nowhere = b"POST /v1/nothing HTTP/1.1\r\nHost: table\r\n"
    with closing(connect(server)) as line:
        line.sendall(nowhere + whole(500_000) + nowhere + b"Connection: close\r\n" + whole(500_000))
        assert statuses(line) == [404, 404]


UNREADABLE = {
    "a header that is too long": b"GET /livez HTTP/1.1\r\nX: " + b"x" * 1_000_000,
    "headers that are too many": b"GET /livez HTTP/1.1\r\n" + b"X-Y: z\r\n" * 100_000,
    "a path that is too long": b"GET /" + b"x" * 1_000_000,
    "no request at all": b"\x16\x03\x01" + b"\r\n" * 500_000,
    "a chunk that is none": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"z" * 1_000_000,
}


@pytest.mark.parametrize("words", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_answered_once_and_the_rest_is_ignored(
    server: QwirkleServer, words: bytes
) -> None:
    with closing(connect(server, words)) as line:
        (status,) = statuses(line)
        assert 400 <= status < 500


def test_a_body_without_end_is_not_read_for_ever(server: QwirkleServer) -> None:
    with closing(connect(server, HEAD + b"Content-Length: %d\r\n\r\n" % TOO_MUCH)) as line:
        sent = 0
        with contextlib.suppress(ConnectionError):
            while sent < TOO_MUCH:
                sent += line.send(b"x" * 65_536)
        assert sent < TOO_MUCH
