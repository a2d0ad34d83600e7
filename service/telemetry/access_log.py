"""The metrics and the log line of each request.

Every request pays for this, so lines are put together from prepared parts, and written later.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from service.telemetry import metrics
from service.telemetry.logging import STDOUT, Format, format_for, timestamp

UNMATCHED: Final = "unmatched"
"""Stands for every path without a route: such paths may contain anything, and are not logged."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
_PROBES: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""Requested every few seconds by machines: logged when they fail, or at level debug."""

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_GAME_ID: Final = 26
_BRACES: Final = str.maketrans("<>", "{}")


def route_of(rule: str | None) -> str:
    """The route as `openapi.yaml` writes it, from the rule that matched in Flask, if any."""
    return UNMATCHED if rule is None else rule.replace("<path:", "<").translate(_BRACES)


def could_be_game(game_id: str) -> bool:
    """Whether this has the form of a game id, so that it may be logged."""
    return len(game_id) == _GAME_ID and game_id.isascii() and game_id.isalnum()


class _Kind(NamedTuple):
    """What requests of one route, method and status have in common.

    ``head`` is the start of their log lines, None if they are not logged.
    """

    increment: Callable[[], None]
    observe: Callable[[float], None]
    head: str | None


class AccessLog:
    """Counts requests and logs them as the settings say."""

    def __init__(self, level: str, format_: Format | None, *, access_log: bool) -> None:
        self._level = _LEVELS[level] if access_log else _LEVELS["critical"] + 1
        self._format = format_for(format_)
        self._kinds: dict[tuple[str | None, str, int], _Kind] = {}
        self._second = 0
        self._second_text = ""

    def record(
        self,
        rule: str | None,
        method: str,
        status: int,
        seconds: float,
        *,
        request_id: str,
        game_id: str | None = None,
        seat: int | None = None,
    ) -> None:
        """Count a request and write its line.

        ``rule`` is the route as Flask writes it, None if none matched; ``seat`` is the caller's,
        None for callers without a seat.
        """
        kind = self._kinds.get((rule, method, status))
        if kind is None:
            # Kept by known methods only: clients can make up any number of others.
            named = method if method in _METHODS else "other"
            kind = self._kinds.get((rule, named, status)) or self._kind(rule, named, status)
            self._kinds[rule, named, status] = kind
        kind.increment()
        kind.observe(seconds)
        if kind.head is None:
            return
        now = time.time()
        if int(now) != self._second:
            self._second, self._second_text = int(now), timestamp(now)[:-4]
        valid = game_id and could_be_game(game_id)
        milliseconds = int((now - self._second) * 1000)
        if self._format == "json":
            game = f'"{game_id}"' if valid else "null"
            seat_text = "null" if seat is None else seat
            line = (
                f'{{"time":"{self._second_text}{milliseconds:03}Z",{kind.head}'
                f'"request_id":"{request_id}","game":{game},"seat":{seat_text},'
                f'"duration_ms":{seconds * 1000:.3f}}}\n'
            )
        else:
            game = f" game {game_id}" if valid else ""
            seat_text = "" if seat is None else f" seat {seat}"
            line = (
                f"{self._second_text}{milliseconds:03}Z {kind.head} {seconds * 1000:.1f} ms"
                f"{game}{seat_text} request {request_id}\n"
            )
        STDOUT.write(line.encode())

    def _kind(self, rule: str | None, named: str, status: int) -> _Kind:
        route = route_of(rule)
        level = "error" if status == 500 else "warning" if status > 500 else "info"
        if route in _PROBES and status < 400:
            level = "debug"
        if _LEVELS[level] < self._level:
            head = None
        elif self._format == "json":
            head = (
                f'"level":"{level}","message":"{named} {route} {status}","route":"{route}",'
                f'"method":"{named}","status":{status},'
            )
        else:
            head = f"{level.upper()} {named} {route} {status}"
        increment = metrics.REQUESTS.labels(route, named, str(status)).inc
        return _Kind(increment, metrics.REQUEST_SECONDS.labels(route, named).observe, head)
