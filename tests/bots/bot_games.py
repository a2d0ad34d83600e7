"""Games played by bots, for the tests of the bots."""

from collections.abc import Iterator

from service.bots import choose
from service.bots.actions import Action, perform
from service.bots.observation import observe
from service.rules.actions import create
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.shuffle import secret_from
from service.rules.state import Game

QUICK = 4


def fresh_game(seed: str, seats: int = 2) -> Game:
    """A dealt game at its opening."""
    players = [Entrant(f"P{seat}") for seat in range(seats)]
    return deal(create(secret_from(seed), players, auto_bid=True).game).game


def choice(game: Game, bot: str, budget: int = QUICK) -> Action:
    assert game.mover is not None
    return choose(bot, observe(game, game.mover), game.version, budget)


def played_by(game: Game, bots: tuple[str, ...], budget: int = QUICK) -> Iterator[Game]:
    """The game after every action, seat by seat with these bots, to its end."""
    yield game
    while game.mover is not None:
        action = choice(game, bots[game.mover], budget)
        game = perform(game, game.mover, action).game
        yield game
