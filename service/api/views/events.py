"""A game's log, per viewer: at once, when something happens, or as a stream."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, nullcontext
from time import monotonic
from typing import Any

from flask import Blueprint, Response, request

from service.api import schemas
from service.api.auth import bearer, viewer_of
from service.api.client_address import client_address
from service.api.context import answer, context, etag_of, game_headers
from service.api.request import (
    known_id,
    query,
    require_json_wanted,
)
from service.api.responses import JSON
from service.api.serializers import event_shape
from service.api.sse import (
    NOWHERE,
    Client,
    EventStream,
    LogPosition,
    Places,
    UntilHungUp,
    event_id,
    seconds_left,
)
from service.games.advance import load_and_advance, load_and_advance_with_log
from service.games.service import LoadedGame, LoggedEntry
from service.games.tokens import Viewer
from service.rules.pauses import paced

events = Blueprint("events", __name__, url_prefix="/v1/games")

STREAM = "text/event-stream"


@events.get("/<game_id>/events")
def get_events(game_id: str) -> Response:
    """Read the log, wait for news, or open a stream."""
    token = bearer()
    seen = load_and_advance(context().games, known_id(game_id))
    viewer = viewer_of(seen.session, token, context().keyring)
    if _stream_wanted():
        return _stream(seen, viewer, query(schemas.EVENTS_QUERY)["after"])
    require_json_wanted()
    return _page(seen, viewer, token, query(schemas.EVENTS_QUERY))


def _stream_wanted() -> bool:
    """Whether the caller names the form of a stream, and would not rather have JSON."""
    wanted = request.accept_mimetypes
    named = any(form.lower() == STREAM for form, _ in wanted)
    return named and 0 < wanted.quality(STREAM) >= wanted.quality(JSON)


def _client() -> Client:
    """Who takes a place."""
    address = client_address()
    return Client(bearer() or address, address)


def _until_hung_up() -> UntilHungUp:
    """How to learn that the client has hung up; servers other than ours cannot tell."""
    known: UntilHungUp | None = request.environ.get("qwirkle.until_hung_up")
    return known or (lambda _call: nullcontext())


# A page


def _page(seen: LoadedGame, viewer: Viewer, token: str | None, asked: dict[str, Any]) -> Response:
    """The events after a number, waiting for the first one if there is none yet."""
    after, limit, wait = asked["after"], asked["limit"], asked["wait"]
    playing = seen.session.game.phase != "finished"
    if wait and after == seen.session.game.version and playing:
        with context().places.place(_client()):
            seen, log = _waited(seen.session.id, after, limit, wait)
        viewer = viewer_of(seen.session, token, context().keyring)
    else:
        seen, log = load_and_advance_with_log(context().games, seen.session.id, after, limit)
    etag = etag_of(seen.session, viewer, seen.nonce)
    if request.if_none_match.contains_weak(etag.strip('"')):
        return Response(status=304, headers=game_headers(etag))
    shown = [_shape(seen, logged, viewer) for logged in paced(log, context().games.pause)]
    return answer({"events": shown, "last": seen.session.game.version}, 200, etag)


def _waited(
    game_id: str, after: int, limit: int, wait: float
) -> tuple[LoadedGame, list[LoggedEntry]]:
    """What there is once something has happened, or the time is over."""
    games, news = context().games, context().event_cache.news
    ends = monotonic() + wait
    with news.watch(game_id) as watch, _until_hung_up()(watch.end):
        while True:
            seen, log = load_and_advance_with_log(games, game_id, after, limit)
            left = ends - monotonic()
            # A log that has become shorter was rolled back: the caller has to be told.
            over = left <= 0 or news.closed or watch.ended
            if over or seen.session.game.version != after:
                return seen, log
            watch.wait(min(left, seconds_left(seen.session, games.clock())))


def _shape(seen: LoadedGame, logged: LoggedEntry, viewer: Viewer) -> dict[str, Any]:
    id_ = event_id(context().keyring, logged.entry.event.n, logged.nonce)
    return event_shape(logged.entry, id_, viewer, auto_bid=seen.session.game.auto_bid)


# A stream


def _stream(seen: LoadedGame, viewer: Viewer, after: int) -> Response:
    """An event stream from where the caller left off."""
    session = seen.session
    start = _resumption(seen, after)
    headers = game_headers(etag_of(session, viewer, seen.nonce))
    if start.n == session.game.version and session.game.phase == "finished":
        # Tells an EventSource that there is nothing more to come.
        return Response(status=204, headers=headers)
    headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    content_type = f"{STREAM}; charset=utf-8"
    if request.method == "HEAD":
        return Response(headers=headers, content_type=content_type)
    teller = EventStream(
        context().event_cache,
        context().keyring,
        context().games.clock,
        viewer,
        session.id,
        session.token_generations,
        _until_hung_up(),
    )
    told = _Told(teller.tell(start), context().places, _client())
    return Response(told, headers=headers, content_type=content_type)


class _Told:
    """A stream with its place, which is given back however the stream ends, even unread."""

    def __init__(self, stream: Generator[bytes], places: Places, client: Client) -> None:
        self._stream = stream
        self._place = ExitStack()
        self._place.enter_context(places.place(client))

    def __iter__(self) -> Iterator[bytes]:
        return self._stream

    def close(self) -> None:
        """Called by the server when the connection is done with."""
        try:
            self._stream.close()
        finally:
            self._place.close()


def _resumption(seen: LoadedGame, after: int) -> LogPosition:
    """The place in the log to go on from; nowhere if the log, as it is now, has no such place."""
    given = request.headers.get("Last-Event-ID")
    number, _, tag = (str(after) if given is None else given).partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return NOWHERE
    n = int(number)
    if n == 0:
        return NOWHERE if tag else LogPosition(0)
    _, log = load_and_advance_with_log(context().games, seen.session.id, n - 1, 1)
    if not log or (tag and event_id(context().keyring, n, log[0].nonce) != given):
        return NOWHERE
    return LogPosition(n, log[0].nonce)
