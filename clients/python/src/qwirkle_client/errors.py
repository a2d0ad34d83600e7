"""Everything that can go wrong, as exceptions."""

from collections.abc import Mapping
from typing import Any

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
        self.code = _text(problem, "code")
        self.title = _text(problem, "title")
        self.detail = _text(problem, "detail") or f"the service answers {status}"
        self.request_id = _text(problem, "request_id")
        self.errors: list[FieldError] = _objects(problem, "errors")
        self.violations: list[Violation] = _objects(problem, "violations")
        super().__init__(f"{self.detail} ({self.code or status})")


def _text(problem: Mapping[str, Any], member: str) -> str:
    value = problem.get(member)
    return value if isinstance(value, str) else ""


def _objects(problem: Mapping[str, Any], member: str) -> list[Any]:
    value = problem.get(member)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


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
