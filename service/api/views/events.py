"""A game's events, per viewer: a page of the log, a long poll, and a stream."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, nullcontext
from time import monotonic
from typing import Any

from flask import Blueprint, Response, request

from service.api.auth import viewer_of
from service.api.client_address import client_address
from service.api.compression import known_etag
from service.api.context import context
from service.api.request import bearer, known_id, query
from service.api.responses import etag_of, game_headers, json_response, not_modified
from service.api.schemas import EventsQuerySchema, StreamQuerySchema
from service.api.serializers import serialize_event
from service.api.sse import (
    NOWHERE,
    Client,
    EventStream,
    LogPosition,
    StreamLimits,
    UntilDisconnect,
    event_id,
    seconds_left,
)
from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.service import LoadedGame, LoggedEntry
from service.games.tokens import Viewer
from service.rules.yielding import paced

events = Blueprint("events", __name__, url_prefix="/v1/games")

_EVENTS_QUERY, _STREAM_QUERY = EventsQuerySchema(), StreamQuerySchema()
_STREAM = "text/event-stream; charset=utf-8"


@events.get("/<game_id>/events")
def get_events(game_id: str) -> Response:
    """Read the log, or wait for news."""
    loaded, viewer = _load(game_id)
    return _page(loaded, viewer, query(_EVENTS_QUERY))


@events.get("/<game_id>/events/stream")
def stream_events(game_id: str) -> Response:
    """Follow the game."""
    loaded, viewer = _load(game_id)
    return _stream(loaded, viewer, query(_STREAM_QUERY)["after"])


def _load(game_id: str) -> tuple[LoadedGame, Viewer]:
    loaded = load_and_advance(context().games, known_id(game_id))
    return loaded, viewer_of(loaded.session, bearer(), context().keyring)


def _client() -> Client:
    """Who opens a stream or a long poll."""
    address = client_address()
    return Client(bearer() or address, address)


def _until_disconnect() -> UntilDisconnect:
    """How to learn that the client has disconnected, if the server can tell."""
    known: UntilDisconnect | None = request.environ.get("qwirkle.until_disconnect")
    return known or (lambda _call: nullcontext())


# A page


def _page(loaded: LoadedGame, viewer: Viewer, wanted: dict[str, Any]) -> Response:
    """The events after a number; if there are none yet, those that come while it waits."""
    after, limit, wait = wanted["after"], wanted["limit"], wanted["wait"]
    playing = loaded.session.game.phase != "finished"
    if wait and after == loaded.session.game.version and playing:
        with context().stream_limits.slot(_client()):
            loaded, log = _wait_for_events(loaded.session.id, after, limit, wait)
        viewer = viewer_of(loaded.session, bearer(), context().keyring)
    else:
        loaded, log = load_and_advance_with_log(context().games, loaded.session.id, after, limit)
    etag = etag_of(context(), loaded, viewer)
    known = known_etag(etag)
    if known is not None:
        return not_modified(known)
    events = [_event(loaded, logged, viewer) for logged in paced(log, context().games.pause)]
    return json_response({"events": events, "last": loaded.session.game.version}, 200, etag)


def _wait_for_events(
    game_id: str, after: int, limit: int, wait: float
) -> tuple[LoadedGame, list[LoggedEntry]]:
    """The game and its log once something has happened, or the time is up."""
    games, ends = context().games, monotonic() + wait
    with context().event_cache.watch(game_id) as watch, _until_disconnect()(watch.end):
        while True:
            loaded, log = load_and_advance_with_log(games, game_id, after, limit)
            left = ends - monotonic()
            # Not equal rather than greater: after a rollback the client needs an answer too.
            if left <= 0 or watch.ended or loaded.session.game.version != after:
                return loaded, log
            watch.wait(min(left, seconds_left(loaded.session, games.clock())))


def _event(loaded: LoadedGame, logged: LoggedEntry, viewer: Viewer) -> dict[str, Any]:
    id_ = event_id(context().keyring, logged.entry.event.n, logged.nonce)
    return serialize_event(logged.entry, id_, viewer, auto_bid=loaded.session.game.auto_bid)


# A stream


def _stream(loaded: LoadedGame, viewer: Viewer, after: int) -> Response:
    """An event stream from where the client left off."""
    session = loaded.session
    start = _start(loaded, after)
    headers = game_headers(etag_of(context(), loaded, viewer))
    if start.n == session.game.version and session.game.phase == "finished":
        # Tells an EventSource not to reconnect: there is nothing more to come.
        return Response(status=204, headers=headers)
    headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(headers=headers, content_type=_STREAM)
    stream = EventStream(
        context().event_cache,
        context().keyring,
        context().games.clock,
        viewer,
        session.id,
        session.token_generations,
        _until_disconnect(),
    )
    body = _StreamBody(stream.messages(start), context().stream_limits, _client())
    return Response(body, headers=headers, content_type=_STREAM)


class _StreamBody:
    """A stream with its slot, which is released however the stream ends, even unread."""

    def __init__(self, stream: Generator[bytes], limits: StreamLimits, client: Client) -> None:
        self._stream = stream
        self._slot = ExitStack()
        self._slot.enter_context(limits.slot(client))

    def __iter__(self) -> Iterator[bytes]:
        return self._stream

    def close(self) -> None:
        """Called by the server when the connection is closed."""
        try:
            self._stream.close()
        finally:
            self._slot.close()


def _start(loaded: LoadedGame, after: int) -> LogPosition:
    """The position in the log to go on from; `NOWHERE` if the log does not have it (any more)."""
    given = request.headers.get("Last-Event-ID")
    number, _, tag = (str(after) if given is None else given).partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return NOWHERE
    n = int(number)
    if n == 0:
        return NOWHERE if tag else LogPosition(0)
    _, log = load_and_advance_with_log(context().games, loaded.session.id, n - 1, 1)
    if not log or (tag and event_id(context().keyring, n, log[0].nonce) != given):
        return NOWHERE
    return LogPosition(n, log[0].nonce)
