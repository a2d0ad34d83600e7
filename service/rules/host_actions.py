"""What the host may do to a waiting table, up to the deal.

Raises what the players' actions raise.
"""

from service.rules.actions import Step, require_phase, require_seat, require_short_wait, step_of
from service.rules.english_texts import message
from service.rules.errors import Malformed, RulesBroken, Untimely, Violation
from service.rules.events import Dealt, Resigned, Updated
from service.rules.reducer import reduce
from service.rules.state import FEWEST_SEATS, MOST_SEATS, Game


def update(game: Game, seats: int | None = None) -> Step:
    """Change the table: it gets so many seats, or keeps those it has.

    Nobody loses a seat by it, and nobody is moved to another one.
    """
    count = len(game.players) if seats is None else seats
    if type(count) is not int or not FEWEST_SEATS <= count <= MOST_SEATS:
        raise Malformed(f"a game has {FEWEST_SEATS} to {MOST_SEATS} seats, not {count!r:.20}")
    require_phase(game, "waiting")
    require_short_wait(game)
    if game.positioned and count != len(game.players):
        fixed: dict[str, int | str] = {"reason": "seats_fixed", "seats": len(game.players)}
        raise RulesBroken((Violation("setup_impossible", facts=fixed),))
    lost = [seat for seat in game.seated if seat >= count]
    if lost:
        facts = {"given": count, "least": max(lost) + 1}
        raise RulesBroken((Violation("seats_taken", facts=facts),))
    return step_of(game, Updated(game.version + 1, count))


def remove(game: Game, seat: int) -> Step:
    """Remove a player: the seat is open again."""
    require_seat(game, seat, "waiting")
    return step_of(game, Resigned(game.version + 1, seat, removed=True))


def deal(game: Game, entropy: str | None = None) -> Step:
    """Shuffle all 108 tiles; each player draws six. ``entropy`` is added to the seed before."""
    require_phase(game, "waiting")
    if game.open_seats:
        seats = ", ".join(map(str, game.open_seats))
        raise Untimely("seats_open", message("moment.seats_open", seats=seats))
    number = game.version + 1
    after = reduce(game, Dealt(number, (), entropy))
    hands = tuple(player.hand for player in after.seated.values())
    return Step(Dealt(number, hands, entropy), after)
