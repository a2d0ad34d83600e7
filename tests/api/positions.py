"""Games in positions that many tests start from."""

from typing import Any

from tests.api.client import Client, Table

# Seat 0 can lay the red diamond at (2, 0); nobody's hand is empty soon; the bag is full enough.
ROW = "ro rs"
HAND = "rd bo y* gc px oo"
OTHER = "rc yo b* gs pd ox"
BAG = "gx gd b* yx oc ps"


def in_play(client: Client, **choices: object) -> Table:
    """Two players, a row of two reds, seat 0 to move."""
    return client.position(ROW, HAND, OTHER, **{"bag": BAG, **choices})


def at_the_bids(client: Client, **choices: object) -> Table:
    """Two players whose longest lines are of 3 (seat 0) and of 2 (seat 1)."""
    hands = ("ro rs rd bo y* gc", "bs bd go ys pc ox")
    return client.position("", *hands, **{"bag": BAG, **choices})


def waiting(
    client: Client, seats: int = 3, players: int | list[Any] = 2, **choices: object
) -> Table:
    """A game with open seats."""
    return client.create(players=players, seats=seats, **choices)


def finished(client: Client, **choices: object) -> Table:
    """A game that has ended by the last player's leaving."""
    table = in_play(client, **choices)
    table.resign(1).ok(201)
    return table
