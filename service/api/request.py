"""What a request contains: game id, body, query string, idempotency key."""

import re
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any

from flask import g, request
from marshmallow import Schema
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.context import context
from service.api.json_body import (
    FieldError,
    MalformedBody,
    load,
    load_query,
    read_json,
)
from service.api.problems import Problem
from service.api.responses import JSON
from service.api.schemas import NO_BODY
from service.games.service import GameNotFound
from service.i18n import say
from service.store.base import FINGERPRINT_BYTES, IDEMPOTENCY_KEY_BYTES

Body = dict[str, Any]

SHORT_KEY = 1
LONG_KEY = 16
_LONGEST_KEY = 255
_SHORT_LENGTH_DIGITS = 3

_GAME_ID = re.compile(r"[a-z2-7]{26}")
_VISIBLE = re.compile(r"[!-~]+")


def known_id(game_id: str) -> str:
    """The id itself, if it could be a game's."""
    if not _GAME_ID.fullmatch(game_id):
        raise GameNotFound(game_id)
    return game_id


def read_body(schema: Schema | None, *, needed: bool = True) -> Body:
    """The request's body as ``schema`` loads it; without a schema it has no members.

    A body that is not ``needed`` may be missing or null; then it counts as an empty object.
    """
    raw = raw_body()
    if schema is None:
        schema, needed = NO_BODY, False
    if not needed and not raw.strip():
        return _defaults(schema)
    require_json_sent(needed=needed)
    value = read_json(raw)
    return _defaults(schema) if value is None and not needed else load(schema, value)


def receive_body() -> None:
    """Wait for the whole body; what is wrong with it is raised when it is read.

    A body may take a minute to arrive. Writes receive it before they load the game, so that
    nothing is decided by a state that is a minute old.
    """
    with suppress(MalformedBody, RequestEntityTooLarge):
        raw_body()


def raw_body(max_bytes: int | None = None) -> bytes:
    """The request's body as it came, unless it is too large or incomplete.

    ``max_bytes`` are allowed, by default what the settings say.
    """
    if "body" not in g:
        try:
            g.body = _receive(context().settings.max_body if max_bytes is None else max_bytes)
        except (MalformedBody, RequestEntityTooLarge) as fault:
            g.body = fault
    if isinstance(g.body, Exception):
        raise g.body
    body: bytes = g.body
    return body


def _receive(max_bytes: int) -> bytes:
    """The whole body.

    Flask refuses a body whose announced length is too long, but cuts off one sent in chunks.
    So it is allowed to read one byte more than the limit.
    """
    announced = request.environ.get("CONTENT_LENGTH") or ""
    try:
        if len(announced) <= _SHORT_LENGTH_DIGITS and announced.isdecimal():
            # Flask's guard against long bodies costs more than reading a short one.
            raw: bytes = request.environ["wsgi.input"].read(int(announced))
        else:
            raw = request.get_data(cache=False)
    except TimeoutError:
        raise MalformedBody([FieldError("", say("field.late"))]) from None
    except OSError:  # the connection was lost, or the chunks are malformed
        raise MalformedBody([FieldError("", say("field.chunks"))]) from None
    if len(raw) > max_bytes:
        raise RequestEntityTooLarge
    if announced.isdecimal() and len(raw) < int(announced):
        raise MalformedBody([FieldError("", say("field.short"))])
    return raw


def query(schema: Schema) -> Body:
    """The request's query string as ``schema`` loads it."""
    if not request.query_string:
        return _defaults(schema)
    return load_query(schema, request.args.items(multi=True))


@cache
def _defaults(schema: Schema) -> Body:
    """What ``schema`` loads from nothing; nearly every query string is empty."""
    return load(schema, {})


def retry_key(token: str | None) -> bytes | None:
    """Where the answer to this request is kept, if it has a usable idempotency key.

    Keys belong to the caller's token; without a token, to the route.
    """
    key = _unquoted_key()
    if key is None or not _VISIBLE.fullmatch(key):
        return None
    caller = f"route {request.path}" if token is None else token
    return sha256(f"{caller}\n{key}".encode()).digest()[:IDEMPOTENCY_KEY_BYTES]


def require_valid_key(least: int) -> None:
    """Refuse an idempotency key that is too short, too long or not visible."""
    text = _unquoted_key()
    if text is not None and not (least <= len(text) <= _LONGEST_KEY and _VISIBLE.fullmatch(text)):
        detail = say("field.key", least=least, most=_LONGEST_KEY)
        raise MalformedBody([FieldError("header:Idempotency-Key", detail)])


def fingerprint() -> bytes:
    """What distinguishes this request from another one with the same key."""
    line = f"{request.method}\n{request.path}\n{request.query_string.decode('latin-1')}\n"
    return sha256(line.encode() + raw_body()).digest()[:FINGERPRINT_BYTES]


def _unquoted_key() -> str | None:
    header = request.headers.get("Idempotency-Key")
    if header is not None and len(header) > 1 and header[0] == header[-1] == '"':
        return header[1:-1]
    return header


def require_json_sent(*, needed: bool) -> None:
    """Refuse a body whose content type is not JSON; if it is not ``needed`` it may be missing."""
    if request.content_type == JSON:
        return
    if request.mimetype == JSON or not (needed or request.mimetype):
        charset = request.mimetype_params.get("charset", "utf-8").lower()
        if charset in {"utf-8", "utf8", "us-ascii"}:
            return
    sent = request.content_type or "none"
    raise Problem("unsupported_media_type", say("form.sent", form=JSON, sent=sent[:80]))
