"""Whatever the position, a bot does something that the rules allow, and games come to an end."""

import pytest

from service.bots import BOTS, Exchange, Pass, Place, bid_of, choose, sight_of
from service.rules.actions import may_pass
from service.rules.lines import longest_line
from tests.bots.tables import choice, course, fresh_game
from tests.rules.tables import position

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
        *_, last = course(fresh_game(f"legal {number}", len(bots)), bots)
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
        for game in course(fresh_game(f"passing {number}"), (bot, "random")):
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
        assert len(action.placements) == bid_of(hand) == longest_line(hand)


def test_an_unknown_bot_is_refused_by_name() -> None:
    game = fresh_game("unknown")
    assert game.mover is not None
    with pytest.raises(ValueError, match="oracle"):
        choose("oracle", sight_of(game, game.mover), 1)
