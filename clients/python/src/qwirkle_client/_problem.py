"""Refusals: which error an answer becomes."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from qwirkle_client._answer import Answer, parsed
from qwirkle_client.errors import (
    Conflict,
    Forbidden,
    MalformedRequest,
    NotFound,
    ProblemError,
    RateLimited,
    Refused,
    ServiceUnavailable,
    StaleVersion,
    TokenRefused,
)

LONGEST_RETRY_AFTER = 86_400.0
"""A day: a longer wait is a mistake of the other side."""

_SHORTEST_SECRET = 16
"""Shorter API keys are not secret, and could be part of a code."""

_KINDS: dict[int, type[ProblemError]] = {
    400: MalformedRequest,
    401: TokenRefused,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: StaleVersion,
    413: MalformedRequest,
    415: MalformedRequest,
    422: Refused,
    429: RateLimited,
}


def problem_of(answer: Answer, request: httpx.Request) -> ProblemError:
    """The error for an answer that is not a success."""
    content = answer.content
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if len(token) >= _SHORTEST_SECRET:  # some proxies repeat what they were sent
        content = content.replace(token.encode(), b"[token]")
    problem = parsed(content)
    status = answer.status
    kind = _KINDS.get(status, ServiceUnavailable if status >= 500 else ProblemError)
    retry_after = _seconds(answer.headers.get("Retry-After", ""))
    return kind(status, problem if isinstance(problem, dict) else {}, retry_after)


def _seconds(retry_after: str) -> float:
    """A `Retry-After`, which is a number of seconds or a date."""
    if retry_after.isascii() and retry_after.isdigit():
        return min(float(retry_after), LONGEST_RETRY_AFTER)
    try:
        date = parsedate_to_datetime(retry_after)
        # -0000 is UTC too, for times of which no zone is known.
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)
