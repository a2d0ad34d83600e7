"""The first legal plays of a hand and how many there are, by the core or by the rules."""

from collections import deque
from heapq import nsmallest
from itertools import islice
from typing import Literal

from service import core
from service.rules.actions import search_terms
from service.rules.legal_plays import SearchTerms, by_points, each_play
from service.rules.lines import Line
from service.rules.plays import Play
from service.rules.state import Game
from service.rules.tiles import kinds_of
from service.rules.yielding import Pause, no_pause

Order = Literal["found", "reading", "points"]

_ORDERS: tuple[Order, ...] = ("found", "reading", "points")


def first_plays_of(
    game: Game, seat: int, limit: int, order: Order, pause: Pause = no_pause
) -> tuple[int, list[Play]]:
    """How many legal plays this seat has, even out of turn, and the first of them in this order.

    ``pause`` is called every few milliseconds. The order ``found`` is that of ``each_play``.
    """
    terms = search_terms(game, seat)
    return (0, []) if terms is None else first_plays(terms, limit, order, pause)


def first_plays(
    terms: SearchTerms, limit: int, order: Order, pause: Pause = no_pause
) -> tuple[int, list[Play]]:
    """The same for any board and hand."""
    if core.native is None:
        return _first_by_the_rules(terms, limit, order, pause)
    board, hand, opening = terms
    try:
        found: tuple[int, list[Play]] = core.native.find_plays(
            board.tiles, kinds_of(hand), opening or 0, _ORDERS.index(order), limit,
            pause, Play, Line,
        )  # fmt: skip
    except OverflowError:
        return _first_by_the_rules(terms, limit, order, pause)
    return found


def _first_by_the_rules(
    terms: SearchTerms, limit: int, order: Order, pause: Pause
) -> tuple[int, list[Play]]:
    count = 0

    def counted(play: Play) -> Play:
        nonlocal count
        count += 1
        return play

    plays = map(counted, each_play(*terms, pause))
    if order == "found":
        first = list(islice(plays, limit))
        deque(plays, maxlen=0)  # counts the others
    else:
        first = nsmallest(limit, plays, key=by_points if order == "points" else None)
    return count, first
