"""A game's events, per viewer: a page of the log, a long poll, and a stream."""

from contextlib import ExitStack, nullcontext
from time import monotonic

from flask import Blueprint, Response, request

from service.api import sse
from service.api.client_address import client_address
from service.api.pipeline import Call, open_call, read
from service.api.request import query
from service.api.responses import etag_of, game_headers
from service.api.rules_json import Document
from service.api.schemas import EventsQuerySchema, StreamQuerySchema
from service.api.serializers import serialize_event
from service.games.advance import load_and_advance_with_log
from service.games.keyring import ANYBODY
from service.rules.yielding import paced

events = Blueprint("events", __name__, url_prefix="/v1/games")

_STREAM_QUERY = StreamQuerySchema()
STREAM = "text/event-stream; charset=utf-8"


# A page


def _load_log(call: Call) -> None:
    """Load the events after a number; if there are none yet, those that come while it waits."""
    after, limit, wait = call.query["after"], call.query["limit"], call.query["wait"]
    if wait and after == call.game.version and call.game.phase != "finished":
        with call.context.stream_limits.slot(stream_client(call.token)):
            _wait_for_events(call, after, limit, wait)
        call.viewer = call.viewer_of(call.session)
    else:
        loaded, call.log = load_and_advance_with_log(call.games, call.session.id, after, limit)
        call.about(loaded)


def _wait_for_events(call: Call, after: int, limit: int, wait: float) -> None:
    """Load the game and its log once something has happened, or the time is up."""
    games, game_id, ends = call.games, call.session.id, monotonic() + wait
    with call.context.event_cache.watch(game_id) as watch, until_disconnect()(watch.end):
        while True:
            loaded, call.log = load_and_advance_with_log(games, game_id, after, limit)
            call.about(loaded)
            left = ends - monotonic()
            # Not equal rather than greater: after a rollback the client needs an answer too.
            if left <= 0 or watch.ended or call.game.version != after:
                return
            watch.wait(min(left, sse.seconds_left(call.session, games.clock())))


@events.get("/<game_id>/events")
@read("anyone", query_schema=EventsQuerySchema(), prepare=_load_log)
def get_events(call: Call) -> Document:
    """Read the log, or wait for news."""
    shown = [
        serialize_event(logged, call.viewer, call.games.keyring, call.game)
        for logged in paced(call.log, call.games.pause)
    ]
    return {"events": shown, "last": call.game.version}


# A stream


@events.get("/<game_id>/events/stream")
def stream_events(game_id: str) -> Response:
    """Follow the game."""
    call = open_call(game_id)
    ctx, session = call.context, call.session
    start = _start(call, query(_STREAM_QUERY)["after"])
    headers = game_headers(etag_of(ctx, call.loaded, call.viewer))
    if start.n == session.game.version and session.game.phase == "finished":
        # Tells an EventSource not to reconnect: there is nothing more to come.
        return Response(status=204, headers=headers)
    headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=STREAM)
    stream = sse.EventStream(
        ctx.event_cache,
        ctx.games.keyring,
        ctx.games.clock,
        call.viewer,
        session.id,
        session.token_generations,
        until_disconnect(),
        call.note_presence,
        waits_for_rematch=call.viewer != ANYBODY and session.game.phase != "finished",
    )
    with ExitStack() as slot:
        slot.enter_context(ctx.stream_limits.slot(stream_client(call.token)))
        response = Response(stream.messages(start), headers=headers, content_type=STREAM)
        # The server closes a response however its stream ends, even unread.
        response.call_on_close(slot.pop_all().close)
    return response


def _start(call: Call, after: int) -> sse.LogPosition:
    """The position in the log to go on from; `NOWHERE` if the log does not have it (any more)."""
    given = request.headers.get("Last-Event-ID")
    given = None if given is None else given.removesuffix(sse.AFTER_END)
    number, _, tag = (str(after) if given is None else given).partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return sse.NOWHERE
    n = int(number)
    if n == 0:
        return sse.NOWHERE if tag else sse.LogPosition(0)
    _, log = load_and_advance_with_log(call.games, call.session.id, n - 1, 1)
    if not log or (tag and call.games.keyring.event_id(n, log[0].nonce) != given):
        return sse.NOWHERE
    return sse.LogPosition(n, log[0].nonce)


def stream_client(token: str | None) -> sse.Client:
    """Who opens a stream or a long poll."""
    address = client_address()
    return sse.Client(token or address, address)


def until_disconnect() -> sse.UntilDisconnect:
    """How to learn that the client has disconnected, if the server can tell."""
    known: sse.UntilDisconnect | None = request.environ.get("qwirkle.until_disconnect")
    return known or (lambda _call: nullcontext())
