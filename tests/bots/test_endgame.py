"""Once the bag is empty the expert plays small endings exactly: no play leads to more."""

from itertools import count
from random import Random

import pytest

from service.bots import choose
from service.bots.actions import perform
from service.bots.observation import observe
from service.rules.actions import create, may_play, pass_turn, place, plays_of
from service.rules.events import Entrant
from service.rules.legal_plays import any_play
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG
from tests.bots.bot_games import fresh_game, played_by

PLENTY = 100_000
ENDINGS = 16


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


def small_ending(number: int) -> Game:
    """A table after a few turns, with two small hands of which the first has a play, no bag."""
    for attempt in count():
        chance = Random(f"{number} {attempt}")
        games = list(played_by(fresh_game(f"ending {number} {attempt}"), ("greedy", "random")))
        board = games[chance.randint(3, 6)].board
        rest = list(WHOLE_BAG)
        for tile in board.tiles.values():
            rest.remove(tile)
        chance.shuffle(rest)
        mine, others = chance.choice(((2, 2), (2, 2), (2, 1), (3, 1), (1, 3)))
        if not any_play(board, rest[:mine]):
            continue
        setup = Setup(
            board=tuple(board.tiles.items()),
            hands=(tuple(rest[:mine]), tuple(rest[mine : mine + others])),
            bag=(),
            turn=0,
        )
        return create(secret_from("e"), [Entrant("one"), Entrant("two")], setup=setup).game
    raise AssertionError("counting never ends")


@pytest.mark.parametrize("number", range(ENDINGS))
def test_the_expert_ends_small_endings_as_well_as_trying_everything_does(number: int) -> None:
    game = small_ending(number)
    action = choose("expert", observe(game, 0), number, PLENTY)
    assert lead_after(perform(game, 0, action).game, 0) == lead_after(game, 0)


def test_taking_the_most_points_is_not_always_best_in_the_end() -> None:
    games = [small_ending(number) for number in range(ENDINGS)]
    greedy = [perform(game, 0, choose("greedy", observe(game, 0), 0)).game for game in games]
    behind = [
        lead_after(game, 0) - lead_after(after, 0)
        for game, after in zip(games, greedy, strict=True)
    ]
    assert min(behind) == 0 < max(behind)


def test_a_search_that_runs_out_of_looks_still_has_a_play() -> None:
    for number in range(ENDINGS):
        game = small_ending(number)
        for budget in (1, 2, 5):
            action = choose("expert", observe(game, 0), number, budget)
            assert perform(game, 0, action).game.version == game.version + 1
