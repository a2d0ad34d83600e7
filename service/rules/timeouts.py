"""What is done in the place of a player who lets the time run out.

Always the least that the rules allow, chosen so that everybody who looks at the same state
chooses the same: the bid that the hand has anyway; for the opener, and with an empty bag,
the play of fewest points; else an exchange of one tile. After three in a row, or where the
game may get no longer, the player leaves.
"""

from service.rules.actions import (
    Step,
    bid,
    exchange,
    least_of,
    may_exchange,
    pass_turn,
    place,
    resign,
)
from service.rules.lines import longest_line
from service.rules.state import Game

MOST_TIMEOUTS = 3


def timeout_step(game: Game) -> Step | None:
    """What is done for whoever keeps the game waiting; None while nobody does.

    It takes little work on any table: many may run out of time at once.
    """
    seat = awaited_seat(game)
    if seat is None:
        return None
    if game.too_long:
        return resign(game, seat, timeout=True)
    if game.phase == "bidding":
        return bid(game, seat, longest_line(game.player(seat).hand), timeout=True)
    if may_exchange(game, seat):
        return exchange(game, seat, game.player(seat).hand[:1], timeout=True)
    least = least_of(game, seat)
    if least is None:
        return pass_turn(game, seat, timeout=True)
    return place(game, seat, least.placements, timeout=True)


def awaited_seat(game: Game) -> int | None:
    """The seat in turn, or the lowest one whose bid is missing."""
    if game.phase == "bidding":
        return next(seat for seat, player in game.active.items() if player.bid is None)
    return game.mover


def seat_to_remove(game: Game) -> int | None:
    """The seat whose player has to leave after too many timeouts in a row."""
    if game.phase not in {"bidding", "playing"}:
        return None
    late = (seat for seat, player in game.active.items() if player.timeouts >= MOST_TIMEOUTS)
    return next(late, None)
