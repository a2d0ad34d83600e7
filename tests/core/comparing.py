"""The core and the reference side by side. They must agree play for play and choice for choice.

Run as a program, with the path of a compiled core, it compares that one, many times over:
`python -m tests.core.comparing core.so 500`.
"""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TypeVar

from service import core
from service.bots import BOTS, SHARES, choose
from service.bots.actions import perform
from service.bots.matches import Match, no_clock, play_game
from service.bots.observation import observe
from service.core.legal_plays import first_plays
from service.rules.actions import opening_length, search_terms
from service.rules.board import Board, Placement
from service.rules.legal_plays import SearchTerms, by_points, legal_plays
from service.rules.state import Game
from service.rules.tiles import TILES, WHOLE_BAG, Tile, tile_named
from tests.bots.test_legality import tiny_game
from tests.core.comparing_episodes import compare_episodes
from tests.rules.hostile_position import BOARD, HAND, hostile_game
from tests.rules.random_games import random_game

T = TypeVar("T")

MANY = 1_000_000
# The expert looks further with the core than without.
COMPARED = tuple(bot for bot in BOTS if bot != "expert")
OTHER = (tile_named("blue-circle"), tile_named("blue-star"))


@contextmanager
def engine(native: ModuleType | None) -> Iterator[None]:
    """Everything inside runs with this core, or with none."""
    before, core.native = core.native, native
    try:
        yield
    finally:
        core.native = before


def in_both(call: Callable[[], T]) -> T:
    """What the call gives with the core, checked against what it gives without."""
    assert core.native is not None
    compiled = call()
    with engine(None):
        assert compiled == call()
    return compiled


def compare_plays(terms: SearchTerms) -> None:
    """All plays in the order of finding them, and the first ones in the two other orders."""
    everything = legal_plays(*terms)
    count = len(everything)
    assert first_plays(terms, MANY, "found") == (count, everything)
    best, first = sorted(everything, key=by_points), sorted(everything)
    for limit in (1, 7, MANY):
        assert first_plays(terms, limit, "points") == (count, best[:limit])
        assert first_plays(terms, limit, "reading") == (count, first[:limit])


def compare_choices(game: Game, seat: int, budget: int) -> None:
    """What every bot would do here, whether or not it is the seat's turn; ``hard`` evaluates so
    many positions.
    """
    observation = observe(game, seat)
    budget *= SHARES["hard"]
    for bot in COMPARED:
        in_both(lambda: choose(bot, observation, game.version, budget))  # noqa: B023


def games_in_play(number: int) -> Iterator[Game]:
    """The positions of a random game: from the start or from a set-up, with two to four seats."""
    for _, game in random_game(number):
        if game.phase == "playing":
            yield game


def compare_positions(number: int) -> int:
    """The plays of the mover in every position of a random game; how many positions."""
    count = 0
    for game in games_in_play(number):
        assert game.mover is not None
        compare_plays((game.board, *hand_of(game, game.mover)))
        count += 1
    return count


def hand_of(game: Game, seat: int) -> tuple[tuple[Tile, ...], int | None]:
    return game.player(seat).hand, opening_length(game, seat)


def compare_choices_in(number: int, budget: int, step: int) -> int:
    """The choices of all bots in every so many positions of a random game; how many positions."""
    games = list(islice(games_in_play(number), number % step, None, step))
    for game in games:
        assert game.mover is not None
        compare_choices(game, game.mover, budget)
    return len(games)


def compare_tiny(number: int, budget: int) -> None:
    """Endings and openings with few tiles, each from the seat of everybody in the game."""
    game = tiny_game(Random(f"tiny {number}"))
    for seat in game.active if game else ():
        assert game is not None
        if search_terms(game, seat) is not None:
            compare_choices(game, seat, budget)


def compare_scattered(number: int) -> None:
    """Tiles thrown on the table: islands, broken lines, far apart, in any order."""
    chance = Random(f"scattered {number}")
    reach = chance.choice((2, 4, 8, 60, 200, 500))
    tiles = chance.sample(WHOLE_BAG, chance.randint(0, 40))
    board: dict[int, Tile] = {}
    for tile in tiles:
        cell = 4096 * chance.randint(-reach, reach) + chance.randint(-reach, reach)
        beside = [at + step for at in board for step in (-1, 1, -4096, 4096)]
        board.setdefault(chance.choice(beside) if beside and chance.random() < 0.5 else cell, tile)
    hand = tuple(sorted(chance.choice(TILES) for _ in range(chance.randint(1, 6))))
    terms = (Board(board), hand, None)
    try:
        legal_plays(*terms)
    except (IndexError, KeyError):
        return  # the reference scores no lines of more than six tiles
    compare_plays(terms)


def let_the_expert_choose(number: int) -> None:
    """Its choices in a random game, and in a tiny one, are allowed by the rules."""
    tiny = tiny_game(Random(f"tiny {number}"))
    for game in [*islice(games_in_play(number), number % 9, None, 9), *([tiny] if tiny else [])]:
        if game.mover is not None:
            action = choose("expert", observe(game, game.mover), game.version, 64)
            perform(game, game.mover, action)


def compare_hostile() -> None:
    """The worst known table, each way round, and what bots make of it."""
    for quarter in range(4):
        compare_plays((Board([turned(placed, quarter) for placed in BOARD]), HAND, None))
    for game in (hostile_game(), hostile_game((), OTHER)):
        compare_choices(game, 0, 24)


def turned(placed: Placement, quarter: int) -> Placement:
    """The placement after quarter turns of the table, and moved to a corner of what is allowed."""
    cell, tile = placed
    y, x = divmod(cell + 2048, 4096)
    x -= 2048
    for _ in range(quarter):
        x, y = -y, x
    return (y + 400) * 4096 + x - 400, tile


def compare_games(match: Match) -> None:
    """Whole games, and their records: the core's are made by the rules from its choices."""
    for number in range(match.games):
        in_both(lambda: play_game(match, no_clock, number))  # noqa: B023  # called at once


def main(path: str, rounds: int) -> None:
    spec = importlib.util.spec_from_file_location("service.core._native", Path(path))
    assert spec is not None
    assert spec.loader is not None
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    with engine(native):
        compare_hostile()
        for number in range(rounds):
            compare_positions(number)
            compare_choices_in(number, 8, 9)
            compare_tiny(number, 40)
            compare_scattered(number)
            compare_episodes(number, 2 + number % 3, 8 << number % 7, 20)
            bots = ("hard", "cautious", "easy") if number % 10 == 0 else ("greedy", "random")
            compare_games(Match(bots, 1, f"compared {number}", 64, keep_records=number % 2 == 0))
            let_the_expert_choose(number)
    print(f"{rounds} rounds: the same")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
