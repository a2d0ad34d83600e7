"""Answers every refusal and every failure, from any layer, with a problem document."""

import logging
from http import HTTPStatus

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from service.api import problems
from service.api.openapi_file import stated_problems
from service.api.problems import Problem
from service.games.idempotency import KeyReused
from service.games.service import GameNotFound, TooBusy
from service.i18n import ENGLISH, LANGUAGES, say
from service.rules.codec import UnknownFormat
from service.rules.errors import ORDER_OF_CODES, Malformed, RulesBroken, Untimely
from service.rules.messages import Message, as_sentence
from service.store.base import IdempotencyFull, StoreDamaged, StoreUnavailable
from service.telemetry import metrics

log = logging.getLogger("qwirkle")

_REPAIR_SECONDS = "60"
_KEYS_FULL_SECONDS = 3600
_OFFERED = (ENGLISH, *LANGUAGES)  # the first wins a tie
_REVEAL_A_HAND = frozenset(
    {"tiles_not_in_hand", "must_play", "must_exchange", "bid_too_high", "bid_too_low"}
)
"""Counted one by one, these would reveal on a quiet service what somebody holds."""


def answer_failures(app: Flask) -> None:
    """Answer whatever a view or a hook raises."""
    # A counter that exists before its first increase shows that increase in `increase()`.
    for code in stated_problems():
        metrics.PROBLEMS.labels(_counted_as(code))
    for code in ORDER_OF_CODES:
        metrics.RULE_REFUSALS.labels(_counted_as(code))
    app.register_error_handler(Exception, lambda error: answer_problem(_problem_of(error)))


def answer_problem(problem: Problem) -> Response:
    """The problem as a response."""
    metrics.PROBLEMS.labels(_counted_as(problem.code)).inc()
    status, _ = problems.status_and_title(problem.code)
    accepted = request.accept_languages
    language = accepted.best_match(_OFFERED, ENGLISH) if accepted else ENGLISH
    headers = {
        "Cache-Control": "no-store",
        "Content-Language": language,
        "Vary": "Accept-Language, Accept-Encoding",
        **problem.headers,
    }
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="qwirkle"'
    body = problems.document(problem, g.request_id, language=language)
    return Response(body, status, headers, content_type=problems.MEDIA_TYPE)


def _counted_as(code: str) -> str:
    """The label of a code in the metrics, which are public."""
    return "depends_on_hand" if code in _REVEAL_A_HAND else code


def _problem_of(error: Exception) -> Problem:  # noqa: C901, PLR0911  # one for each kind
    match error:
        case Problem():
            return error
        case HTTPException():
            return _http_problem(error)
        case GameNotFound():
            return Problem("game_not_found", say("found.no_game"))
        case RulesBroken():
            for violation in error.violations:
                metrics.RULE_REFUSALS.labels(_counted_as(violation.code)).inc()
            return problems.problem_of(error)
        case Untimely() | Malformed():
            return problems.problem_of(error)
        case KeyReused():
            return Problem("idempotency_key_reused", say("game.key_reused"))
        case IdempotencyFull():
            return problems.rate_limited(say("limit.keys"), _KEYS_FULL_SECONDS)
        case TooBusy():
            return Problem("request_in_flight", say("game.busy"))
        case StoreUnavailable():
            log.warning("store unavailable: %s (request %s)", error.reason, g.request_id)
            return problems.store_unavailable(say("store.away"))
        case StoreDamaged():
            log.error("%s (request %s)", error, g.request_id)
            headers = {"Retry-After": _REPAIR_SECONDS}
            return Problem("store_damaged", say("store.damaged"), headers=headers)
        case UnknownFormat():
            log.error("%s (request %s)", error, g.request_id)
            return problems.store_unavailable(say("store.format", reason=as_sentence(str(error))))
    log.error("unexpected failure (request %s)", g.request_id, exc_info=error)
    return Problem("internal_error", say("internal"))


def _http_problem(error: HTTPException) -> Problem:
    """Flask's own errors as problems: unknown route, wrong method, body too large."""
    match error.code:
        case 404:
            return Problem("not_found", say("found.nothing", path=request.path[:200]))
        case 405:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            detail = say("found.method", method=request.method[:20], allowed=allowed)
            return Problem("method_not_allowed", detail, headers={"Allow": allowed})
        case 413:
            most = (request.max_content_length or 1) - 1
            return Problem("body_too_large", say("form.size", most=most))
    reason = error.description or "The request cannot be understood"
    return problems.malformed("", Message(reason.rstrip(".").lower()))
