"""Requests as data: what an operation sends, and how its answer is read."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeGuard, TypeVar
from uuid import uuid4

from qwirkle_client._answer import Answer, json_of

T = TypeVar("T")

_TOKEN = re.compile("[!-~]+")


class WriteOptions(TypedDict, total=False):
    """What every write accepts."""

    if_match: str | None
    """Refuse with `StaleVersion` if the game has changed since the answer with this ETag."""
    idempotency_key: str | None
    """A key of your own, to repeat an action safely even after your program has crashed."""


@dataclass(frozen=True, kw_only=True)
class Request(Generic[T]):
    """One request, and how its answer is read. A `None` in `query` or `headers` is not sent."""

    method: str
    path: str
    read: Callable[[Answer], T]
    token: str | None = field(default=None, repr=False)
    query: Mapping[str, str | float | None] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: object = None
    wait: float = 0.0
    """For how many seconds the service may hold the answer back."""

    @property
    def repeatable(self) -> bool:
        """Whether it may be sent again without doing anything twice."""
        return self.method in {"GET", "DELETE"} or bool(self.headers.get("Idempotency-Key"))


def is_token(token: object) -> TypeGuard[str]:
    """Whether it can be sent as a token."""
    return isinstance(token, str) and _TOKEN.fullmatch(token) is not None


def checked_token(token: str | None) -> str | None:
    """The token, if it can be one; the error does not quote it."""
    if token is not None and not is_token(token):
        raise ValueError("a token consists of visible ASCII characters")
    return token


def get(path: str, token: str | None = None, **query: str | float | None) -> Request[Any]:
    """A read of JSON."""
    return Request(method="GET", path=path, read=json_of, token=token, query=query)


def write(
    method: str, path: str, token: str | None, body: object, options: WriteOptions
) -> Request[Any]:
    """A write, with an idempotency key of its own unless one is given."""
    headers = {
        "Idempotency-Key": options.get("idempotency_key") or uuid4().hex,
        "If-Match": options.get("if_match"),
    }
    return Request(method=method, path=path, read=json_of, token=token, headers=headers, body=body)


def post(path: str, token: str | None, body: object, options: WriteOptions) -> Request[Any]:
    """A write by POST."""
    return write("POST", path, token, body, options)
