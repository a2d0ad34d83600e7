"""The list of legal plays, found and written in pieces: a hostile table has 35,000 of them."""

from heapq import nsmallest
from itertools import islice

import orjson

from service.api.serializers import Shape, lines_shape, placements_shape
from service.rules.actions import each_play_of, may_exchange, may_pass
from service.rules.legal_plays import by_points
from service.rules.pauses import Pause
from service.rules.plays import Play
from service.rules.state import Game

_AT_ONCE = 100
"""Plays written between two pauses: some 3 ms."""


def legal_plays_shape(game: Game, seat: int, limit: int, pause: Pause, *, points: bool) -> Shape:
    """The first plays in reading order, or by ``points``; how many there are; what else is open."""
    count = 0

    def counted(play: Play) -> Play:
        nonlocal count
        count += 1
        return play

    found = map(counted, each_play_of(game, seat, pause))
    first = nsmallest(limit, found, key=by_points if points else None)
    return {
        "count": count,
        "plays": _written(first, pause),
        "may_exchange": may_exchange(game, seat),
        "may_pass": not count and may_pass(game, seat),
    }


def _written(plays: list[Play], pause: Pause) -> orjson.Fragment:
    """The plays as JSON; written piece by piece, which also keeps few objects at a time."""
    pieces: list[bytes] = []
    rest = iter(plays)
    while some := list(islice(rest, _AT_ONCE)):
        if pieces:
            pause()
        pieces.append(orjson.dumps(list(map(_play_shape, some)))[1:-1])
    return orjson.Fragment(b"[" + b",".join(pieces) + b"]")


def _play_shape(play: Play) -> Shape:
    return {
        "placements": placements_shape(play.placements),
        "points": play.points,
        "lines": lines_shape(play.lines),
    }
