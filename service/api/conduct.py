"""The common course of requests about a game, in the order of precedence that clients rely on.

No such game, wrong token, not entitled, malformed, already done under this key, stale,
wrong moment, broken rule. Views say what is theirs alone.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import orjson
from flask import Response, current_app, g, request
from gunicorn.http.errors import ParseException
from marshmallow import Schema
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.body import FieldError, MalformedBody, load, load_query, read_json, read_no_body
from service.api.caller import Who, bearer, require, viewer_of
from service.api.problems import Problem
from service.api.schemas import NO_QUERY
from service.api.shapes import Shape, game_shape
from service.api.streams import Places
from service.config import Settings
from service.feeds import Feeds
from service.keyring import ANYBODY, Keyring, Viewer
from service.rules.actions import Step
from service.rules.events import Joined
from service.store.games import FINGERPRINT_BYTES, RETRY_KEY_BYTES
from service.table import Table
from service.usecases import (
    Done,
    GameNotFound,
    Games,
    Logged,
    RetryId,
    Seen,
    persistently,
)

Body = dict[str, Any]
Act = Callable[[Table, int, Body], Step]
Show = Callable[[Done, Viewer], Shape]

SHORT_KEY = 1
LONG_KEY = 16
_LONGEST_KEY = 255

_GAME_ID = re.compile(r"[a-z2-7]{26}")
_VISIBLE = re.compile(r"[!-~]+")
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Desk:
    """What every request needs: the games, their live logs, the keyring, the settings."""

    games: Games
    keyring: Keyring
    settings: Settings
    release: str
    feeds: Feeds
    places: Places


class Sight(NamedTuple):
    """A game as it was found, and who looks at it."""

    table: Table
    viewer: Viewer
    mark: bytes


def desk() -> Desk:
    """The desk of the application that serves this request."""
    found: Desk = current_app.extensions["qwirkle"]
    return found


# Reading


def read(
    game_id: str,
    who: Who,
    show: Callable[[Sight], Shape],
    *,
    schema: Schema = NO_QUERY,
    check: Callable[[Sight], None] = lambda _: None,
) -> Response:
    """Answer a question about a game, or 304 if the caller has the answer already."""
    token = bearer()
    seen = desk().games.find(known_id(game_id))
    return _look(seen, token, who, show, schema=schema, check=check)


def read_with_log(game_id: str, show: Callable[[Sight, list[Logged]], Shape]) -> Response:
    """Like ``read``, for anyone, with the game's whole log at hand."""
    token = bearer()
    seen, log = desk().games.find_with_log(known_id(game_id))
    return _look(seen, token, "anyone", lambda sight: show(sight, log))


def _look(
    seen: Seen,
    token: str | None,
    who: Who,
    show: Callable[[Sight], Shape],
    *,
    schema: Schema = NO_QUERY,
    check: Callable[[Sight], None] = lambda _: None,
) -> Response:
    viewer = viewer_of(seen.table, token, desk().keyring)
    require(viewer, token, who)
    sight = Sight(seen.table, viewer, seen.mark)
    check(sight)
    require_json_wanted()
    g.query = query(schema)
    etag = etag_of(*sight)
    wanted = request.headers.get("If-None-Match")
    if wanted is not None and _names(wanted, etag, weak=True):
        return Response(status=304, headers=game_headers(etag))
    return answer(show(sight), 200, etag)


# Writing


def act(
    game_id: str,
    who: Who,
    action: Act,
    show: Show,
    *,
    schema: Schema | None = None,
    query_schema: Schema = NO_QUERY,
    status: int = 201,
    key_length: int = SHORT_KEY,
    check: Callable[[Table, Body], None] = lambda _table, _body: None,
) -> Response:
    """Carry out an action on a game once, however often it is sent under the same key.

    ``check`` refuses a caller whom only the body shows not to be entitled.
    """
    games = desk().games
    id_ = known_id(game_id)
    token = bearer()
    key = retry_key(token)

    def attempt() -> tuple[Done, Viewer]:
        seen = games.find(id_, key)
        viewer = _entitled(seen, token, who)
        require_json_wanted()
        query(query_schema)
        body = read_body(schema)
        check(seen.table, body)
        require_key_of(key_length)
        retry = RetryId(key, fingerprint()) if key else None
        again = games.again(seen, retry) if retry else None
        if again:
            return again, viewer
        require_fresh(seen, viewer)
        step = action(seen.table, -1 if viewer.seat is None else viewer.seat, body)
        return games.change(seen, step, retry), viewer

    done, viewer = persistently(attempt)
    return answer_done(done, viewer, show, status)


def _entitled(seen: Seen, token: str | None, who: Who) -> Viewer:
    """Who calls, if the operation is for them.

    A token may have been void ever since the same request came before (it left the seat):
    for its own repetition it counts as it did then.
    """
    keyring = desk().keyring
    try:
        viewer = viewer_of(seen.table, token, keyring)
    except Problem:
        repeated = seen.retry is not None and seen.retry.fingerprint == fingerprint()
        before = desk().games.before_retry(seen) if repeated else None
        if before is None:
            raise
        viewer = viewer_of(before, token, keyring)
    require(viewer, token, who)
    return viewer


def answer_done(done: Done, caller: Viewer, show: Show, status: int) -> Response:
    """The answer to an action: what came of it, and the game right after it."""
    event = done.entry.event
    viewer = Viewer(event.seat) if isinstance(event, Joined) else caller
    if viewer.seat is not None and viewer.seat not in done.table.game.seated:
        viewer = ANYBODY
    response = answer(show(done, viewer), status, etag_of(done.table, viewer, done.mark))
    if done.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return response


# What a request says


def known_id(game_id: str) -> str:
    """The id itself if it can be one."""
    if not _GAME_ID.fullmatch(game_id):
        raise GameNotFound(game_id)
    return game_id


def read_body(schema: Schema | None) -> Body:
    """The request's body as ``schema`` loads it; without one the operation takes no members."""
    raw = raw_body()
    if schema is None:
        if raw.strip():
            require_json_sent(needed=False)
        read_no_body(raw)
        return {}
    require_json_sent(needed=True)
    return load(schema, read_json(raw))


def raw_body(most: int | None = None) -> bytes:
    """The request's body as it came, unless it is too large or was cut off.

    ``most`` bytes are allowed, by default what the settings say.
    Flask refuses what says that it is too long, but cuts off a body that comes in chunks.
    So it is told to read one byte more than is allowed.
    """
    try:
        raw = request.get_data(cache=True)
    except (OSError, ParseException):  # what gunicorn raises for chunks that are none
        raise MalformedBody([FieldError("", "is not in chunks as announced")]) from None
    if len(raw) > (desk().settings.max_body if most is None else most):
        raise RequestEntityTooLarge
    if request.content_length is not None and len(raw) < request.content_length:
        raise MalformedBody([FieldError("", "is shorter than its Content-Length")])
    return raw


def query(schema: Schema) -> Body:
    """The request's query string as ``schema`` loads it."""
    return load_query(schema, request.args.items(multi=True))


def retry_key(token: str | None) -> bytes | None:
    """Where a repetition of this request is remembered, if it has a usable key.

    A caller's keys are its token's; without a token they are the route's.
    """
    key = _unquoted_key()
    if key is None or not _VISIBLE.fullmatch(key):
        return None
    caller = f"route {request.path}" if token is None else token
    return sha256(f"{caller}\n{key}".encode()).digest()[:RETRY_KEY_BYTES]


def fingerprint() -> bytes:
    """What tells this request from another under the same key."""
    said = (request.method, request.path, request.query_string.decode("latin-1"))
    whole = "\n".join(said).encode() + b"\n" + raw_body()
    return sha256(whole).digest()[:FINGERPRINT_BYTES]


def require_key_of(least: int) -> None:
    """Refuse an idempotency key that is too short, too long or not visible."""
    key = _unquoted_key()
    if key is not None and not (least <= len(key) <= _LONGEST_KEY and _VISIBLE.fullmatch(key)):
        detail = f"must be {least} to {_LONGEST_KEY} visible ASCII characters"
        raise MalformedBody([FieldError("header:Idempotency-Key", detail)])


def _unquoted_key() -> str | None:
    header = request.headers.get("Idempotency-Key")
    if header is not None and len(header) > 1 and header[0] == header[-1] == '"':
        return header[1:-1]
    return header


def require_fresh(seen: Seen, viewer: Viewer) -> bool:
    """Refuse a write that was made for another state; True if it is for this one alone."""
    wanted = request.headers.get("If-Match")
    if wanted is None or wanted.strip() == "*":
        return False
    if not _names(wanted, etag_of(seen.table, viewer, seen.mark), weak=False):
        raise stale(seen.table.game.version)
    return True


def stale(version: int) -> Problem:
    """The refusal of a write for another state of the game."""
    return Problem("stale_version", f"The game has moved on and is at version {version} now.")


def require_json_wanted() -> None:
    """Refuse a caller who cannot take the JSON that all answers are in."""
    if request.headers.get("Accept") and not request.accept_mimetypes.quality(_JSON):
        raise Problem("not_acceptable", "The answer is application/json, which Accept rules out.")


def require_json_sent(*, needed: bool) -> None:
    """Refuse a body that does not come as JSON."""
    if request.mimetype == _JSON or not (needed or request.mimetype):
        charset = request.mimetype_params.get("charset", "utf-8").lower()
        if charset in {"utf-8", "utf8", "us-ascii"}:
            return
    sent = request.content_type or "none"
    raise Problem(
        "unsupported_media_type",
        f"The body must be JSON in UTF-8, sent as Content-Type: {_JSON}; it came as {sent:.80}.",
    )


def _names(header: str, etag: str, *, weak: bool) -> bool:
    """Whether a list of ETags, or ``*``, names this one."""
    listed = [tag.strip() for tag in header.split(",")]
    if weak:
        listed = [tag.removeprefix("W/") for tag in listed]
    return etag in listed or "*" in listed


# What is answered


def etag_of(table: Table, viewer: Viewer, mark: bytes) -> str:
    """Names what this viewer may know of this state, and of no other that had its number."""
    who = "host" if viewer.host else viewer.seat
    version = table.game.version
    return desk().keyring.etag(desk().release, table.id, version, mark.hex(), who)


def view(table: Table, viewer: Viewer) -> Shape:
    """The game view of this viewer."""
    code, secret = (join_code(table), webhook_secret(table)) if viewer.host else (None, None)
    return game_shape(table, viewer, desk().games.expires_ms(table), code, secret)


def join_code(table: Table) -> str | None:
    """The code of a private game."""
    return desk().keyring.join_code(table.id) if table.particulars.private else None


def webhook_secret(table: Table) -> str | None:
    """What the receiver of the game's webhook messages verifies them with, if there is one."""
    has_webhook = table.particulars.webhook_url is not None
    return desk().keyring.webhook_secret(table.id) if has_webhook else None


def answer(shape: Shape, status: int, etag: str | None = None) -> Response:
    """A shape as JSON, with the headers that every answer about a game has."""
    headers = game_headers(etag) if etag else {}
    return Response(orjson.dumps(shape), status, headers, content_type=_JSON)


def game_headers(etag: str) -> dict[str, str]:
    """What every answer about a game says of itself."""
    return {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept, Origin",
    }
