"""What a request contains: its token, its body, its query string, its idempotency key."""

import re
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.problems import MalformedRequest, Problem, malformed
from service.api.responses import JSON
from service.api.schemas import EMPTY, StrictSchema
from service.api.strict_json import read_json
from service.api.validation import load, load_query
from service.games.service import GameNotFound
from service.i18n import say
from service.rules.yielding import Pause
from service.store.base import FINGERPRINT_BYTES, IDEMPOTENCY_KEY_BYTES

Body = dict[str, Any]

SHORT_KEY = 1
LONG_KEY = 16
_LONGEST_KEY = 255

_GAME_ID = re.compile(r"[a-z2-7]{26}")
_VISIBLE = re.compile(r"[!-~]+")


def known_id(game_id: str) -> str:
    """The id itself, if it could be a game's."""
    if not _GAME_ID.fullmatch(game_id):
        raise GameNotFound(game_id)
    return game_id


def bearer() -> str | None:
    """The request's token, or None; it is empty if the header has another form.

    It is not refused here, because a missing game is reported first.
    """
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def query(schema: StrictSchema = EMPTY) -> Body:
    """The request's query string as ``schema`` loads it; by default it must be empty."""
    if not request.query_string:
        return _defaults(schema)
    return load_query(schema, request.args.items(multi=True))


@dataclass(frozen=True, slots=True)
class PostedRequest:
    """A request with a body, which has been received completely.

    What is wrong with it is raised when it is read: a missing game is reported first.
    """

    token: str | None
    key: str | None
    """The idempotency key as sent, without quotes."""
    body: bytes | Exception

    def read(self, schema: StrictSchema) -> Body:
        """The body as ``schema`` loads it; the query string must be empty."""
        raw = self._raw()
        value = None
        if schema.needed or raw.strip():
            _require_json(needed=schema.needed)
            value = read_json(raw)
        body = _defaults(schema) if value is None and not schema.needed else load(schema, value)
        query()
        return body

    def read_object(self, pause: Pause) -> Body:
        """The body as any JSON object; ``pause`` is called before a search for faults."""
        raw = self._raw()
        _require_json(needed=True)
        value = read_json(raw, pause)
        if not isinstance(value, dict):
            raise malformed("", say("field.object"))
        query()
        return value

    def idempotency_key(self, tenant: str | None) -> bytes | None:
        """Where the answer to this request is kept, if it has a usable idempotency key.

        Keys belong to the caller's token, or to the tenant, who may change its API key; without
        a token, to the route.
        """
        if self.key is None or not _VISIBLE.fullmatch(self.key):
            return None
        caller = f"route {request.path}" if self.token is None else self.token
        if tenant is not None:
            caller = f"tenant {tenant}"
        return sha256(f"{caller}\n{self.key}".encode()).digest()[:IDEMPOTENCY_KEY_BYTES]

    @property
    def fingerprint(self) -> bytes:
        """What distinguishes this request from another one with the same key."""
        line = f"{request.method}\n{request.path}\n{request.query_string.decode('latin-1')}\n"
        return sha256(line.encode() + self._raw()).digest()[:FINGERPRINT_BYTES]

    def require_valid_key(self, least: int) -> None:
        """Refuse an idempotency key that is too short, too long or not visible."""
        key = self.key
        if key is not None and not (least <= len(key) <= _LONGEST_KEY and _VISIBLE.fullmatch(key)):
            detail = say("field.key", least=least, most=_LONGEST_KEY)
            raise malformed("header:Idempotency-Key", detail)

    def _raw(self) -> bytes:
        if isinstance(self.body, Exception):
            raise self.body
        return self.body


def receive(max_bytes: int) -> PostedRequest:
    """Wait for the whole body, which may take a minute to arrive.

    Writes do this before they load the game, so that nothing is decided by a state that is a
    minute old.
    """
    body: bytes | Exception
    try:
        body = _receive_body(max_bytes)
    except (MalformedRequest, RequestEntityTooLarge) as fault:
        body = fault
    key = request.headers.get("Idempotency-Key")
    if key is not None and len(key) > 1 and key[0] == key[-1] == '"':
        key = key[1:-1]
    return PostedRequest(bearer(), key, body)


def _receive_body(max_bytes: int) -> bytes:
    """Flask refuses a body whose announced length is too long, but cuts off one sent in chunks.

    So it is allowed to read one byte more than the limit.
    """
    request.max_content_length = max_bytes + 1
    try:
        raw = request.get_data(cache=False)
    except TimeoutError:
        raise malformed("", say("field.late")) from None
    except OSError:  # the connection was lost, or the chunks are malformed
        raise malformed("", say("field.chunks")) from None
    if len(raw) > max_bytes:
        raise RequestEntityTooLarge
    if len(raw) < (request.content_length or 0):
        raise malformed("", say("field.short"))
    return raw


@cache
def _defaults(schema: StrictSchema) -> Body:
    """What ``schema`` loads from nothing; nearly every query string is empty."""
    return load(schema, {})


def _require_json(*, needed: bool) -> None:
    """Refuse a body that is compressed or not JSON; if it is not ``needed`` it may be missing."""
    encoding = request.headers.get("Content-Encoding")
    if encoding is None:
        if request.content_type == JSON:
            return
        if request.mimetype == JSON or not (needed or request.mimetype):
            charset = request.mimetype_params.get("charset", "utf-8").lower()
            if charset in {"utf-8", "utf8", "us-ascii"}:
                return
    sent = encoding or request.content_type or "none"
    raise Problem("unsupported_media_type", say("form.sent", form=JSON, sent=sent[:80]))
