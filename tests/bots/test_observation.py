"""A bot knows what its seat may see, and nothing else."""

import ast
from dataclasses import fields
from itertools import islice
from pathlib import Path

import pytest

import service.bots
from service.bots import BOTS, choose
from service.bots.observation import Observation, observe
from service.rules.actions import resign
from service.rules.board import Board
from service.rules.shuffle import secret_from
from service.rules.state import Game
from service.rules.tiles import COPIES
from tests.bots.bot_games import fresh_game, played_by

# Whole games, matches in several processes and their statistics are not bots.
MODULES = sorted(
    path
    for path in Path(service.bots.__file__).parent.glob("*.py")
    if path.stem not in {"bot_game", "matches", "ratings", "standings"}
)


def positions(seed: str, seats: int) -> list[Game]:
    """Every seventh position of a game, the first and late ones among them."""
    games = list(played_by(fresh_game(seed, seats), ("greedy",) * seats))
    return [game for game in games[:: 5 + seats] if game.mover is not None]


def twin_of(game: Game) -> Game:
    """The same table from the mover's seat, with all that is hidden dealt the other way round."""
    assert game.mover is not None
    hidden = list(game.bag)
    for seat, player in game.seated.items():
        hidden += player.hand if seat != game.mover else ()
    hidden.reverse()
    players = []
    for seat, player in game.seated.items():
        if seat == game.mover:
            players.append(player)
            continue
        count = len(player.hand)
        players.append(player._replace(hand=tuple(sorted(hidden[:count])), name="someone else"))
        hidden = hidden[count:]
    tiles = dict(reversed(game.board.tiles.items()))
    return game._replace(
        players=tuple(players),
        bag=tuple(hidden),
        board=Board(tiles),
        laid=game.laid[::-1],
        seed=secret_from("another seed"),
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_twin_positions_look_the_same_and_get_the_same_choice(seats: int) -> None:
    differing = 0
    for game in positions(f"twins {seats}", seats):
        assert game.mover is not None
        twin = twin_of(game)
        differing += twin.bag != game.bag or twin.players != game.players
        observations = observe(game, game.mover), observe(twin, game.mover)
        assert observations[0] == observations[1]
        for bot in BOTS:
            assert choose(bot, observations[0], 5, 12) == choose(bot, observations[1], 5, 12)
    assert differing


def test_an_observation_has_no_field_that_reveals_a_hidden_thing() -> None:
    assert {field.name for field in fields(Observation)} == {
        "seat", "mover", "turn", "hand", "board", "unseen", "bag", "held", "scores", "active",
        "passed", "opening", "may_exchange", "recent",
    }  # fmt: skip
    game = fresh_game("fields", 3)
    observation = observe(game, 1)
    assert observation.bag == len(game.bag)
    assert observation.hand == game.player(1).hand
    assert all(
        isinstance(count, int)
        for count in (*observation.held, *observation.scores, *observation.unseen)
    )


def test_unseen_tiles_are_those_neither_on_the_table_nor_in_the_own_hand() -> None:
    for game in positions("unseen", 2):
        for seat in game.active:
            observation = observe(game, seat)
            for tile, unseen in enumerate(observation.unseen):
                on_table = list(game.board.tiles.values()).count(tile)
                assert unseen == COPIES - on_table - observation.hand.count(tile)
            assert sum(observation.unseen) == observation.bag + sum(observation.held) - len(
                observation.hand
            )


@pytest.mark.parametrize("bot", BOTS)
def test_the_same_observation_seed_and_budget_give_the_same_choice(bot: str) -> None:
    for game in positions("same", 2):
        assert game.mover is not None
        observation = observe(game, game.mover)
        assert choose(bot, observation, b"seed", 20) == choose(bot, observation, b"seed", 20)


def test_different_seeds_make_the_random_bot_choose_differently() -> None:
    game = fresh_game("seeds")
    assert game.mover is not None
    observation = observe(game, game.mover)
    assert len({choose("random", observation, seed) for seed in range(30)}) > 1


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_of_the_bots_asks_for_more_than_the_rules(path: Path) -> None:
    allowed = {"service.bots", "service.rules", "collections", "dataclasses", "hashlib", "typing"}
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, ast.Import)
        if isinstance(node, ast.ImportFrom):
            name = node.module or ""
            if name == "service":
                assert [alias.name for alias in node.names] == ["core"]
                continue
            assert name.split(".")[0] in allowed or ".".join(name.split(".")[:2]) in allowed


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_recent_turns_are_those_of_the_last_three_rounds(seats: int) -> None:
    games = list(played_by(fresh_game(f"recent {seats}", seats), ("random",) * seats))
    for number, game in enumerate(games[:-1]):
        for seat in range(seats):
            expected = []
            for back in range(1, min(number, 3 * seats) + 1):
                before, after = games[number - back], games[number - back + 1]
                assert before.mover is not None
                new = after.board.tiles.items() - before.board.tiles.items()
                expected.append(((before.mover - seat) % seats, tuple(sorted(new))))
            assert observe(game, seat).recent == tuple(expected)


def test_when_somebody_has_left_nobody_knows_whose_turn_it_was() -> None:
    *_, game, _, _ = islice(played_by(fresh_game("left", 3), ("greedy",) * 3), 9)
    assert game.mover is not None
    assert observe(game, game.mover).recent
    left = resign(game, game.mover).game
    assert left.mover is not None
    assert observe(left, left.mover).recent == ()
