"""The list of legal plays, found and serialized in batches: a hostile game has 35,000."""

from itertools import islice

import orjson

from service.api.rules_json import Document, serialize_lines, serialize_placements
from service.core.legal_plays import Order, first_plays_of
from service.rules.actions import may_exchange, may_pass
from service.rules.plays import Play
from service.rules.state import Game
from service.rules.yielding import Pause

_AT_ONCE = 100
"""Plays serialized between two pauses: about 3 ms."""


def serialize_legal_plays(
    game: Game, seat: int, limit: int, pause: Pause, *, points: bool
) -> Document:
    """The first plays in reading order, or by ``points``; their count; other possible actions."""
    order: Order = "points" if points else "reading"
    count, first = first_plays_of(game, seat, limit, order, pause)
    return {
        "count": count,
        "plays": _written(first, pause),
        "may_exchange": may_exchange(game, seat),
        "may_pass": not count and may_pass(game, seat),
    }


def _written(plays: list[Play], pause: Pause) -> orjson.Fragment:
    """The plays as JSON; in batches, so that few objects exist at a time."""
    pieces: list[bytes] = []
    rest = iter(plays)
    while some := list(islice(rest, _AT_ONCE)):
        if pieces:
            pause()
        pieces.append(orjson.dumps(list(map(_serialize_play, some)))[1:-1])
    return orjson.Fragment(b"[" + b",".join(pieces) + b"]")


def _serialize_play(play: Play) -> Document:
    return {
        "placements": serialize_placements(play.placements),
        "points": play.points,
        "lines": serialize_lines(play.lines),
    }
