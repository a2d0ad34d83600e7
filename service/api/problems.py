"""Problem documents (RFC 9457), the same from every layer of the service."""

from collections.abc import Iterable, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

import orjson
from flask import Response, g, request
from werkzeug.exceptions import HTTPException

from service.api.contract import stated_problems
from service.api.json_body import FieldError
from service.i18n import ENGLISH, LANGUAGES, say, translated, untranslated
from service.rules.cells import column_of, row_of
from service.rules.errors import Violation
from service.rules.message_texts import describe
from service.rules.messages import Message
from service.rules.tiles import NAMES
from service.telemetry import metrics

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 1
REPAIR_SECONDS = 60
_OFFERED = (ENGLISH, *LANGUAGES)  # the first wins a tie


DEPENDS_ON_HAND = "depends_on_hand"
_REVEAL_A_HAND = frozenset(
    {"tiles_not_in_hand", "must_play", "must_exchange", "bid_too_high", "bid_too_low"}
)
"""Counted one by one, these would reveal on a quiet service what somebody holds."""


class Problem(Exception):
    """A refusal with its stable code; ``headers`` are added to the response."""

    def __init__(
        self,
        code: str,
        detail: Message,
        *,
        errors: Iterable[FieldError] | None = None,
        violations: Iterable[Violation] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = None if errors is None else tuple(errors)
        self.violations = None if violations is None else tuple(violations)
        self.headers = dict(headers or {})


def rules_broken(violations: Iterable[Violation]) -> Problem:
    """The refusal of an action that breaks rules; its code is that of the first one."""
    listed = tuple(violations)
    for violation in listed:
        metrics.RULE_REFUSALS.labels(_counted_as(violation.code)).inc()
    return Problem(listed[0].code, describe(listed[0]), violations=listed)


def _counted_as(code: str) -> str:
    """The label of a code in the metrics, which are public."""
    return DEPENDS_ON_HAND if code in _REVEAL_A_HAND else code


def malformed(errors: Iterable[FieldError]) -> Problem:
    """The refusal of a request that cannot be understood."""
    listed = tuple(errors)
    first = listed[0]
    detail = say("fault", where=first.pointer or say("the_body"), what=first.detail)
    return Problem("malformed_request", detail, errors=listed)


def store_unavailable(detail: Message) -> Problem:
    """The store is not available right now; a retry with an idempotency key is safe."""
    return Problem("store_unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_SECONDS)})


def store_damaged(detail: Message) -> Problem:
    """The stored data of the game is damaged; only an operator can repair it."""
    return Problem("store_damaged", detail, headers={"Retry-After": str(REPAIR_SECONDS)})


def document(
    problem: Problem, request_id: str, status: int | None = None, language: str = ENGLISH
) -> bytes:
    """The problem as JSON; ``status`` replaces the usual status of its code."""
    usual, title = _known(problem.code)
    return orjson.dumps(
        {
            "type": f"/docs/problems#{problem.code}",
            "title": translated(title, language),
            "status": status or usual,
            "detail": translated(problem.detail, language),
            "code": problem.code,
            "request_id": request_id,
            "errors": _errors(problem.errors, language),
            "violations": _violations(problem.violations, language),
        }
    )


def answer_problem(problem: Problem) -> Response:
    """The problem as a response."""
    metrics.PROBLEMS.labels(_counted_as(problem.code)).inc()
    status, _ = _known(problem.code)
    headers = {"Cache-Control": "no-store", **problem.headers}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="qwirkle"'
    language = _language()
    headers |= {"Content-Language": language, "Vary": "Accept-Language, Accept-Encoding"}
    body = document(problem, g.request_id, language=language)
    return Response(body, status, headers, content_type=MEDIA_TYPE)


def _language() -> str:
    """The available language that the client prefers."""
    accepted = request.accept_languages
    return accepted.best_match(_OFFERED, ENGLISH) if accepted else ENGLISH


def answer_http_error(error: HTTPException) -> Response:
    """Flask's own errors as problems: unknown route, wrong method, body too large."""
    match error.code:
        case 404:
            problem = Problem("not_found", say("found.nothing", path=request.path[:200]))
        case 405:
            allowed = ", ".join(sorted(getattr(error, "valid_methods", None) or ()))
            detail = say("found.method", method=request.method[:20], allowed=allowed)
            problem = Problem("method_not_allowed", detail, headers={"Allow": allowed})
        case 413:
            most = (request.max_content_length or 1) - 1
            problem = Problem("body_too_large", say("form.size", most=most))
        case _:
            reason = error.description or "The request cannot be understood"
            problem = malformed([FieldError("", untranslated(reason.rstrip(".").lower()))])
    return answer_problem(problem)


def _errors(errors: Iterable[FieldError] | None, language: str) -> list[dict[str, str]] | None:
    if errors is None:
        return None
    return [
        {"pointer": error.pointer, "detail": translated(error.detail, language)} for error in errors
    ]


def _violations(
    violations: Iterable[Violation] | None, language: str
) -> list[dict[str, Any]] | None:
    if violations is None:
        return None
    return [
        {
            "code": violation.code,
            "detail": translated(describe(violation), language),
            "cells": [{"x": column_of(cell), "y": row_of(cell)} for cell in violation.cells],
            "tiles": [NAMES[tile] for tile in violation.tiles],
        }
        for violation in violations
    ]


@cache
def _known(code: str) -> tuple[int, Message]:
    """Status and title of a code, from the contract."""
    problem = stated_problems()[code]
    return problem["status"], Message(problem["title"], f"title.{code}")
