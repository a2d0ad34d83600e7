"""Rate limits: off unless configured, shared by all workers through the store.

A caller is its token where it has one, else its address. Creating a game, writing and
reading are counted apart.
"""

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from math import ceil
from time import time

import redis
from flask import Flask, Response, g, request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter

from service.api.caller import bearer
from service.api.problems import Problem, store_unavailable
from service.config import Settings
from service.store.counters import Counters
from service.words import say

_CREATING = ("creation.create_game", "records.fork_game")


@dataclass(frozen=True, slots=True)
class Allowance:
    """One of the three limits, under the name that its headers give it."""

    name: str
    item: RateLimitItem


def limit_rates(app: Flask, settings: Settings, client: redis.Redis) -> None:
    """Count requests against the limits that are set; without any, nothing is added."""
    rates = {
        "create": settings.rate_create,
        "write": settings.rate_write,
        "read": settings.rate_read,
    }
    allowances = {name: Allowance(name, parse(rate)) for name, rate in rates.items() if rate}
    if not allowances:
        return
    limiter = FixedWindowRateLimiter(Counters(client))

    def count() -> None:
        allowance = allowances.get(_kind())
        if allowance is None or not request.path.startswith("/v1/"):
            return
        caller = _caller()
        try:
            # Tokens that turn out to be nobody's are charged to the address they come from.
            allowed = limiter.test(allowance.item, allowance.name, _address())
            allowed = limiter.hit(allowance.item, allowance.name, caller) and allowed
            reset, left = limiter.get_window_stats(allowance.item, allowance.name, caller)
        except StorageError as error:
            if not request.path.startswith("/v1/games"):
                return  # it needs no store otherwise, so it is answered uncounted
            raise store_unavailable(say("store.uncounted")) from error
        wait = max(1, ceil(reset - time()))
        item = allowance.item
        g.rate_headers = {
            "RateLimit-Policy": f'"{allowance.name}";q={item.amount};w={item.get_expiry()}',
            "RateLimit": f'"{allowance.name}";r={left};t={wait}',
        }
        if not allowed:
            seconds = item.get_expiry()
            detail = say("limit.requests", amount=item.amount, seconds=seconds, wait=wait)
            raise Problem("rate_limited", detail, headers={"Retry-After": str(wait)})

    def charge(response: Response) -> Response:
        allowance = allowances.get(_kind())
        if (
            response.status_code == HTTPStatus.UNAUTHORIZED
            and allowance
            and _caller() != _address()
        ):
            with suppress(StorageError):
                limiter.hit(allowance.item, allowance.name, _address())
        return response

    def tell(response: Response) -> Response:
        response.headers.extend(g.pop("rate_headers", {}))
        return response

    app.before_request(count)
    app.after_request(tell)
    app.after_request(charge)


def _kind() -> str:
    if request.method in {"GET", "HEAD"}:
        return "read"
    if request.method == "OPTIONS":
        return "none"
    return "create" if request.endpoint in _CREATING else "write"


def _caller() -> str:
    """The token, or else the address, as a digest: neither belongs into the store."""
    token = bearer()
    return _digest(token) if token else _address()


def _address() -> str:
    return _digest(request.remote_addr or "")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]
