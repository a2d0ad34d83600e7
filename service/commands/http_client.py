"""A table of a service somewhere else, reached by the public interface alone.

Every action has a key of its own and names the version that it was made for: however often
it has to be sent until an answer comes back, it happens once or not at all.
"""

import json
import time
from collections.abc import Iterable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

from service.bots import Observation
from service.rules.board import Board, Placement
from service.rules.cells import cell_at
from service.rules.record.write import placement_document
from service.rules.tiles import COPIES, NAMES, TILES, Tile, tile_named

View = dict[str, Any]

_WAIT_SECONDS = 25
_TIMEOUT = 40
_LONGEST_PAUSE = 3.0
_MOVED_ON = (409, 412)
_PASSING = (429, 500, 502, 503, 504)


class NoTable(Exception):
    """The table cannot be played at (any more); the message says why."""


class RemoteTable:
    """One game as the bearer of one token sees it; ``url`` is a `game_address`.

    ``patience`` is for how many seconds a request is tried again while the service is away.
    """

    def __init__(self, url: str, token: str, patience: float) -> None:
        self._url = url
        self._token = token
        self._patience = patience
        self._etag: str | None = None

    def look(self) -> View:
        """The game as it is now."""
        return self._ask("GET", "", None, {}) or {}

    def wait(self, version: int) -> None:
        """Return when something has happened since this version, or after a while."""
        self._ask("GET", f"/events?after={version}&limit=1&wait={_WAIT_SECONDS}", None, {})

    def passed(self, view: View) -> tuple[int, ...]:
        """Who has had to pass since the last placement; nobody can while the bag holds tiles."""
        if view["bag_count"]:
            return ()
        seats = []
        # More turns than seats cannot have passed since: the game would have ended.
        before = max(0, view["turn"]["number"] - 1 - view["seats"])
        sheet = self._ask("GET", f"/score?after={before}", None, {}) or {}
        for turn in reversed(sheet["turns"]):
            if turn["type"] != "passed":
                break
            seats.append(turn["seat"])
        return tuple(sorted(seats))

    def act(self, what: str, body: Mapping[str, object]) -> View | None:
        """Do something once; None if the game has moved on, so that it is time to look again."""
        heads = {"Idempotency-Key": uuid4().hex}
        if self._etag:
            heads["If-Match"] = self._etag
        return self._ask("POST", f"/{what}", body, heads)

    def _ask(
        self, method: str, path: str, body: Mapping[str, object] | None, heads: Mapping[str, str]
    ) -> View | None:
        give_up = time.monotonic() + self._patience
        pause = 0.2
        while True:
            try:
                return self._send(method, path, body, heads)
            except HTTPError as error:
                if error.code in _MOVED_ON:
                    time.sleep(pause)  # whoever came first may not be done yet
                    return None
                if error.code not in _PASSING:
                    raise NoTable(_reason(error)) from error
                pause = max(pause, _seconds(error.headers.get("Retry-After")))
                reason = f"the service answers {error.code}"
            except (OSError, HTTPException, ValueError) as error:
                reason = f"the service cannot be reached: {error}"
            if time.monotonic() + pause > give_up:
                raise NoTable(reason)
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _send(
        self, method: str, path: str, body: Mapping[str, object] | None, heads: Mapping[str, str]
    ) -> View:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._url + path, data, dict(heads), method=method)  # noqa: S310  # http(s), as checked
        request.add_header("Authorization", f"Bearer {self._token}")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        with urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310  # http(s), as checked
            view: View = json.loads(answer.read())
            if method == "GET" and not path:
                self._etag = answer.headers.get("ETag")
            return view


def sight_from(view: View, passed: tuple[int, ...]) -> Observation:
    """What a game view shows a player in turn, as bots look at it."""
    you, turn, players = view["you"], view["turn"], view["players"]
    hand = tuple(sorted(tile_named(tile) for tile in you["hand"]))
    board = Board(
        (cell_at(each["x"], each["y"]), tile_named(each["tile"])) for each in view["board"]
    )
    unseen = [COPIES - hand.count(tile) for tile in TILES]
    for tile in board.tiles.values():
        unseen[tile] -= 1
    bag = view["bag_count"]
    active = tuple(player["seat"] for player in players if not player["resigned"])
    opening = players[you["seat"]]["bid"] if turn["opening"] else None
    return Observation(
        seat=you["seat"],
        mover=turn["seat"],
        turn=turn["number"],
        hand=hand,
        board=board,
        unseen=tuple(unseen),
        bag=bag,
        held=tuple(player["hand_count"] for player in players),
        scores=tuple(player["score"] for player in players),
        active=active,
        passed=tuple(seat for seat in passed if seat in active),
        opening=opening,
        may_exchange=0 if turn["opening"] else min(len(hand), bag),
    )


def placements(placed: Iterable[Placement]) -> list[dict[str, Any]]:
    """Placements as requests have them."""
    return [placement_document(placement) for placement in placed]


def names(tiles: Iterable[Tile]) -> list[str]:
    """Tiles as requests have them."""
    return [NAMES[tile] for tile in tiles]


def _reason(error: HTTPError) -> str:
    try:
        return f"the service refuses ({error.code}): {json.loads(error.read())['detail']}"
    except (OSError, ValueError, KeyError, TypeError):
        return f"the service refuses with {error.code}"


def _seconds(header: str | None) -> float:
    return float(header) if header is not None and header.isdecimal() else 0.0
