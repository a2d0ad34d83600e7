"""Whatever the position, a bot does something that the rules allow, and games come to an end."""

from random import Random

import pytest

from service.bots import BOTS, choose
from service.bots.actions import Exchange, Pass, Place, perform
from service.bots.observation import observe
from service.rules.actions import create, may_pass
from service.rules.board import Placement
from service.rules.errors import RulesBroken
from service.rules.lines import longest_line
from service.rules.starting_position import Setup
from service.rules.state import End, Game
from service.rules.tiles import HAND_SIZE, WHOLE_BAG
from tests.bots.bot_games import choice, fresh_game, played_by
from tests.rules.positions import SEED, entrants, position

MIXES = [
    ("random", "greedy"),
    ("expert", "random"),
    ("greedy", "random", "random"),
    ("random", "expert", "greedy"),
    ("random", "random", "random", "random"),
    ("greedy", "random", "expert", "random"),
]


@pytest.mark.parametrize("bots", MIXES, ids="-".join)
def test_bots_play_every_game_to_its_end_with_legal_actions_only(bots: tuple[str, ...]) -> None:
    rounds = 6 if "expert" in bots else 60
    for number in range(rounds):
        *_, last = played_by(fresh_game(f"legal {number}", len(bots)), bots)
        assert last.phase == "finished"
        assert last.winners


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_that_cannot_place_exchanges_while_the_bag_holds_tiles(bot: str) -> None:
    game = position("ro", "bs bd b* gs gd g*", "rs rd r* rc rx ro", bag="os ys", turn=0)
    action = choice(game, bot)
    assert isinstance(action, Exchange)
    assert 1 <= len(action.tiles) <= len(game.bag)


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_passes_only_when_it_has_to(bot: str) -> None:
    for number in range(2):
        for game in played_by(fresh_game(f"passing {number}"), (bot, "random")):
            if game.mover is not None and isinstance(choice(game, bot), Pass):
                assert may_pass(game, game.mover)


@pytest.mark.parametrize("bot", BOTS)
def test_the_opener_lays_exactly_the_line_it_bid(bot: str) -> None:
    for number in range(40):
        game = fresh_game(f"opening {number}", 2 + number % 3)
        assert game.mover is not None
        hand = game.player(game.mover).hand
        action = choice(game, bot)
        assert isinstance(action, Place)
        assert len(action.placements) == longest_line(hand)


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_opens_beside_an_empty_bag(bot: str) -> None:
    game = position("", "ro", "b* bx r* ro", auto_bid=True)
    assert game.mover == 1
    action = choice(game, bot)
    assert isinstance(action, Place)
    assert len(action.placements) == 2
    assert perform(game, 1, action).game.board.tiles == dict(action.placements)


def tiny_game(chance: Random) -> Game | None:
    """A set-up with few tiles, or None if what was drawn is no possible one."""
    tiles = chance.sample(WHOLE_BAG, len(WHOLE_BAG))
    bag = tuple(tiles.pop() for _ in range(chance.choice((0, 0, 0, 1, 3))))
    fewest = HAND_SIZE if bag else 1
    seats = chance.choice((2, 2, 3, 4))
    hands = tuple(
        tuple(tiles.pop() for _ in range(chance.randint(fewest, HAND_SIZE))) for _ in range(seats)
    )
    board: tuple[Placement, ...] = ((0, tiles.pop()),) if chance.random() < 0.5 else ()
    try:
        setup = Setup(board, hands, bag)
        return create(SEED, entrants(seats), auto_bid=True, setup=setup).game
    except RulesBroken:
        return None


def test_bots_play_tiny_setups_to_their_end_with_legal_actions_only() -> None:
    chance = Random("tiny")
    ends: list[End | None] = []
    while len(ends) < 300:
        game = tiny_game(chance)
        if game is not None:
            bots = tuple(chance.choice(BOTS) for _ in game.players)
            *_, last = played_by(game, bots)
            ends.append(last.end)
    assert set(ends) == {"hand_empty", "blocked"}


def test_an_unknown_bot_is_refused_by_name() -> None:
    game = fresh_game("unknown")
    assert game.mover is not None
    with pytest.raises(ValueError, match="oracle"):
        choose("oracle", observe(game, game.mover), 1)
