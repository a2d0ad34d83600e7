"""Rate limits, shared by all workers through the store: off unless configured, but for join codes.

A caller is identified by its token or, without one, by its address. Creating a game, writing and
reading are counted separately. Having many tokens (from games created for the purpose, renewed or
invented) does not help: a token's requests also count against its address, which may send
`QWIRKLE_RATE_ADDRESS` times as many; invalid tokens count like none; and the number of failed
authentications per address has a limit of its own.

A wrong guess is counted before it is answered. Above the limit it is answered like any other
limited request, and so is a right one where guessing could succeed: join codes and API keys. So
simultaneous guesses reveal no more than successive ones. Tokens have 256 bits: a valid one was not
guessed, and is accepted whatever else comes from its address.
"""

from contextlib import suppress
from http import HTTPStatus
from math import ceil
from time import time

import redis
from flask import Flask, Response, g, request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter

from service.api.client_address import address_digest, digest
from service.api.error_handlers import answer_problem
from service.api.problems import Problem, rate_limited, store_unavailable
from service.api.request import bearer
from service.config import Settings
from service.i18n import say
from service.store.rate_limits import RateLimitStorage

_CREATE_ENDPOINTS = ("creation.create_game", "records.fork_game", "lobby.match_player")


class RateLimits:
    """The rate limits of a service, and the counters of its callers."""

    def __init__(self, settings: Settings, client: redis.Redis) -> None:
        self._limiter = FixedWindowRateLimiter(RateLimitStorage(client))
        rates = {
            "create": settings.rate_create,
            "write": settings.rate_write,
            "read": settings.rate_read,
        }
        given = {kind: rate for kind, rate in rates.items() if rate}
        times = settings.rate_address
        self._own = {kind: _limit(kind, rate) for kind, rate in given.items()}
        self._shared = {kind: _limit(f"{kind}-address", given[kind], times) for kind in given}
        self._guess = _limit("guess", settings.rate_guess) if settings.rate_guess else None
        self._join_code = _limit("join-code", settings.rate_join_codes)
        self._tenants_join_code = _limit("join-code-tenant", settings.rate_join_codes, times)

    def count(self) -> None:
        """Count a request, or refuse it: `rate_limited`."""
        if not request.path.startswith("/v1/"):
            return
        try:
            self._count(_kind())
        except StorageError as error:
            if not request.path.startswith(("/v1/games", "/v1/joins", "/v1/lobby")):
                return  # it does not need the store otherwise, so it is answered uncounted
            raise store_unavailable(say("store.uncounted")) from error

    def judge(self, *, right: bool) -> None:
        """Count a wrong guess; after too many of them refuse right ones too: `rate_limited`."""
        if self._guess:
            self._judge(self._guess, address_digest(), right=right)

    def judge_join_code(self, *, right: bool, tenant: str | None) -> None:
        """Count a wrong join code, against its address or the tenant that sends it."""
        if tenant is None:
            self._judge(self._join_code, address_digest(), right=right)
        else:
            self._judge(self._tenants_join_code, tenant, right=right)

    def finish(self, response: Response) -> Response:
        """Count an invalid token like none, and as a wrong guess; add what is left."""
        if response.status_code == HTTPStatus.UNAUTHORIZED and bearer():
            try:
                with suppress(StorageError):
                    if own := self._own.get(_kind()):
                        self._spend(own, address_digest())
                    if self._guess and not g.get("guess_counted"):
                        self._hit(self._guess, address_digest(), right=False)
            except Problem as refusal:
                response = answer_problem(refusal)
        response.headers.extend(g.pop("rate_headers", {}))
        return response

    def _judge(self, limit: RateLimitItem, caller: str, *, right: bool) -> None:
        g.guess_counted = True
        try:
            self._hit(limit, caller, right=right)
        except StorageError as error:
            raise store_unavailable(say("store.uncounted")) from error

    def _hit(self, limit: RateLimitItem, caller: str, *, right: bool) -> None:
        allowed = self._limiter.test if right else self._limiter.hit
        if not allowed(limit, caller):
            raise self._refusal(limit, caller, "limit.guesses")

    def _count(self, kind: str) -> None:
        own = self._own.get(kind)
        if own is None:
            return
        caller, address = _caller(), address_digest()
        # First, so that a refused token does not use up what it shares with others.
        self._spend(own, caller)
        shared = self._shared[kind]
        if caller != address and not self._limiter.hit(shared, address):
            raise self._refusal(shared, address, "limit.address")

    def _spend(self, own: RateLimitItem, caller: str) -> None:
        if not self._limiter.hit(own, caller):
            raise self._refusal(own, caller, "limit.requests")
        self._note_remaining(own, caller)

    def _refusal(self, limit: RateLimitItem, caller: str, message_key: str) -> Problem:
        wait = self._note_remaining(limit, caller)
        detail = say(message_key, amount=limit.amount, seconds=limit.get_expiry(), wait=wait)
        return rate_limited(detail, wait)

    def _note_remaining(self, limit: RateLimitItem, caller: str) -> int:
        """Prepare the headers that say what is left; the seconds until the next window."""
        reset, left = self._limiter.get_window_stats(limit, caller)
        wait = max(1, ceil(reset - time()))
        g.rate_headers = {
            "RateLimit-Policy": f'"{limit.namespace}";q={limit.amount};w={limit.get_expiry()}',
            "RateLimit": f'"{limit.namespace}";r={left};t={wait}',
        }
        return wait


def limit_rates(app: Flask, settings: Settings, client: redis.Redis) -> RateLimits:
    """Count requests against the limits in the settings."""
    limits = RateLimits(settings, client)
    if settings.rate_create or settings.rate_write or settings.rate_read:
        app.before_request(limits.count)
    app.after_request(limits.finish)
    return limits


def _limit(name: str, rate: str, times: int = 1) -> RateLimitItem:
    """So many times the rate; the name is shown in headers."""
    amount, _, window = rate.partition("/")
    limit = parse(f"{int(amount) * times}/{window}")
    limit.namespace = name
    return limit


def _kind() -> str:
    if request.method in {"GET", "HEAD"}:
        return "read"
    if request.method == "OPTIONS":
        return "none"
    return "create" if request.endpoint in _CREATE_ENDPOINTS else "write"


def _caller() -> str:
    """A digest of the token or the address: neither is kept in the store itself.

    Where tokens are not verified, an invented one would do: there they count like none.
    """
    token = bearer() if _verifies_token() else None
    return digest(token) if token else address_digest()


def _verifies_token() -> bool:
    """Whether the operation depends on who calls: all about a game do, and creating one."""
    return "game_id" in (request.view_args or {}) or request.endpoint in _CREATE_ENDPOINTS
