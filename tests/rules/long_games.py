"""Games that go on for as many events as a test wants: the players exchange for ever."""

from functools import cache

from service.rules.actions import Step, create, exchange, place, plays_of
from service.rules.events import Entrant
from service.rules.host_actions import deal
from tests.rules.positions import SEED


@cache
def long_game(length: int, bots: tuple[str | None, ...] = (None, None)) -> tuple[Step, ...]:
    """The steps of a seeded game of this many events, its opening line included."""
    players = [Entrant(f"P{seat}", seat, bot) for seat, bot in enumerate(bots)]
    steps = [create(SEED, players, seeded=True, auto_bid=True)]
    steps.append(deal(steps[-1].game))
    while len(steps) < length:
        game = steps[-1].game
        seat = game.mover
        assert seat is not None
        if game.opening:
            steps.append(place(game, seat, plays_of(game, seat)[0].placements))
        else:
            steps.append(exchange(game, seat, game.player(seat).hand[:1]))
    return tuple(steps)
