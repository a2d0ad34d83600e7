"""Problem documents (RFC 9457), the same from every layer of the service."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import orjson

from service.api.openapi_file import stated_problems
from service.i18n import ENGLISH, say, translated
from service.rules.cells import column_of, row_of
from service.rules.english_texts import describe
from service.rules.errors import Malformed, RulesBroken, Untimely, Violation
from service.rules.messages import Message
from service.rules.tiles import NAMES

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
"""Faults that a response lists; the search stops there: a hostile body can have very many."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: a pointer, and a clause that completes "the value there ...".

    Pointers into the body are RFC 6901 (`/placements/0/x`; the empty pointer is the whole body);
    those to parameters start with where they are (`query:limit`, `header:If-Match`).
    """

    pointer: str
    detail: Message


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


class MalformedRequest(Problem):
    """The request cannot be understood; of its faults, at least one, the first are kept."""

    errors: tuple[FieldError, ...]

    def __init__(self, errors: Iterable[FieldError]) -> None:
        first, *others = islice(errors, MAX_ERRORS)
        detail = say("fault", where=first.pointer or say("the_body"), what=first.detail)
        super().__init__("malformed_request", detail, errors=[first, *others])


def malformed(pointer: str, detail: Message) -> MalformedRequest:
    """The refusal of a request with one fault."""
    return MalformedRequest([FieldError(pointer, detail)])


def rate_limited(detail: Message, wait: int) -> Problem:
    """Too much was asked for; it may be asked for again after ``wait`` seconds."""
    return Problem("rate_limited", detail, headers={"Retry-After": str(wait)})


def store_unavailable(detail: Message) -> Problem:
    """The store is not available right now; a retry with an idempotency key is safe."""
    return Problem("store_unavailable", detail, headers={"Retry-After": "1"})


def document(
    problem: Problem, request_id: str, status: int | None = None, language: str = ENGLISH
) -> bytes:
    """The problem as JSON; ``status`` replaces the usual status of its code."""
    said = serialize_problem(problem, language) | {"request_id": request_id}
    return orjson.dumps(said | {"status": status} if status else said)


def serialize_problem(problem: Problem, language: str = ENGLISH) -> dict[str, Any]:
    """The problem without the id of a request."""
    status, title = status_and_title(problem.code)
    return {
        "type": f"/docs/problems#{problem.code}",
        "title": translated(title, language),
        "status": status,
        "detail": translated(problem.detail, language),
        "code": problem.code,
        "errors": problem.errors and [_error(each, language) for each in problem.errors],
        "violations": problem.violations
        and [_violation(each, language) for each in problem.violations],
    }


def problem_of(error: RulesBroken | Untimely | Malformed) -> Problem:
    """What the rules raised, as a problem."""
    if isinstance(error, RulesBroken):
        return Problem(error.code, describe(error.violations[0]), violations=error.violations)
    if isinstance(error, Untimely):
        return Problem(error.code, error.detail.as_sentence())
    detail = Message(str(error))
    return Problem("malformed_request", detail.as_sentence(), errors=[FieldError("", detail)])


def _error(error: FieldError, language: str) -> dict[str, str]:
    return {"pointer": error.pointer, "detail": translated(error.detail, language)}


def _violation(violation: Violation, language: str) -> dict[str, Any]:
    return {
        "code": violation.code,
        "detail": translated(describe(violation), language),
        "cells": [{"x": column_of(cell), "y": row_of(cell)} for cell in violation.cells],
        "tiles": [NAMES[tile] for tile in violation.tiles],
    }


@cache
def status_and_title(code: str) -> tuple[int, Message]:
    """Status and title of a code, from the contract."""
    problem = stated_problems()[code]
    return problem["status"], Message(problem["title"], f"title.{code}")
