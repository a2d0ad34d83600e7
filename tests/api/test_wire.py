"""Bytes that are hardly HTTP: each gets a 4xx problem or a closed line, and nothing changes."""

import http.client
import json
import socket
from urllib.parse import urlsplit

import pytest

from tests.api.client import PROBLEM, Client
from tests.api.positions import in_play

Message = tuple[int, str, dict[str, object]]


def speak(client: Client, words: bytes) -> Message | None:
    """What the server says to raw bytes, after which we say no more; None if it just closes."""
    where = urlsplit(client.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=20) as line:
        line.sendall(words)
        line.shutdown(socket.SHUT_WR)
        answer = http.client.HTTPResponse(line)
        try:
            answer.begin()
        except (http.client.BadStatusLine, ConnectionResetError):
            return None
        return answer.status, answer.headers["Content-Type"], json.loads(answer.read())


GARBAGE = {
    "no HTTP at all": b"hello there\r\n\r\n",
    "a greeting in TLS": bytes.fromhex("16030100a50100") + b"\r\n\r\n",
    "an unknown version": b"GET / HTTP/9.9\r\n\r\n",
    "a blank in the path": b"GET /v1/ games HTTP/1.1\r\nHost: x\r\n\r\n",
    "no path": b"GET HTTP/1.1\r\nHost: x\r\n\r\n",
    "a method of symbols": b"(@) / HTTP/1.1\r\nHost: x\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
    "a header name with a blank": b"GET / HTTP/1.1\r\nHo st: x\r\n\r\n",
    "a zero byte in a header": b"GET / HTTP/1.1\r\nHost: x\x00\r\n\r\n",
    "a folded header": b"GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    "a header beyond the limit": b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
    "too many headers": b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 200 + b"\r\n",
    "a path beyond the limit": b"GET /" + b"x" * 5_000 + b" HTTP/1.1\r\n\r\n",
    "two lengths": b"POST /v1/games HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a negative length": b"POST /v1/games HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "a length that is no number": b"POST /v1/games HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    "a length and chunks": b"POST /v1/games HTTP/1.1\r\nContent-Length: 2\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("words", GARBAGE.values(), ids=GARBAGE.keys())
def test_what_is_no_http_gets_a_problem(words: bytes, client: Client) -> None:
    said = speak(client, words)
    assert said is not None
    status, kind, problem = said
    assert 400 <= status < 500, problem
    assert kind == PROBLEM
    assert problem["code"] == "malformed_request"
    assert problem["status"] == status


def post(path: str, token: str, rest: bytes, *headers: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: x",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + rest


PLAY = b'{"placements": [{"tile": "red-diamond", "x": 2, "y": 0}]}'
CUT = {
    "a body shorter than it says": (PLAY, f"Content-Length: {len(PLAY) + 1}"),
    "a chunk cut short": (b"ff\r\n" + PLAY, "Transfer-Encoding: chunked"),
    "a chunk without an end": (b"%x\r\n%b\r\n" % (len(PLAY), PLAY), "Transfer-Encoding: chunked"),
    "a chunk of no known size": (b"zz\r\n" + PLAY, "Transfer-Encoding: chunked"),
    "a chunk of a negative size": (b"-1\r\n" + PLAY, "Transfer-Encoding: chunked"),
}


@pytest.mark.parametrize(("body", "header"), CUT.values(), ids=CUT.keys())
def test_a_body_that_was_cut_off_is_not_acted_upon(
    body: bytes, header: str, client: Client
) -> None:
    table = in_play(client)
    before = table.look(0)
    said = speak(client, post(table.path("/plays"), table.tokens[0], body, header))
    assert said is None or 400 <= said[0] < 500, said
    assert table.look(0).etag == before.etag


def test_a_whole_request_in_tiny_pieces_is_understood(client: Client) -> None:
    table = in_play(client)
    words = post(table.path("/plays"), table.tokens[0], PLAY, f"Content-Length: {len(PLAY)}")
    where = urlsplit(client.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=20) as line:
        for at in range(0, len(words), 7):
            line.sendall(words[at : at + 7])
        answer = http.client.HTTPResponse(line)
        answer.begin()
        assert answer.status == 201
    assert table.version == 2


def test_requests_one_after_the_other_on_one_line_are_answered_in_order(client: Client) -> None:
    table = in_play(client)
    length = f"Content-Length: {len(PLAY)}"
    play = post(table.path("/plays"), table.tokens[0], PLAY, length)
    leave = post(table.path("/passes"), table.tokens[0], b"", "Connection: close")
    where = urlsplit(client.base_url)
    with socket.create_connection((where.hostname, where.port), timeout=20) as line:
        line.sendall(play + leave)
        with line.makefile("rb") as reader:
            said = reader.read()
    assert said.startswith(b"HTTP/1.1 201")
    assert said.index(b'"version":2') < said.index(b"HTTP/1.1 409") < said.index(b"not_your_turn")
    assert table.version == 2


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT"])
def test_no_answer_says_the_same_thing_twice(method: str, client: Client) -> None:
    game = in_play(client).path()
    paths = ("/", "/docs", "/openapi.json", "/livez", "/v1/editions", "/v1/games", "/nowhere")
    line = http.client.HTTPConnection(urlsplit(client.base_url).netloc, timeout=30)
    for path in (*paths, game, f"{game}/hand", f"{game}/events", f"{game}/board.svg"):
        line.request(method, path)
        answer = line.getresponse()
        answer.read()
        said = [name.lower() for name, _ in answer.getheaders()]
        assert len(said) == len(set(said)), (path, said)
        assert "x-request-id" in said, path
    line.close()
