"""A game's log, per viewer: at once, when something happens, or as a stream."""

from collections.abc import Iterator
from time import monotonic
from typing import Any

from flask import Blueprint, Response, request

from service.api import schemas
from service.api.caller import bearer, viewer_of
from service.api.conduct import (
    answer,
    desk,
    etag_of,
    game_headers,
    known_id,
    query,
    require_json_wanted,
)
from service.api.shapes import event_shape
from service.api.streams import HEARTBEAT_SECONDS, Teller, event_id
from service.keyring import Viewer
from service.usecases import Logged, Seen

events = Blueprint("events", __name__, url_prefix="/v1/games")

STREAM = "text/event-stream"


@events.get("/<game_id>/events")
def get_events(game_id: str) -> Response:
    """Read the log, wait for news, or open a stream."""
    token = bearer()
    seen = desk().games.find(known_id(game_id))
    viewer = viewer_of(seen.table, token, desk().keyring)
    if STREAM in request.headers.get("Accept", ""):
        return _stream(seen, viewer)
    require_json_wanted()
    return _page(seen, viewer, token, query(schemas.EVENTS_QUERY))


def _client() -> str:
    """Who takes a place: a token's bearer, or an address."""
    return request.headers.get("Authorization") or request.remote_addr or ""


def _page(seen: Seen, viewer: Viewer, token: str | None, asked: dict[str, Any]) -> Response:
    """The events after a number, waiting for the first one if there is none yet."""
    id_ = seen.table.id
    after, limit, wait = asked["after"], asked["limit"], asked["wait"]
    games, news = desk().games, desk().feeds.news
    log: list[Logged] = []
    if after < seen.table.game.version or not wait:
        seen, log = games.find_with_log(id_, after, limit)
    elif seen.table.game.phase != "finished":
        ends = monotonic() + wait
        with desk().places.place(_client()), news.watch(id_) as watch:
            while True:
                seen, log = games.find_with_log(id_, after, limit)
                left = ends - monotonic()
                if log or left <= 0 or news.closed:
                    break
                watch.wait(min(left, _until_deadline(seen)))
        viewer = viewer_of(seen.table, token, desk().keyring)
    shape = {
        "events": [_shape(seen, each, viewer) for each in log],
        "last": seen.table.game.version,
    }
    return answer(shape, 200, etag_of(seen.table, viewer, seen.mark))


def _shape(seen: Seen, logged: Logged, viewer: Viewer) -> dict[str, Any]:
    id_ = event_id(desk().keyring, logged)
    return event_shape(logged.entry, id_, viewer, auto_bid=seen.table.game.auto_bid)


def _until_deadline(seen: Seen) -> float:
    deadline = seen.table.deadline_ms
    if deadline is None:
        return HEARTBEAT_SECONDS
    return max(0.01, (deadline - desk().games.clock()) / 1000)


def _stream(seen: Seen, viewer: Viewer) -> Response:
    """An event stream from where the caller left off."""
    table = seen.table
    asked = query(schemas.EVENTS_QUERY)
    last, known = _resumption(seen, asked["after"])
    headers = game_headers(etag_of(table, viewer, seen.mark))
    if known and last >= table.game.version and table.game.phase == "finished":
        # Tells an EventSource that there is nothing more to come.
        return Response(status=204, headers=headers)
    headers |= {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    client, places = _client(), desk().places
    teller = Teller(
        desk().feeds, desk().keyring, desk().games.clock, viewer, table.id, table.generations
    )
    places.take(client)

    def stream() -> Iterator[bytes]:
        try:
            yield from teller.tell(last, known=known)
        finally:
            places.leave(client)

    return Response(_Closing(stream()), headers=headers, content_type=f"{STREAM}; charset=utf-8")


class _Closing:
    """A stream that gives its place back even if nobody ever reads from it."""

    def __init__(self, stream: Iterator[bytes]) -> None:
        self._stream = stream
        self._first: list[bytes] = [next(stream)]

    def __iter__(self) -> Iterator[bytes]:
        yield from self._first
        yield from self._stream

    def close(self) -> None:
        """Called by the server when the connection is done with."""
        self._stream.close()  # type: ignore[attr-defined]  # a generator


def _resumption(seen: Seen, after: int) -> tuple[int, bool]:
    """The event to go on after, and whether it is one of this game's log as it is now."""
    given = request.headers.get("Last-Event-ID")
    if given is None:
        return after, after <= seen.table.game.version
    number, _, tag = given.partition("-")
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        return 0, False
    n = int(number)
    if n == 0:
        return 0, not tag
    _, log = desk().games.find_with_log(seen.table.id, n - 1, 1)
    return n, bool(log) and (not tag or event_id(desk().keyring, log[0]) == given)
