"""What is kept of a request once it is answered: its numbers, and its line in the log.

Every request pays for this, so it is one call that does little: a look at what is known of
requests of this kind, three additions, a line made from parts, and no system call.
"""

import time
from collections.abc import Callable
from typing import Final, NamedTuple

from service.telemetry import metrics
from service.telemetry.logging import OUTPUT, Format, format_for, stamp

UNMATCHED: Final = "unmatched"
"""The route of whatever has none: what such paths hold is for no log."""

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
_PROBES: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""Asked every few seconds by machines: logged only when they fail, or at the level debug."""

_RANKS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
_GAME_ID: Final = 26
_BRACES: Final = str.maketrans("<>", "{}")


def route_of(rule: str | None) -> str:
    """A route as the contract writes it, from the rule that Flask has found, if there is one."""
    return UNMATCHED if rule is None else rule.replace("<path:", "<").translate(_BRACES)


def could_be_game(game_id: str) -> bool:
    """Whether this has the form of a game's id, and so is fit for a log."""
    return len(game_id) == _GAME_ID and game_id.isascii() and game_id.isalnum()


class _Kind(NamedTuple):
    """Requests of one route, method and status: where they are counted, how their lines begin.

    ``head`` is None where no line is written.
    """

    increment: Callable[[], None]
    observe: Callable[[float], None]
    head: str | None


class RequestNotes:
    """Takes note of requests in the way that the settings ask for."""

    def __init__(self, level: str, format_: Format | None, *, access_log: bool) -> None:
        self._least = _RANKS[level] if access_log else _RANKS["critical"] + 1
        self._format = format_for(format_)
        self._kinds: dict[tuple[str | None, str, int], _Kind] = {}
        self._second = 0
        self._stamp = ""

    def note(
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

        ``rule`` is the route as Flask writes it, None if there is none; ``seat`` is the
        caller's, None for everybody without one.
        """
        kind = self._kinds.get((rule, method, status))
        if kind is None:
            # Kept under the names we know alone: a client can make up others without end.
            named = method if method in _METHODS else "other"
            kind = self._kinds.get((rule, named, status)) or self._kind(rule, named, status)
            self._kinds[rule, named, status] = kind
        kind.increment()
        kind.observe(seconds)
        if kind.head is None:
            return
        now = time.time()
        if int(now) != self._second:
            self._second, self._stamp = int(now), stamp(now)[:-4]
        # What a client has sent as an id is in the log only if it can be one.
        known = game_id and could_be_game(game_id)
        milliseconds = int((now - self._second) * 1000)
        if self._format == "json":
            game = f'"{game_id}"' if known else "null"
            chair = "null" if seat is None else seat
            line = (
                f'{{"time":"{self._stamp}{milliseconds:03}Z",{kind.head}'
                f'"request_id":"{request_id}","game":{game},"seat":{chair},'
                f'"duration_ms":{seconds * 1000:.3f}}}\n'
            )
        else:
            game = f" game {game_id}" if known else ""
            chair = "" if seat is None else f" seat {seat}"
            line = (
                f"{self._stamp}{milliseconds:03}Z {kind.head} {seconds * 1000:.1f} ms"
                f"{game}{chair} request {request_id}\n"
            )
        OUTPUT.write(line.encode())

    def _kind(self, rule: str | None, named: str, status: int) -> _Kind:
        route = route_of(rule)
        level = "error" if status == 500 else "warning" if status > 500 else "info"
        if route in _PROBES and status < 400:
            level = "debug"
        if _RANKS[level] < self._least:
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
