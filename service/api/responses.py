"""Responses about games: JSON bodies, ETags and caching headers."""

from collections.abc import Iterable
from typing import Any, cast

import orjson
from flask import Response

from service.api.compression import plain_etag
from service.api.context import Context
from service.api.rules_json import Document
from service.games.keyring import Viewer
from service.games.service import CommitResult, LoadedGame
from service.telemetry import metrics

JSON = "application/json"


class FinalResponse(Response):
    """A response whose body and headers are final.

    Werkzeug's own `__call__` copies the headers and looks for some to correct.
    """

    default_mimetype = None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Send the response; its headers alone if the request is a HEAD."""
        start_response(self.status, self.headers.to_wsgi_list())
        return () if environ["REQUEST_METHOD"] == "HEAD" else cast("list[bytes]", self.response)


def json_response(document: object, status: int, etag: str | None = None) -> Response:
    """A document as JSON, with the headers of a response about a game if it has an ETag."""
    body = orjson.dumps(document)
    headers = game_headers(etag) if etag else {"Vary": "Accept-Encoding"}
    headers |= {"Content-Type": JSON, "Content-Length": str(len(body))}
    return FinalResponse([body], status, headers)


def not_modified(etag: str) -> Response:
    """304: the client has this version already."""
    return FinalResponse(status=304, headers=game_headers(etag))


def answer(document: Document | None, status: int, etag: str) -> Response:
    """The answer to a write; 204 if there is nothing to show."""
    if document is None:
        return FinalResponse(status=204, headers=game_headers(etag))
    return json_response(document, status, etag)


def game_headers(etag: str) -> dict[str, str]:
    """The headers of every response about a game."""
    return {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept-Encoding",
    }


def as_replayed(response: Response) -> Response:
    """The response, marked as the repetition of an earlier one."""
    response.headers["Idempotency-Replayed"] = "true"
    metrics.IDEMPOTENT_REPLAYS.inc()
    return response


def etag_of(ctx: Context, game: LoadedGame | CommitResult, viewer: Viewer) -> str:
    """The ETag of what this viewer sees of this state.

    The nonce distinguishes it from another state that had the same version before a rollback. What
    may change without a new version is part of it too: the offer of a rematch and, for the host,
    the metadata.
    """
    return ctx.games.keyring.etag(ctx.release, *_state(game, viewer))


def is_etag_of(ctx: Context, etag: str, game: LoadedGame | CommitResult, viewer: Viewer) -> bool:
    """Whether this is the viewer's ETag for this state, from any release, compressed or not."""
    return ctx.games.keyring.is_etag_of(plain_etag(etag), *_state(game, viewer))


def _state(game: LoadedGame | CommitResult, viewer: Viewer) -> tuple[object, ...]:
    session = game.session
    state: tuple[object, ...] = (session.id, session.game.version, game.nonce.hex())
    if session.rematch is not None:
        state = *state, session.rematch.game_id, session.rematch.seats
    if not viewer.host:
        return *state, viewer.seat
    return *state, "host", orjson.dumps(session.options.metadata).hex()
