"""What a request says: its game, its body, its query, its key, what it can take."""

import re
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import Any

from flask import Request
from gunicorn.http.errors import ParseException
from marshmallow import Schema
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.context import context
from service.api.flask_app import QwirkleRequest, header_of, the_request
from service.api.json_body import (
    FieldError,
    MalformedBody,
    load,
    load_query,
    read_json,
    read_no_body,
)
from service.api.problems import Problem
from service.api.responses import JSON
from service.games.service import GameNotFound
from service.i18n import say
from service.store.base import FINGERPRINT_BYTES, IDEMPOTENCY_KEY_BYTES

Body = dict[str, Any]

SHORT_KEY = 1
LONG_KEY = 16
_LONGEST_KEY = 255

_GAME_ID = re.compile(r"[a-z2-7]{26}")
_VISIBLE = re.compile(r"[!-~]+")


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


def receive_body() -> None:
    """Wait for the whole body; what is wrong with it is raised by whoever reads it.

    A body may take a minute to come. Whoever acts on a game receives it before loading the
    game, so that nobody decides anything by a state of a minute ago.
    """
    with suppress(MalformedBody, RequestEntityTooLarge):
        raw_body()


def raw_body(most: int | None = None) -> bytes:
    """The request's body as it came, unless it is too large or was cut off.

    ``most`` bytes are allowed, by default what the settings say.
    """
    asked = the_request()
    if asked.body_fault is not None:
        raise asked.body_fault
    if asked.whole_body is None:
        try:
            asked.whole_body = _received(
                asked, context().settings.max_body if most is None else most
            )
        except (MalformedBody, RequestEntityTooLarge) as fault:
            asked.body_fault = fault
            raise
    return asked.whole_body


def _received(asked: QwirkleRequest, most: int) -> bytes:
    """The whole body.

    Flask refuses what says that it is too long, but cuts off a body that comes in chunks.
    So it is told to read one byte more than is allowed.
    """
    try:
        raw = asked.body
    except TimeoutError:
        raise MalformedBody([FieldError("", say("field.late"))]) from None
    except (OSError, ParseException):  # what gunicorn raises for chunks that are none
        raise MalformedBody([FieldError("", say("field.chunks"))]) from None
    if len(raw) > most:
        raise RequestEntityTooLarge
    if _is_cut_off(asked, len(raw)):
        raise MalformedBody([FieldError("", say("field.short"))])
    return raw


def _is_cut_off(asked: Request, length: int) -> bool:
    if asked.environ.get("CONTENT_LENGTH") == str(length):
        return False
    announced = asked.content_length
    return announced is not None and length < announced


def query(schema: Schema) -> Body:
    """The request's query string as ``schema`` loads it."""
    asked = the_request()
    if not asked.query_string:
        return _of_no_query(schema)
    return load_query(schema, asked.args.items(multi=True))


@cache
def _of_no_query(schema: Schema) -> Body:
    """What nearly every request asks for beside its path: nothing."""
    return load_query(schema, ())


def retry_key(token: str | None) -> bytes | None:
    """Where a repetition of this request is remembered, if it has a usable key.

    A caller's keys are its token's; without a token they are the route's.
    """
    key = _unquoted_key()
    if key is None or not _VISIBLE.fullmatch(key):
        return None
    caller = f"route {the_request().path}" if token is None else token
    return sha256(f"{caller}\n{key}".encode()).digest()[:IDEMPOTENCY_KEY_BYTES]


def fingerprint() -> bytes:
    """What tells this request from another under the same key."""
    asked = the_request()
    said = (asked.method, asked.path, asked.query_string.decode("latin-1"))
    whole = "\n".join(said).encode() + b"\n" + raw_body()
    return sha256(whole).digest()[:FINGERPRINT_BYTES]


def require_key_of(least: int) -> None:
    """Refuse an idempotency key that is too short, too long or not visible."""
    key = _unquoted_key()
    if key is not None and not (least <= len(key) <= _LONGEST_KEY and _VISIBLE.fullmatch(key)):
        detail = say("field.key", least=least, most=_LONGEST_KEY)
        raise MalformedBody([FieldError("header:Idempotency-Key", detail)])


def _unquoted_key() -> str | None:
    header = header_of("Idempotency-Key")
    if header is not None and len(header) > 1 and header[0] == header[-1] == '"':
        return header[1:-1]
    return header


def require_json_wanted() -> None:
    """Refuse a caller who cannot take the JSON that nearly all answers are in."""
    require_wanted(JSON)


def require_wanted(form: str) -> None:
    """Refuse a caller who cannot take an answer in this form."""
    accepted = header_of("Accept")
    if not accepted or accepted in {"*/*", form}:  # what nearly everybody sends, if anything
        return
    if not the_request().accept_mimetypes.quality(form):
        raise Problem("not_acceptable", say("form.wanted", form=form))


def require_json_sent(*, needed: bool) -> None:
    """Refuse a body that does not come as JSON."""
    asked = the_request()
    if asked.environ.get("CONTENT_TYPE") == JSON:
        return
    if asked.mimetype == JSON or not (needed or asked.mimetype):
        charset = asked.mimetype_params.get("charset", "utf-8").lower()
        if charset in {"utf-8", "utf8", "us-ascii"}:
            return
    sent = asked.content_type or "none"
    raise Problem(
        "unsupported_media_type",
        say("form.sent", form=JSON, sent=sent[:80]),
    )
