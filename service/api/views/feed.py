"""One feed of all games of a tenant: a page, a long poll, and a stream."""

import re
from contextlib import ExitStack
from time import monotonic
from typing import Final

from flask import Blueprint, Response, request

from service.api import sse
from service.api.context import Context, context
from service.api.feed_stream import AT_ONCE, PENDING_SECONDS, FeedStream, serialize_told
from service.api.fields import CursorText, cursor_bytes, cursor_text
from service.api.request import bearer, query
from service.api.schemas import FeedQuerySchema, FeedStreamQuerySchema
from service.api.views.events import STREAM, stream_client, until_disconnect
from service.api.views.tenant import calling_tenant, private_json
from service.games.feed import (
    FEED_CURSOR_BYTES,
    FeedCursor,
    FeedPage,
    feed_end,
    read_feed,
)
from service.store.tenant_feed import feed_channels

feed = Blueprint("feed", __name__, url_prefix="/v1/events")

READ_SECONDS: Final = 1.0

_QUERY = FeedQuerySchema()
_STREAM_QUERY = FeedStreamQuerySchema()
_CURSOR = re.compile(CursorText(FEED_CURSOR_BYTES).pattern)


def _start(ctx: Context, tenant: str, after: bytes | str | None) -> FeedCursor | None:
    """The place that the query names; None for the oldest event."""
    if isinstance(after, bytes):
        return FeedCursor.unpack(after)
    return feed_end(ctx.games, tenant) if after else None


@feed.get("")
def get_feed() -> Response:
    """Read what happened in all games of the tenant, or wait for it."""
    ctx = context()
    tenant = calling_tenant(ctx)
    asked = query(_QUERY)
    start, limit = _start(ctx, tenant, asked["after"]), asked["limit"]
    page = _next_events(ctx, tenant, start, limit)
    if asked["wait"] and not (page.events or page.resync):
        with ctx.stream_limits.slot(stream_client(bearer())):
            page = _wait_for_events(ctx, tenant, page.last, limit, asked["wait"])
    return private_json(
        {
            "events": [serialize_told(told) for told in page.events],
            "last": cursor_text(page.last.pack()),
            "resync": page.resync,
        }
    )


def _next_events(ctx: Context, tenant: str, after: FeedCursor | None, limit: int) -> FeedPage:
    """The next page with an event; an empty one if there is none, or none is found in a moment.

    Events of games that are gone are left out, so there can be many that nobody is told of.
    """
    ends, scanned = monotonic() + READ_SECONDS, limit
    page = read_feed(ctx.games, tenant, after, limit)
    while page.more and not page.events and not page.resync and monotonic() < ends:
        scanned = max(scanned, min(4 * scanned, AT_ONCE))
        page = read_feed(ctx.games, tenant, page.last, limit, scanned)
    return page


def _wait_for_events(
    ctx: Context, tenant: str, after: FeedCursor, limit: int, wait: float
) -> FeedPage:
    ends = monotonic() + wait
    with ctx.pubsub.watch(*feed_channels(tenant)) as watch, until_disconnect()(watch.end):
        while True:
            page = _next_events(ctx, tenant, after, limit)
            left = ends - monotonic()
            if page.events or page.resync or left <= 0 or watch.ended:
                return page
            after = page.last
            watch.wait(min(left, PENDING_SECONDS if page.pending else sse.HEARTBEAT_SECONDS))


@feed.get("/stream")
def stream_feed() -> Response:
    """Follow all games of the tenant."""
    ctx = context()
    tenant = calling_tenant(ctx)
    after = query(_STREAM_QUERY)["after"]
    given, resync = request.headers.get("Last-Event-ID"), False
    if given is not None:
        resync = _CURSOR.fullmatch(given) is None
        after = "now" if resync else cursor_bytes(given)
    start = _start(ctx, tenant, after)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    headers["Vary"] = "Authorization, Accept-Encoding"
    if request.method == "HEAD":
        return Response(headers=headers, content_type=STREAM)
    stream = FeedStream(ctx.games, ctx.pubsub, tenant, until_disconnect())
    with ExitStack() as slot:
        slot.enter_context(ctx.stream_limits.slot(stream_client(bearer())))
        messages = stream.messages(start, resync=resync)
        response = Response(messages, headers=headers, content_type=STREAM)
        # The server closes a response however its stream ends, even unread.
        response.call_on_close(slot.pop_all().close)
    return response
