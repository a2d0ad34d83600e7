"""What applies to every request: request ids, CORS, and every failure as a problem document."""

import logging
import re
from collections.abc import Sequence
from secrets import token_hex

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from service.api.json_body import FieldError, MalformedBody
from service.api.problems import (
    Problem,
    answer_http_error,
    answer_problem,
    malformed,
    rules_broken,
    store_damaged,
    store_unavailable,
)
from service.games.idempotency import KeyReused
from service.games.service import GameNotFound, TooBusy
from service.i18n import say, untranslated
from service.rules.codec import UnknownFormat
from service.rules.errors import Malformed, RulesBroken, Untimely
from service.rules.messages import as_sentence
from service.store.base import StoreDamaged, StoreUnavailable

log = logging.getLogger("qwirkle")

# Ids are logged, so one that looks like a token is replaced.
_REQUEST_ID = re.compile(r"(?!qw[ph]_)[A-Za-z0-9._~+/=:-]{1,128}")
_EXPOSED = (
    "ETag, Location, Retry-After, Idempotency-Replayed, X-Request-ID, RateLimit, RateLimit-Policy"
)
_ALLOWED_HEADERS = (
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, "
    "X-Request-ID"
)
_PREFLIGHT_SECONDS = "7200"


def give_request_ids(app: Flask) -> None:
    """Give every response the id of its request: the client's, if it is usable, or a new one."""

    def name_request() -> None:
        given = request.headers.get("X-Request-ID", "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else token_hex(8)

    def add_headers(response: Response) -> Response:
        response.headers["X-Request-ID"] = g.request_id
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response

    app.before_request(name_request)
    app.after_request(add_headers)


def allow_origins(app: Flask, origins: Sequence[str]) -> None:
    """CORS for the origins in the settings, and for no others."""
    if not origins:
        return

    def add_headers(response: Response) -> Response:
        origin = request.headers.get("Origin")
        response.vary.add("Origin")
        if origin is None or not ("*" in origins or origin in origins):
            return response
        response.headers["Access-Control-Allow-Origin"] = "*" if "*" in origins else origin
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = response.headers.get("Allow", "")
            response.headers["Access-Control-Allow-Headers"] = _ALLOWED_HEADERS
            response.headers["Access-Control-Max-Age"] = _PREFLIGHT_SECONDS
        return response

    app.after_request(add_headers)


def answer_failures(app: Flask) -> None:
    """Answer every refusal and every failure, from any layer, with a problem document."""
    app.register_error_handler(Problem, answer_problem)
    app.register_error_handler(HTTPException, answer_http_error)
    app.register_error_handler(Exception, _answer_failure)


def _answer_failure(error: Exception) -> Response:
    return answer_problem(_problem_of(error))


def _problem_of(error: Exception) -> Problem:  # noqa: C901, PLR0911  # one for each kind
    match error:
        case GameNotFound():
            return Problem("game_not_found", say("found.no_game"))
        case MalformedBody():
            return malformed(error.errors)
        case RulesBroken():
            return rules_broken(error.violations)
        case Untimely():
            return Problem(error.code, error.detail.as_sentence())
        case Malformed():
            detail = untranslated(str(error))
            return Problem(
                "malformed_request", detail.as_sentence(), errors=[FieldError("", detail)]
            )
        case KeyReused():
            return Problem("idempotency_key_reused", say("game.key_reused"))
        case TooBusy():
            return Problem("request_in_flight", say("game.busy"))
        case StoreUnavailable():
            log.warning("store unavailable: %s (request %s)", error.reason, g.request_id)
            return store_unavailable(say("store.away"))
        case StoreDamaged():
            log.error("%s (request %s)", error, g.request_id)
            return store_damaged(say("store.damaged"))
        case UnknownFormat():
            log.error("%s (request %s)", error, g.request_id)
            return store_unavailable(say("store.format", reason=as_sentence(str(error))))
    log.error("unexpected failure (request %s)", g.request_id, exc_info=error)
    return Problem("internal_error", say("internal"))
