"""Whatever a server sends, and however slowly: a call ends in time, with a `QwirkleError`."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from tests.clients.hostile_server import Pieces, Serve, answer, dripping, event_stream, head
from tests.clients.typescript.node_client import ClientError, NodeClient, NodeGame

GAME = "n6v6nmuyn5m7kh2ftvtuuqds4a"
TOKEN = "qwp_only-for-this-test"
MOST_BYTES = 16 << 20
DEEP = b"[" * 200_000
DAY = 86_400_000

Play = Callable[[str], NodeGame]


@pytest.fixture
def play(open_client: Callable[..., NodeClient]) -> Play:
    """The game at a server, with a client that tries once."""
    options = {"timeout": 1000, "patience": 0}
    return lambda base_url: open_client(base_url, options=options).game(GAME, TOKEN)


def failure(call: Callable[[], Any]) -> ClientError:
    with pytest.raises(ClientError) as failed:
        call()
    return failed.value


SLOW: dict[str, Callable[[], Pieces]] = {
    "the body": lambda: dripping(head(200, {"Content-Length": "102"}), b" ", b"{}"),
    "headers": lambda: dripping(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n", b"\r\n{}"),
    "100 Continue": lambda: dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n", answer({})),
}


@pytest.mark.parametrize("slow", SLOW)
def test_the_timeout_limits_a_try_and_not_each_read(play: Play, serve: Serve, slow: str) -> None:
    game = play(serve(lambda _: SLOW[slow]()).base_url)
    assert failure(lambda: game.call("view")).name == "NoAnswer"


def test_a_stream_that_never_completes_a_message_is_silent(play: Play, serve: Serve) -> None:
    server = serve(lambda _: dripping(event_stream("data: "), b"x", b"\n\n", seconds=20))
    game = play(server.base_url)
    assert failure(lambda: game.follow(patience=0).rest()).name == "NoAnswer"


def test_an_answer_without_end_is_not_read_to_its_end(play: Play, serve: Serve) -> None:
    endless = [head(200, {}), *[b" " * 65_536] * 3000]
    server = serve(lambda _: endless)
    game = play(server.base_url)
    for method in ("view", "boardSvg", "boardPng"):
        assert failure(lambda method=method: game.call(method, {})).name == "UnexpectedAnswer"
    assert server.sent < 3 * 4 * MOST_BYTES


def test_an_answer_is_as_long_as_it_is_unpacked(play: Play, serve: Serve) -> None:
    gzip = zlib.compressobj(wbits=31)
    packed = gzip.compress(b" " * (MOST_BYTES + 1)) + gzip.flush()
    game = play(serve(lambda _: [answer(packed, Content_Encoding="gzip")]).base_url)
    assert failure(lambda: game.call("view")).name == "UnexpectedAnswer"


@pytest.mark.parametrize("line", [b"data: ", b": ", b"event: x\ndata: x\n" * 100_000])
def test_a_message_without_end_is_refused(play: Play, serve: Serve, line: bytes) -> None:
    server = serve(lambda _: [event_stream(line), *[b"x" * 65_536] * 3000])
    game = play(server.base_url)
    assert "too long" in failure(lambda: game.follow().rest()).message
    assert server.sent < MOST_BYTES


@pytest.mark.parametrize(
    "content", [b"", b"{", b"<html>", b"[]", b"null", b"5", b"\xff\xfe\x00", DEEP]
)
def test_a_success_that_is_not_the_services_is_unexpected(
    play: Play, serve: Serve, content: bytes
) -> None:
    game = play(serve(lambda _: [answer(content)]).base_url)
    for call in (
        lambda: game.call("view"),
        lambda: game.call("play", []),
        lambda: game.follow().rest(),
    ):
        assert failure(call).name == "UnexpectedAnswer"


@pytest.mark.parametrize("status", [204, 304])
def test_a_view_without_content_is_unexpected(play: Play, serve: Serve, status: int) -> None:
    game = play(serve(lambda _: [head(status, {})]).base_url)
    assert failure(lambda: game.call("view")).name == "UnexpectedAnswer"


REFUSALS: dict[str, bytes] = {
    "deep": answer(DEEP, 422),
    "a list": answer([1], 422),
    "null": answer(None, 422),
    "types": answer({"code": 5, "detail": [1], "title": 7, "errors": 7, "violations": "x"}, 422),
    "members": answer({"errors": [5], "violations": [None]}, 422),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_of_any_form_is_a_problem(play: Play, serve: Serve, what: str) -> None:
    game = play(serve(lambda _: [REFUSALS[what]]).base_url)
    refused = failure(lambda: game.call("view"))
    assert (refused.name, refused.code, refused.title) == ("Refused", "", "")
    assert (refused.errors, refused.violations) == ([], [])
    assert refused.detail == "The service answered with HTTP 422"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("9" * 400, DAY),
        ("1000000000000", DAY),
        ("Wed, 18 Nov 2099 12:00:00 GMT", DAY),
        ("-5", 0),
        ("nan", None),
        ("Mon, 99 Foo 99999", None),
    ],
)
def test_any_retry_after_is_a_sensible_pause(
    play: Play, serve: Serve, said: str, meant: float | None
) -> None:
    game = play(serve(lambda _: [answer({}, 503, Retry_After=said)]).base_url)
    assert failure(lambda: game.call("view")).retryAfter == meant
    assert failure(lambda: game.follow(patience=0).rest()).retryAfter == meant


MESSAGES = {
    "no JSON": "data: {\n\n",
    "a list": "data: [1]\n\n",
    "null": "data: null\n\n",
    "a resync to nowhere": "event: resync\ndata: {}\n\n",
    "a resync to a word": 'event: resync\ndata: {"last": "all"}\n\n',
    "a resync with an id": 'id: ☃\nevent: resync\ndata: {"last": 1}\n\n',
    "a number as id": 'data: {"n": 1, "id": 5}\n\n',
    "an id that cannot be sent": 'data: {"n": 1, "id": "☃\\r\\nX: y"}\n\n',
    "a word as number": 'data: {"n": "a", "id": "1-a"}\n\n',
    "no id": 'data: {"n": 1}\n\n',
    "an event twice": 'data: {"n": 1, "id": "1-a"}\n\n' * 2,
}


@pytest.mark.parametrize("what", MESSAGES)
def test_a_message_that_is_not_the_services_is_unexpected(
    play: Play, serve: Serve, what: str
) -> None:
    game = play(serve(lambda _: [event_stream(MESSAGES[what])]).base_url)
    assert failure(lambda: game.follow().rest()).name == "UnexpectedAnswer"


@pytest.mark.parametrize("nonsense", ["retry: " + "9" * 400 + "\n\n", "nonsense\n\n", "data: {\n"])
def test_patience_ends_with_a_stream_of_nonsense(play: Play, serve: Serve, nonsense: str) -> None:
    def script(line: str) -> Pieces:
        return [event_stream(nonsense) if "/stream" in line else answer({}, 502)]

    server = serve(script)
    failed = failure(lambda: play(server.base_url).follow(patience=2000).rest())
    assert failed.name in {"NoAnswer", "ServiceUnavailable"}
    assert len(server.lines) < 50


EVENT = {"n": 1, "id": "1-a", "type": "x"}
PAGES: dict[str, object] = {
    "nothing": {},
    "no events": {"last": 1},
    "no last": {"events": []},
    "a word": {"events": "abc", "last": 1},
    "words": {"events": ["abc"], "last": 1},
    "other events": {"events": [EVENT | {"n": 7}], "last": 7},
    "a number as id": {"events": [EVENT | {"id": 5}], "last": 1},
    "fewer than it says": {"events": [], "last": 5},
}


@pytest.mark.parametrize("what", PAGES)
def test_a_page_that_is_not_the_services_is_unexpected(play: Play, serve: Serve, what: str) -> None:
    def script(line: str) -> Pieces:
        return [answer({}, 502) if "/stream" in line else answer(PAGES[what])]

    server = serve(script)
    game = play(server.base_url)
    assert failure(lambda: game.follow().rest()).name == "UnexpectedAnswer"
    assert "/events?" in server.lines[-1]
    assert len(server.lines) < 10


@pytest.mark.parametrize("renewed", [{}, {"token": 5}, {"token": ""}, {"token": "a\r\nX: y"}])
def test_a_renewed_token_that_cannot_be_one_is_refused(
    play: Play, serve: Serve, renewed: dict[str, Any]
) -> None:
    def script(line: str) -> Pieces:
        return [answer(renewed, 201) if "/tokens" in line else answer({"code": "gone"}, 404)]

    game = play(serve(script).base_url)
    refused = failure(lambda: game.call("renewToken", None))
    assert refused.name == "UnexpectedAnswer"
    assert refused.message == "The answer has no token that could be used"
    assert failure(lambda: game.call("view")).code == "gone"  # sent with the old token


def test_a_refusal_that_repeats_the_token_does_not_show_it(play: Play, serve: Serve) -> None:
    problem = {"code": "not_found", "detail": f"nothing for {TOKEN}"}
    refused = failure(lambda: play(serve(lambda _: [answer(problem, 404)]).base_url).call("view"))
    assert refused.code == "not_found"
    assert TOKEN not in json.dumps(refused.members)
