"""Which events shuffle the bag, so that only the seed knows its order afterwards."""

from service.rules.actions import create, exchange, join, place, resign
from service.rules.events import Entrant, Event
from service.rules.host_actions import deal, remove, update
from service.rules.notation import parse_play, parse_tiles
from service.rules.reducer import reduce, shuffles_bag
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from tests.rules.positions import SEED, entrants, position
from tests.rules.random_games import random_game

OTHER_SEEDS = [secret_from(f"another seed {number}") for number in range(20)]


def orders_of_the_bag(game: Game, event: Event) -> set[tuple[int, ...]]:
    """The orders in which the bag may be after this event, as the seed decides."""
    return {reduce(game._replace(secret=seed, seed=seed), event).bag for seed in OTHER_SEEDS}


def test_a_deal_an_exchange_and_a_resignation_with_a_bag_shuffle_it() -> None:
    waiting = create(SEED, entrants(2)).game
    assert shuffles_bag(waiting, deal(waiting).event)
    game = position("ro", "rs bd b* bc bx gs", "gd g* gc gx ys yd", bag="yx rx")
    assert shuffles_bag(game, exchange(game, 0, parse_tiles("rs")).event)
    assert shuffles_bag(game, resign(game, 1).event)


def test_whoever_leaves_an_empty_bag_or_a_waiting_game_shuffles_nothing() -> None:
    game = position("ro", "rs bd", "gd g*")
    assert not shuffles_bag(game, resign(game, 1).event)
    waiting = create(SEED, entrants(2), seats=3).game
    assert not shuffles_bag(waiting, resign(waiting, 1).event)
    # A game with a set-up has its bag before it starts.
    set_up = create(SEED, entrants(1), seats=2, setup=Setup(board=((0, 0),))).game
    assert set_up.bag
    assert not shuffles_bag(set_up, resign(set_up, 0).event)


def test_nothing_else_shuffles_the_bag() -> None:
    waiting = create(SEED, entrants(2), seats=3).game
    for step in (join(waiting, Entrant("Eve")), update(waiting, 4), remove(waiting, 0)):
        assert not shuffles_bag(waiting, step.event)
    game = position("ro", "rs bd b* bc bx gs", "gd g* gc gx ys yd", bag="yx rx")
    assert not shuffles_bag(game, place(game, 0, parse_play("rs@1,0")).event)


def test_the_seed_decides_the_order_of_the_bag_exactly_after_the_events_that_shuffle_it() -> None:
    shuffled = set()
    for number in range(40):
        before: Game | None = None
        for event, after in random_game(number):
            # What a set-up leaves open is drawn when its game starts.
            if before is not None and not (before.phase == "waiting" and before.positioned):
                orders = orders_of_the_bag(before, event)
                if shuffles_bag(before, event):
                    shuffled.add(type(event).__name__)
                    assert len(orders) > 1 or len(set(after.bag)) < 2
                else:
                    assert len(orders) == 1
            before = after
    assert shuffled == {"Dealt", "Exchanged", "Resigned"}
