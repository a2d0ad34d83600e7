"""A game's log, per viewer: at once, when something happens, or as a stream."""

from collections.abc import Generator, Iterator
from contextlib import ExitStack, nullcontext
from time import monotonic
from typing import Any

from flask import Blueprint, Response, request

from service.api import schemas
from service.api.auth import bearer, viewer_of
from service.api.client_address import whereabouts
from service.api.context import answer, desk, etag_of, game_headers
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
    Mark,
    Places,
    Teller,
    UntilHungUp,
    event_id,
    seconds_left,
)
from service.games.service import Logged, Seen
from service.games.tokens import Viewer
from service.rules.pauses import paced

events = Blueprint("events", __name__, url_prefix="/v1/games")

STREAM = "text/event-stream"


@events.get("/<game_id>/events")
def get_events(game_id: str) -> Response:
    """Read the log, wait for news, or open a stream."""
    token = bearer()
    seen = desk().games.find(known_id(game_id))
    viewer = viewer_of(seen.table, token, desk().keyring)
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
    address = whereabouts()
    return Client(bearer() or address, address)


def _until_hung_up() -> UntilHungUp:
    """How to learn that the client has hung up; servers other than ours cannot tell."""
    known: UntilHungUp | None = request.environ.get("qwirkle.until_hung_up")
    return known or (lambda _call: nullcontext())


# A page


def _page(seen: Seen, viewer: Viewer, token: str | None, asked: dict[str, Any]) -> Response:
    """The events after a number, waiting for the first one if there is none yet."""
    after, limit, wait = asked["after"], asked["limit"], asked["wait"]
    playing = seen.table.game.phase != "finished"
    if wait and after == seen.table.game.version and playing:
        with desk().places.place(_client()):
            seen, log = _waited(seen.table.id, after, limit, wait)
        viewer = viewer_of(seen.table, token, desk().keyring)
    else:
        seen, log = desk().games.find_with_log(seen.table.id, after, limit)
    etag = etag_of(seen.table, viewer, seen.mark)
    if request.if_none_match.contains_weak(etag.strip('"')):
        return Response(status=304, headers=game_headers(etag))
    shown = [_shape(seen, logged, viewer) for logged in paced(log, desk().games.pause)]
    return answer({"events": shown, "last": seen.table.game.version}, 200, etag)


def _waited(game_id: str, after: int, limit: int, wait: float) -> tuple[Seen, list[Logged]]:
    """What there is once something has happened, or the time is over."""
    games, news = desk().games, desk().feeds.news
    ends = monotonic() + wait
    with news.watch(game_id) as watch, _until_hung_up()(watch.end):
        while True:
            seen, log = games.find_with_log(game_id, after, limit)
            left = ends - monotonic()
            # A log that has become shorter was rolled back: the caller has to be told.
            over = left <= 0 or news.closed or watch.ended
            if over or seen.table.game.version != after:
                return seen, log
            watch.wait(min(left, seconds_left(seen.table, games.clock())))


def _shape(seen: Seen, logged: Logged, viewer: Viewer) -> dict[str, Any]:
    id_ = event_id(desk().keyring, logged.entry.event.n, logged.mark)
    return event_shape(logged.entry, id_, viewer, auto_bid=seen.table.game.auto_bid)


# A stream


def _stream(seen: Seen, viewer: Viewer, after: int) -> Response:
    """An event stream from where the caller left off."""
    table = seen.table
    start = _resumption(seen, after)
    headers = game_headers(etag_of(table, viewer, seen.mark))
    if start.n == table.game.version and table.game.phase == "finished":
        # Tells an EventSource that there is nothing more to come.
        return Response(status=204, headers=headers)
    headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    content_type = f"{STREAM}; charset=utf-8"
    if request.method == "HEAD":
        return Response(headers=headers, content_type=content_type)
    teller = Teller(
        desk().feeds,
        desk().keyring,
        desk().games.clock,
        viewer,
        table.id,
        table.token_generations,
        _until_hung_up(),
    )
    told = _Told(teller.tell(start), desk().places, _client())
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


def _resumption(seen: Seen, after: int) -> Mark:
    """The place in the log to go on from; nowhere if the log, as it is now, has no such place."""
    given = request.headers.get("Last-Event-ID")
    number, _, tag = (str(after) if given is None else given).partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return NOWHERE
    n = int(number)
    if n == 0:
        return NOWHERE if tag else Mark(0)
    _, log = desk().games.find_with_log(seen.table.id, n - 1, 1)
    if not log or (tag and event_id(desk().keyring, n, log[0].mark) != given):
        return NOWHERE
    return Mark(n, log[0].mark)
