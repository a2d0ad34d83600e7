"""Once the bag is empty the expert plays small endings exactly: no play leads to more."""

from random import Random

import pytest

from service.bots import choose, sight_of
from service.rules.actions import create, may_play, pass_turn, place, plays_of
from service.rules.draw import seed_from
from service.rules.events import Entrant
from service.rules.game import Game
from service.rules.setup import Setup
from service.rules.tiles import WHOLE_BAG
from service.simulation import carry_out
from tests.bots.tables import course, fresh_game

PLENTY = 100_000


def lead_after(game: Game, seat: int) -> int:
    """By trying everything: how many points this seat is ahead in the end if both play best."""
    if game.mover is None:
        return game.player(seat).score - game.player(1 - seat).score
    sign = 1 if game.mover == seat else -1
    if not may_play(game, game.mover):
        return lead_after(pass_turn(game, game.mover).game, seat)
    plays = plays_of(game, game.mover)
    return sign * max(
        sign * lead_after(place(game, game.mover, play.placements).game, seat) for play in plays
    )


def small_ending(number: int) -> Game | None:
    """A table after a few greedy turns, with two small hands and no bag."""
    chance = Random(number)
    games = list(course(fresh_game(f"ending {number}"), ("greedy", "random")))
    board = games[chance.randint(3, 6)].board
    rest = list(WHOLE_BAG)
    for tile in board.tiles.values():
        rest.remove(tile)
    chance.shuffle(rest)
    mine, others = chance.choice(((1, 2), (2, 1), (2, 2), (3, 1), (1, 3)))
    setup = Setup(
        board=tuple(board.tiles.items()),
        hands=(tuple(rest[:mine]), tuple(rest[mine : mine + others])),
        bag=(),
        turn=0,
    )
    game = create(seed_from("e"), [Entrant("one"), Entrant("two")], setup=setup).game
    return game if game.mover == 0 and may_play(game, 0) else None


@pytest.mark.parametrize("number", range(12))
def test_the_expert_ends_small_endings_as_well_as_trying_everything_does(number: int) -> None:
    game = small_ending(number)
    if game is None:
        pytest.skip("the first hand has no play here")
    action = choose("expert", sight_of(game, 0), number, PLENTY)
    assert lead_after(carry_out(game, 0, action).game, 0) == lead_after(game, 0)
