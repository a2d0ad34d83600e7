"""Rate limits: off unless configured, shared by all workers through the store.

A caller is its token where it has one, else its address. Creating a game, writing and reading
are counted apart. Whoever has many tokens (tables made for the purpose, tokens renewed, tokens
made up) gets nowhere by them: a token's requests count against its address too, which may send
`QWIRKLE_RATE_ADDRESS` times as many; tokens that are nobody's count like none; and how often an
address may fail to show who it is has a limit of its own.

A wrong guess is counted before its sender is told that it was wrong. Beyond the limit it is
answered like any other request that is limited, and so is a right one where guessing could
succeed: join codes and API keys. So an address learns no more from guesses that are sent at once
than from one after the other. Tokens have 256 bits: a good one was not guessed, and counts as such
whatever else comes from its address.
"""

from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from time import time

import redis
from flask import Flask, Response, g, request
from limits import RateLimitItem, parse
from limits.errors import StorageError
from limits.strategies import FixedWindowRateLimiter

from service.api.auth import bearer
from service.api.client_address import address_digest, digest
from service.api.context import JudgeGuess
from service.api.problems import Problem, answer_problem, store_unavailable
from service.config import Settings
from service.i18n import say
from service.store.rate_limits import RateLimitStorage

_CREATING = ("creation.create_game", "records.fork_game")


@dataclass(frozen=True, slots=True)
class Allowance:
    """So many requests of a kind, under the name that headers give it."""

    name: str
    item: RateLimitItem


class Limits:
    """The limits of a service, and the counters of all who call it."""

    def __init__(self, settings: Settings, counters: RateLimitStorage) -> None:
        self._limiter = FixedWindowRateLimiter(counters)
        rates = {
            "create": settings.rate_create,
            "write": settings.rate_write,
            "read": settings.rate_read,
        }
        self._own = {name: _allowance(name, rate) for name, rate in rates.items() if rate}
        self._shared = {
            name: _allowance(f"{name}-address", rate, settings.rate_address)
            for name, rate in rates.items()
            if rate
        }
        guess = settings.rate_guess
        self._guess = _allowance("guess", guess) if guess else None

    def count(self) -> None:
        """Count a request, or refuse it: `rate_limited`."""
        if not request.path.startswith("/v1/"):
            return
        try:
            self._count(_kind())
        except StorageError as error:
            if not request.path.startswith("/v1/games"):
                return  # it needs no store otherwise, so it is answered uncounted
            raise store_unavailable(say("store.uncounted")) from error

    def judge(self, *, right: bool) -> None:
        """Count a guess if it is wrong; `rate_limited`, right or wrong, after too many of those."""
        g.judged = True
        try:
            self._judge(right=right)
        except StorageError as error:
            raise store_unavailable(say("store.uncounted")) from error

    def charge(self, response: Response) -> Response:
        """Count a token that is nobody's like none, and as a wrong guess, before it is told so."""
        if response.status_code != HTTPStatus.UNAUTHORIZED or not bearer():
            return response
        try:
            with suppress(StorageError):
                if own := self._own.get(_kind()):
                    self._spend(own, address_digest())
                if not g.get("judged"):
                    self._judge(right=False)
        except Problem as refusal:
            return answer_problem(refusal)
        return response

    def tell(self, response: Response) -> Response:
        """Say in the answer what is left."""
        response.headers.extend(g.pop("rate_headers", {}))
        return response

    def _judge(self, *, right: bool) -> None:
        guess = self._guess
        if guess is None:
            return
        allowed = self._limiter.test if right else self._limiter.hit
        if not allowed(guess.item, guess.name, address_digest()):
            self._tell_rest(guess, address_digest())
            raise self._refusal(guess, "limit.guesses")

    def _count(self, kind: str) -> None:
        own = self._own.get(kind)
        if own is None:
            return
        caller, address = _caller(), address_digest()
        # First: what is refused to one token uses up nothing that it shares with others.
        self._spend(own, caller)
        shared = self._shared[kind]
        if caller != address and not self._limiter.hit(shared.item, shared.name, address):
            self._tell_rest(shared, address)
            raise self._refusal(shared, "limit.address")

    def _spend(self, own: Allowance, caller: str) -> None:
        allowed = self._limiter.hit(own.item, own.name, caller)
        self._tell_rest(own, caller)
        if not allowed:
            raise self._refusal(own, "limit.requests")

    def _tell_rest(self, allowance: Allowance, caller: str) -> None:
        reset, left = self._limiter.get_window_stats(allowance.item, allowance.name, caller)
        item, wait = allowance.item, max(1, ceil(reset - time()))
        g.rate_wait = wait
        g.rate_headers = {
            "RateLimit-Policy": f'"{allowance.name}";q={item.amount};w={item.get_expiry()}',
            "RateLimit": f'"{allowance.name}";r={left};t={wait}',
        }

    def _refusal(self, allowance: Allowance, words: str) -> Problem:
        item, wait = allowance.item, g.rate_wait
        detail = say(words, amount=item.amount, seconds=item.get_expiry(), wait=wait)
        return Problem("rate_limited", detail, headers={"Retry-After": str(wait)})


def limit_rates(app: Flask, settings: Settings, client: redis.Redis) -> JudgeGuess:
    """Count requests against the limits that are set; returns who judges guesses."""
    limits = Limits(settings, RateLimitStorage(client))
    app.before_request(limits.count)
    app.after_request(limits.tell)
    app.after_request(limits.charge)
    return limits.judge


def _allowance(name: str, rate: str, times: int = 1) -> Allowance:
    amount, _, window = rate.partition("/")
    return Allowance(name, parse(f"{int(amount) * times}/{window}"))


def _kind() -> str:
    if request.method in {"GET", "HEAD"}:
        return "read"
    if request.method == "OPTIONS":
        return "none"
    return "create" if request.endpoint in _CREATING else "write"


def _caller() -> str:
    """The token, or else the address, as a digest: neither belongs into the store.

    Where no token is looked at, any made-up one would do: there it counts like none.
    """
    token = bearer() if _looks_at_token() else None
    return digest(token) if token else address_digest()


def _looks_at_token() -> bool:
    """Whether what is asked for depends on who asks: everything about a game, and creating one."""
    return "game_id" in (request.view_args or {}) or request.endpoint in _CREATING
