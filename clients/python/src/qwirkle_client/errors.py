"""Everything that can go wrong, as exceptions."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from qwirkle_client.types import FieldError, Violation


class QwirkleError(Exception):
    """The root of all errors of this package."""

    retry_after: float = 0.0
    """After how many seconds the service asks to be called again; 0 if it does not say."""


class NoAnswer(QwirkleError):
    """The service could not be reached, or its answer was lost; `__cause__` has the details."""


class UnexpectedAnswer(QwirkleError):
    """The answer is not one of the Qwirkle service: another server, or a proxy in between."""


class GameDeleted(QwirkleError):
    """The game that is being followed was deleted."""


class ProblemError(QwirkleError):
    """The service refused a request. Programs should rely on `code`; `detail` is for people.

    `errors` lists every fault of a malformed request, `violations` every broken rule of the game.
    `problem` is the whole answer. A refusal by a proxy has an empty `code`.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float) -> None:
        self.status = status
        self.problem = problem
        self.retry_after = retry_after
        self.code: str = problem.get("code", "")
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", f"the service answers {status}")
        self.request_id: str = problem.get("request_id", "")
        self.errors: list[FieldError] = problem.get("errors") or []
        self.violations: list[Violation] = problem.get("violations") or []
        super().__init__(f"{self.detail} ({self.code or status})")


class MalformedRequest(ProblemError):
    """400, 413 or 415: the service does not understand the request; see `errors`."""


class TokenRefused(ProblemError):
    """401: the token is missing or not valid."""


class Forbidden(ProblemError):
    """403: not for the holder of this token."""


class NotFound(ProblemError):
    """404: there is no such game, or no such path."""


class Conflict(ProblemError):
    """409: not now, for example because it is somebody else's turn."""


class StaleVersion(ProblemError):
    """412: the game has changed since the answer that `if_match` is from."""


class Refused(ProblemError):
    """422: the rules do not allow it; see `violations`."""


class RateLimited(ProblemError):
    """429: too many requests; see `retry_after`."""


class ServiceUnavailable(ProblemError):
    """500 and above: the service, its store or a proxy is in trouble."""


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


def problem_of(response: httpx.Response) -> ProblemError:
    """The error for an answer that is not a success."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    status = response.status_code
    kind = _KINDS.get(status, ServiceUnavailable if status >= 500 else ProblemError)
    retry_after = _seconds(response.headers.get("Retry-After", ""))
    return kind(status, problem if isinstance(problem, dict) else {}, retry_after)


def _seconds(retry_after: str) -> float:
    """A `Retry-After`, which is a number of seconds or a date."""
    if retry_after.isdecimal():
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    return max(0.0, (date - datetime.now(UTC)).total_seconds())
