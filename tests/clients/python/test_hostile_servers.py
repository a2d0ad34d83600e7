"""Whatever a server sends, and however slowly: a call ends in time, with a `QwirkleError`."""

import json
import zlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from qwirkle_client import (
    NoAnswer,
    ProblemError,
    Qwirkle,
    QwirkleError,
    ServiceUnavailable,
    UnexpectedAnswer,
)
from qwirkle_client._answer import MOST_BYTES
from qwirkle_client._sse import LONGEST_MESSAGE
from tests.clients.hostile_server import (
    HostileServer,
    Pieces,
    Script,
    Serve,
    answer,
    dripping,
    event_stream,
    head,
)
from tests.clients.python.clients import Connect

GAME = "n6v6nmuyn5m7kh2ftvtuuqds4a"
TOKEN = "qwp_only-for-this-test"
DEEP = b"[" * 200_000


def always(*pieces: bytes) -> Script:
    return lambda _: pieces


def client_of(connect: Connect, server: HostileServer) -> Any:
    return connect(server.base_url, checked=False, timeout=1, patience=0)


def view(client: Any) -> Any:
    return client.game(GAME, TOKEN).view()


def follow(client: Any, patience: float = 0) -> Any:
    return list(client.game(GAME, TOKEN).follow(patience=patience))


SLOW: dict[str, Callable[[], Pieces]] = {
    "the body": lambda: dripping(head(200, {"Content-Length": "102"}), b" ", b"{}"),
    "a header": lambda: dripping(b"HTTP/1.1 200 OK\r\nX: ", b"x", b"\r\n\r\n{}"),
    "headers": lambda: dripping(b"HTTP/1.1 200 OK\r\n", b"X: x\r\n", b"\r\n{}"),
    "100 Continue": lambda: dripping(b"", b"HTTP/1.1 100 Continue\r\n\r\n", answer({})),
    "a refusal": lambda: dripping(head(404, {"Content-Length": "102"}), b" ", b"{}"),
}


@pytest.mark.parametrize(
    ("call", "slow"),
    # The body of a stream comes as slowly as events do.
    [(view, slow) for slow in SLOW] + [(follow, slow) for slow in SLOW if slow != "the body"],
)
def test_the_timeout_limits_a_try_and_not_each_read(
    connect: Connect, serve: Serve, slow: str, call: Callable[[Any], Any]
) -> None:
    server = serve(lambda _: SLOW[slow]())
    with pytest.raises(NoAnswer) as late:
        call(client_of(connect, server))
    assert isinstance(late.value.__cause__, httpx.ReadTimeout)


def test_the_timeout_limits_the_body_for_a_client_of_ones_own(serve: Serve) -> None:
    server = serve(lambda _: SLOW["the body"]())
    with httpx.Client() as http, pytest.raises(NoAnswer) as late:
        view(Qwirkle(server.base_url, timeout=1, patience=0, http_client=http))
    assert isinstance(late.value.__cause__, httpx.ReadTimeout)


def test_a_stream_that_never_completes_a_message_is_silent(
    connect: Connect, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qwirkle_client._connection.SILENCE", 1.0)
    server = serve(lambda _: dripping(event_stream("data: "), b"x", b"\n\n"))
    with pytest.raises(NoAnswer) as late:
        follow(client_of(connect, server))
    assert isinstance(late.value.__cause__, httpx.ReadTimeout)


def test_an_answer_that_is_slow_but_in_time_is_read(connect: Connect, serve: Serve) -> None:
    start = head(200, {"Content-Length": "4"})
    server = serve(lambda _: dripping(start, b" ", b"{}", seconds=0.2))
    assert view(client_of(connect, server)) == {}


def test_an_answer_without_end_is_not_read_to_its_end(connect: Connect, serve: Serve) -> None:
    endless = [head(200, {}), *[b" " * 65_536] * 3000]
    server = serve(always(*endless))
    with pytest.raises(UnexpectedAnswer, match="bytes"):
        view(client_of(connect, server))
    assert server.sent < 4 * MOST_BYTES


def test_an_answer_is_as_long_as_it_is_unpacked(connect: Connect, serve: Serve) -> None:
    gzip = zlib.compressobj(wbits=31)
    packed = gzip.compress(b" " * (MOST_BYTES + 1)) + gzip.flush()
    server = serve(always(answer(packed, Content_Encoding="gzip")))
    with pytest.raises(UnexpectedAnswer, match="bytes"):
        view(client_of(connect, server))


def test_a_long_answer_is_read(connect: Connect, serve: Serve) -> None:
    gzip = zlib.compressobj(wbits=31)
    packed = gzip.compress(json.dumps({"id": "x" * (MOST_BYTES - 10)}).encode()) + gzip.flush()
    server = serve(always(answer(packed, Content_Encoding="gzip")))
    assert len(view(client_of(connect, server))["id"]) == MOST_BYTES - 10


@pytest.mark.parametrize("line", [b"data: ", b": ", b"event: x\ndata: x\n" * 100_000])
def test_a_message_without_end_is_refused(connect: Connect, serve: Serve, line: bytes) -> None:
    endless = [event_stream(line), *[b"x" * 65_536] * 3000]
    server = serve(always(*endless))
    with pytest.raises(UnexpectedAnswer, match="too long"):
        follow(client_of(connect, server))
    assert server.sent < 20 * LONGEST_MESSAGE


NOT_THE_SERVICES = {
    "nothing": answer(b""),
    "no JSON": answer(b"{"),
    "HTML": answer(b"<html>"),
    "a list": answer([]),
    "null": answer(None),
    "no UTF-8": answer(b"\xff\xfe\x00"),
    "deep": answer(DEEP),
    "deep objects": answer(b'{"a":' * 200_000),
    "a huge number": answer(b'{"a":' + b"9" * 5000 + b"}"),
    "no content": head(204, {}),
    "no gzip": answer({}, Content_Encoding="gzip"),
    "an encoding": answer({}, Content_Encoding="br"),
}


@pytest.mark.parametrize("what", NOT_THE_SERVICES)
def test_a_success_that_is_not_the_services_is_unexpected(
    connect: Connect, serve: Serve, what: str
) -> None:
    server = serve(always(NOT_THE_SERVICES[what]))
    client = client_of(connect, server)
    for call in (view, follow):
        if (what, call) == ("no content", follow):
            continue  # which is how a stream says that the game is over
        with pytest.raises(UnexpectedAnswer):
            call(client)


REFUSALS = {
    "deep": answer(DEEP, 409),
    "a list": answer([1], 422),
    "a charset": answer({}, 400, Content_Type="application/json; charset=nope"),
    "types": answer({"code": 5, "detail": [1], "title": None, "errors": 7, "violations": "x"}, 422),
    "members": answer({"errors": [5], "violations": [None]}, 400),
    "a redirect": answer({}, 302, Location="http://127.0.0.1:1/"),
    "no gzip": answer({}, 400, Content_Encoding="gzip"),
}


@pytest.mark.parametrize("what", REFUSALS)
@pytest.mark.parametrize("call", [view, follow])
def test_a_refusal_of_any_form_is_an_error_of_ours(
    connect: Connect, serve: Serve, what: str, call: Callable[[Any], Any]
) -> None:
    server = serve(always(REFUSALS[what]))
    with pytest.raises((ProblemError, UnexpectedAnswer)) as refused:
        call(client_of(connect, server))
    if isinstance(refused.value, ProblemError):
        assert (refused.value.code, refused.value.errors, refused.value.violations) == ("", [], [])
        assert str(refused.value)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("1000000000000", 86_400),
        ("9" * 400, 86_400),
        ("Wed, 18 Nov 2099 12:00:00 -0000", 86_400),
        ("Wed, 18 Nov 2020 12:00:00 -0000", 0),
        ("Wed, 18 Nov 99999 12:00:00 GMT", 0),
        ("Wed, 18 Nov 2099 12:00:00 +99999999", 0),
        ("Mon, 99 Foo 99999", 0),
        ("nan", 0),
        ("-5", 0),
        ("²", 0),
    ],
)
@pytest.mark.parametrize("call", [view, follow])
def test_any_retry_after_is_a_sensible_pause(
    connect: Connect, serve: Serve, said: str, meant: float, call: Callable[[Any], Any]
) -> None:
    server = serve(always(answer({}, 503, Retry_After=said)))
    with pytest.raises(ServiceUnavailable) as away:
        call(client_of(connect, server))
    assert away.value.retry_after == meant


MESSAGES = {
    "no JSON": "data: {\n\n",
    "a list": "data: [1]\n\n",
    "deep": f"data: {DEEP.decode()}\n\n",
    "a resync to nowhere": "event: resync\ndata: {}\n\n",
    "a resync to a word": 'event: resync\ndata: {"last": "all"}\n\n',
    "a resync with an id": 'id: ☃\nevent: resync\ndata: {"last": 1}\n\n',
    "a number as id": 'data: {"n": 1, "id": 5}\n\n',
    "an id that cannot be sent": 'data: {"n": 1, "id": "☃\\r\\nX: y"}\n\n',
    "a word as number": 'data: {"n": "a"}\n\n',
    "a number below 0": 'data: {"n": -1}\n\n',
    "a number beyond all": 'data: {"n": 1e999}\n\n',
    "no id": 'data: {"n": 1}\n\n',
    "an event twice": 'data: {"n": 1, "id": "1-a"}\n\n' * 2,
}


@pytest.mark.parametrize("what", MESSAGES)
def test_a_message_that_is_not_the_services_is_unexpected(
    connect: Connect, serve: Serve, what: str
) -> None:
    server = serve(always(event_stream(MESSAGES[what])))
    with pytest.raises(UnexpectedAnswer):
        follow(client_of(connect, server), patience=60)


@pytest.mark.parametrize("retry", ["9" * 400, "9" * 5000, "999999999", "-1", "²"])
def test_any_pause_that_a_stream_asks_for_is_sensible(
    connect: Connect, serve: Serve, retry: str
) -> None:
    server = serve(always(event_stream(f"retry: {retry}\n\n")))
    with pytest.raises(NoAnswer, match="ended"):
        follow(client_of(connect, server))


EVENT = {"n": 1, "id": "1-a", "type": "x"}
PAGES: dict[str, object] = {
    "nothing": {},
    "no events": {"last": 1},
    "no last": {"events": []},
    "a word": {"events": "abc", "last": 1},
    "words": {"events": ["abc"], "last": 1},
    "a word as last": {"events": [], "last": "all"},
    "other events": {"events": [EVENT | {"n": 7}], "last": 7},
    "a number as id": {"events": [EVENT | {"id": 5}], "last": 1},
    "no id": {"events": [{"n": 1}], "last": 1},
    "fewer than it says": {"events": [], "last": 5},
}


@pytest.mark.parametrize("what", PAGES)
def test_a_page_that_is_not_the_services_is_unexpected(
    connect: Connect, serve: Serve, what: str
) -> None:
    def script(line: str) -> Pieces:
        return [answer({}, 502) if "/stream" in line else answer(PAGES[what])]

    server = serve(script)
    with pytest.raises(UnexpectedAnswer):
        follow(client_of(connect, server), patience=60)
    assert "/events?" in server.lines[-1]
    assert len(server.lines) < 10


@pytest.mark.parametrize("token", [None, 5, "", "a\r\nX: y", "qwp_☃"])
def test_a_renewed_token_that_cannot_be_one_is_refused(
    connect: Connect, serve: Serve, token: object
) -> None:
    server = serve(always(answer({"token": token}, 201)))
    game = client_of(connect, server).game(GAME, TOKEN)
    with pytest.raises(UnexpectedAnswer) as refused:
        game.renew_token()
    assert str(refused.value) == "the answer has no token that could be used"
    assert game.token == TOKEN


def test_a_refusal_that_repeats_the_token_does_not_show_it(connect: Connect, serve: Serve) -> None:
    problem = {"code": "not_found", "detail": f"nothing for {TOKEN}", "you_sent": [TOKEN]}
    server = serve(always(answer(problem, 404)))
    with pytest.raises(QwirkleError) as refused:
        view(client_of(connect, server))
    assert TOKEN not in str(refused.value) + repr(vars(refused.value))
