"""What happens if a player runs out of time: the weakest legal move is made for them.

The choice depends on the state alone, so that every process makes the same one: the bid of the
hand's longest line; an exchange of one tile; for the opener, and with an empty bag, the play of
fewest points. After three timeouts in a row, or once the game has reached its maximum length,
the player leaves.
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
    """The step for the player that the game waits for; None if it waits for nobody.

    It takes little work on any board: many players may run out of time at once.
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
    """The seat to move, or the lowest one that has yet to bid."""
    if game.phase == "bidding":
        return next(seat for seat, player in game.active.items() if player.bid is None)
    return game.mover


def seat_to_remove(game: Game) -> int | None:
    """A seat whose player has to leave after too many timeouts in a row."""
    if game.phase not in {"bidding", "playing"}:
        return None
    timed_out = (seat for seat, player in game.active.items() if player.timeouts >= MOST_TIMEOUTS)
    return next(timed_out, None)
