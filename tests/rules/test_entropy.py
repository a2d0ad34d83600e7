"""What joiners and the host add to the secret decides every draw together with it."""

from collections import Counter
from typing import Any

import pytest

from service.rules.actions import bid, create, join, resign
from service.rules.errors import Malformed
from service.rules.events import Entrant
from service.rules.host_actions import deal
from service.rules.lines import longest_line
from service.rules.notation import parse_tiles
from service.rules.reducer import may_open
from service.rules.shuffle import mix
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG
from tests.rules.positions import SEED, entrants, hand_of
from tests.rules.stated_draw import stated_lot, stated_mixing, stated_seed


def with_entropy(*entropy: str | None, host: str | None = None) -> Game:
    """A table whose players all join, each with what they add, dealt by the host."""
    game = create(SEED, seats=len(entropy)).game
    for text in entropy:
        game = join(game, Entrant("One"), entropy=text).game
    return deal(game, host).game


def test_what_joiners_and_the_host_add_decides_the_deal_together_with_the_secret() -> None:
    game = with_entropy("dice 4", None, "Přátelé 🎲", host="7d1c")
    seed = stated_seed(SEED, [(2, "dice 4"), (4, "Přátelé 🎲"), (5, "7d1c")])
    assert (game.secret, game.seed, game.entropy) == (SEED, seed, b"")
    order = stated_mixing(list(WHOLE_BAG), seed, 5)
    assert [hand_of(game, seat) for seat in range(3)] == [
        tuple(sorted(order[first : first + 6])) for first in (0, 6, 12)
    ]


def test_a_game_that_nobody_adds_to_is_drawn_from_the_secret_itself() -> None:
    game = with_entropy(None, None)
    assert game.seed == game.secret == SEED
    assert game.bag == mix(WHOLE_BAG, SEED, 4)[12:]


def test_each_of_those_who_add_changes_the_draw() -> None:
    ways: list[tuple[tuple[str | None, ...], str | None]] = [
        ((None, None), None),
        (("a", None), None),
        ((None, "a"), None),
        ((None, None), "a"),
        (("a", "b"), "c"),
        (("b", "b"), "c"),
        (("a", "b"), "d"),
        (("", None), None),
    ]
    assert len({with_entropy(*joiners, host=host).bag for joiners, host in ways}) == len(ways)


def test_what_a_joiner_who_left_again_added_still_counts() -> None:
    game = join(create(SEED, entrants(1), seats=2).game, Entrant("Eve"), entropy="mine").game
    game = join(resign(game, 1).game, Entrant("Fay")).game
    assert deal(game).game.seed == stated_seed(SEED, [(2, "mine")])


def test_later_mixings_follow_from_secret_and_entropy_too() -> None:
    event, game = resign(with_entropy("dice 4", None, None), 2)
    assert game.seed == stated_seed(SEED, [(2, "dice 4")])
    assert list(game.bag) == stated_mixing(list(game.bag), game.seed, event.n)


def test_what_a_set_up_leaves_open_is_drawn_from_secret_and_entropy() -> None:
    setup = Setup(hands=(None, parse_tiles("rs bd b* bc bx gs"), None))
    game = create(SEED, entrants(1), seats=3, setup=setup).game
    game = join(game, Entrant("Ben"), entropy="dice").game
    game = join(game, Entrant("Cleo"), entropy="more dice").game
    seed = stated_seed(SEED, [(2, "dice"), (3, "more dice")])
    rest = list((Counter(WHOLE_BAG) - Counter(parse_tiles("rs bd b* bc bx gs"))).elements())
    order = stated_mixing(rest, seed, 1)
    assert (game.seed, game.phase, game.setup) == (seed, "bidding", None)
    assert hand_of(game, 0) == tuple(sorted(order[:6]))
    assert hand_of(game, 2) == tuple(sorted(order[6:12]))
    assert list(game.bag) == order[12:]


def test_the_lot_is_drawn_from_secret_and_entropy_at_the_event_that_needs_it() -> None:
    lots = set()
    for number in range(60):
        text = f"dice {number}"
        game = with_entropy(text, None, None)
        for seat in (1, 0, 2):
            game = bid(game, seat, longest_line(hand_of(game, seat))).game
        tied = may_open(game)
        seed = stated_seed(SEED, [(2, text)])
        assert game.mover == stated_lot(tied, seed, 8)
        lots.add((len(tied), tied.index(game.mover)))
        left = resign(game, game.mover).game
        assert left.mover == stated_lot(may_open(left), seed, 9)
    assert {(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)} <= lots


@pytest.mark.parametrize("value", ["a" * 65, "\ud800", 5, b"dice", ["dice"]])
def test_entropy_that_is_no_text_of_at_most_64_characters_is_malformed(value: Any) -> None:
    game = create(SEED, entrants(1), seats=2).game
    with pytest.raises(Malformed):
        join(game, Entrant("Eve"), entropy=value)
    with pytest.raises(Malformed):
        deal(create(SEED, entrants(2)).game, value)


def test_entropy_of_64_characters_of_four_bytes_each_is_taken() -> None:
    assert with_entropy("🎲" * 64, None).seed == stated_seed(SEED, [(2, "🎲" * 64)])
