"""Events: each action gives one, and applying them in order gives the state.

``n`` numbers the events of a game from 1. ``timeout`` says that the player ran out of time and
this was done for them. The last event of a game says how it ended.
"""

from dataclasses import dataclass

from service.rules.board import Placement
from service.rules.errors import Malformed
from service.rules.lines import Line
from service.rules.starting_position import Setup
from service.rules.state import End
from service.rules.tiles import Tile


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who takes a seat. Only the order of ages matters, and only to break a tie of bids.

    ``bot`` names the kind of bot that plays this seat; the rules treat it like any player.
    """

    name: str
    age: int | None = None
    bot: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A game was created; ``players`` take its first seats."""

    edition: str
    seats: int
    players: tuple[Entrant, ...]
    secret: bytes
    seeded: bool = False
    auto_bid: bool = False
    setup: Setup | None = None
    n: int = 1


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody took an open seat, and may have added entropy to the draws."""

    n: int
    seat: int
    player: Entrant
    entropy: str | None = None


@dataclass(frozen=True, slots=True)
class Updated:
    """The host changed the table while it was waiting; it has so many ``seats`` now."""

    n: int
    seats: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """The bag was shuffled and every player drew six, seat 0 first; ``hands`` in kind order.

    The host may have added entropy to the draws.
    """

    n: int
    hands: tuple[tuple[Tile, ...], ...]
    entropy: str | None = None


@dataclass(frozen=True, slots=True)
class Bid:
    """A player declared the length of the longest line in their hand."""

    n: int
    seat: int
    length: int
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """A player placed tiles and drew; ``points`` for the lines, ``bonus`` for ending the game."""

    n: int
    seat: int
    placements: tuple[Placement, ...]
    points: int
    lines: tuple[Line, ...]
    bonus: int
    drew: tuple[Tile, ...]
    end: End | None = None
    winners: tuple[int, ...] = ()
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A player set tiles aside, drew as many others, then returned them to the bag."""

    n: int
    seat: int
    returned: tuple[Tile, ...]
    drew: tuple[Tile, ...]
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Passed:
    """A player could neither place nor exchange."""

    n: int
    seat: int
    end: End | None = None
    winners: tuple[int, ...] = ()
    timeout: bool = False


@dataclass(frozen=True, slots=True)
class Resigned:
    """A player left: for good or, before the game started, so that the seat is open again.

    ``removed`` says that the host removed the player.
    """

    n: int
    seat: int
    end: End | None = None
    winners: tuple[int, ...] = ()
    timeout: bool = False
    removed: bool = False


ByPlayer = Bid | Played | Exchanged | Passed | Resigned
Event = Created | Joined | Updated | Dealt | Bid | Played | Exchanged | Passed | Resigned


def check_entrant(entrant: object) -> None:
    """Raise Malformed unless this is an entrant with values of the right types."""
    if not isinstance(entrant, Entrant) or not isinstance(entrant.name, str):
        raise Malformed(f"{entrant!r:.60} is not an entrant")
    if entrant.age is not None and type(entrant.age) is not int:
        raise Malformed(f"{entrant.age!r:.20} is not an age")
    if entrant.bot is not None and not isinstance(entrant.bot, str):
        raise Malformed(f"{entrant.bot!r:.20} is not a kind of bot")
