"""From the seats to the opening line: joining, the deal, the bids, and who opens."""

from functools import partial
from itertools import chain

import pytest

from service.rules.actions import (
    best_of,
    bid,
    bid_line,
    create,
    exchange,
    join,
    pass_turn,
    place,
    plays_of,
    resign,
    try_play,
)
from service.rules.editions import EDITIONS
from service.rules.errors import Malformed
from service.rules.events import Bid, Created, Dealt, Entrant, Joined, Resigned
from service.rules.host_actions import deal
from service.rules.lines import longest_line
from service.rules.notation import parse_play, parse_tiles
from service.rules.shuffle import mix
from service.rules.state import Game, Player
from service.rules.tiles import WHOLE_BAG
from tests.rules.positions import SEED, codes, entrants, hand_of, position, untimely, violations

# Longest lines of 3, 2 and 1.
THREE = "bo b* b* bs rd gx"
ANOTHER_THREE = "yo y* y* ys rd gx"
TWO = "ro rs yd g* bc px"
ONE = "ro os yd g* bc px"


def dealt(count: int = 3) -> Game:
    return deal(create(SEED, entrants(count)).game).game


def all_bid(game: Game) -> Game:
    for seat in game.seated:
        game = bid(game, seat, longest_line(hand_of(game, seat))).game
    return game


def opener_among(*hands: str, edition: str = "schmidt", ages: tuple[int | None, ...] = ()) -> int:
    game = all_bid(position("", *hands, edition=edition, ages=ages))
    assert (game.phase, game.opening, game.turn) == ("playing", True, 1)
    assert game.mover is not None
    return game.mover


def test_a_new_table_waits_for_its_seats() -> None:
    event, game = create(SEED, entrants(1), seats=3)
    assert isinstance(event, Created)
    assert (game.phase, game.version, game.open_seats) == ("waiting", 1, [1, 2])
    assert (game.mover, game.turn, game.bag) == (None, 0, ())


@pytest.mark.parametrize(("players", "seats"), [(1, None), (5, None), (0, 1), (2, 5), (3, 2)])
def test_a_game_has_two_to_four_seats_and_no_more_players_than_seats(
    players: int, seats: int | None
) -> None:
    with pytest.raises(Malformed):
        create(SEED, [Entrant("one")] * players, seats=seats)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_three_or_four_can_play(seats: int) -> None:
    assert len(dealt(seats).active) == seats


def test_a_seat_defaults_to_each_player_given() -> None:
    assert create(SEED, entrants(3)).game.open_seats == []


def test_who_joins_takes_the_lowest_open_seat() -> None:
    event, game = join(create(SEED, entrants(1), seats=3).game, Entrant("Eve", 8))
    assert event == Joined(2, 1, Entrant("Eve", 8))
    assert (game.version, game.player(1).name, game.open_seats) == (2, "Eve", [2])


def test_who_joins_may_take_a_certain_open_seat() -> None:
    game = create(SEED, entrants(1), seats=3).game
    event, game = join(game, Entrant("Eve"), 2)
    assert (event.seat, game.open_seats) == (2, [1])
    for taken in (0, 2, 3):
        assert untimely(partial(join, game, Entrant("Fay"), taken)) == "table_full"


def test_who_sits_down_is_known_by_name_age_and_kind_of_bot() -> None:
    game = create(SEED, [Entrant("Ada", 40)], seats=2).game
    game = join(game, Entrant("Ben", 9, "greedy")).game
    assert game.players == (Player("Ada", 40), Player("Ben", 9, bot="greedy"))


def test_nobody_joins_a_full_table() -> None:
    game = create(SEED, entrants(2)).game
    assert untimely(lambda: join(game, Entrant("Eve"))) == "table_full"
    assert untimely(lambda: join(dealt(), Entrant("Eve"))) == "table_full"


def test_a_player_who_leaves_while_waiting_opens_the_seat_for_another() -> None:
    game = create(SEED, entrants(3)).game
    event, game = resign(game, 1)
    assert event == Resigned(2, 1)
    assert (game.phase, game.open_seats) == ("waiting", [1])
    game = join(game, Entrant("Eve")).game
    assert [player.name for player in game.seated.values()] == ["Ada", "Eve", "Cleo"]
    assert not game.player(1).resigned


def test_everybody_may_leave_a_waiting_table() -> None:
    game = create(SEED, entrants(2)).game
    for seat in (0, 1):
        game = resign(game, seat).game
    assert (game.phase, game.open_seats) == ("waiting", [0, 1])
    assert untimely(lambda: resign(game, 0)) == "wrong_phase"


def test_no_deal_before_every_seat_is_taken() -> None:
    game = create(SEED, entrants(1), seats=2).game
    assert untimely(lambda: deal(game)) == "seats_open"


def test_no_second_deal() -> None:
    assert untimely(lambda: deal(dealt())) == "wrong_phase"


def test_the_deal_mixes_all_108_tiles_and_gives_each_player_six() -> None:
    event, game = deal(create(SEED, entrants(3)).game)
    bag = mix(WHOLE_BAG, SEED, 2)
    hands = tuple(tuple(sorted(bag[first : first + 6])) for first in (0, 6, 12))
    assert event == Dealt(2, hands)
    assert tuple(player.hand for player in game.seated.values()) == hands
    assert game.bag == bag[18:]
    assert sorted(chain(game.bag, *hands)) == sorted(WHOLE_BAG)
    assert (game.phase, game.mover) == ("bidding", None)


def test_the_printed_hand_of_blue_circle_two_blue_stars_and_blue_square_bids_three() -> None:
    assert longest_line(parse_tiles(THREE)) == 3


def test_copies_count_once_in_the_longest_line() -> None:
    assert longest_line(parse_tiles("ro ro ro rs rs rs")) == 2
    assert longest_line(parse_tiles("ro ro ro")) == 1


def test_the_longest_line_may_share_a_shape() -> None:
    assert longest_line(parse_tiles("ro oo yo go bo po")) == 6


def test_a_bid_that_is_exact_is_announced() -> None:
    event, game = bid(position("", THREE, TWO), 1, 2)
    assert event == Bid(2, 1, 2)
    assert (game.phase, game.player(1).bid, game.player(0).bid) == ("bidding", 2, None)


def test_a_bid_higher_than_the_longest_line_is_refused() -> None:
    (broken,) = violations(lambda: bid(position("", THREE, TWO), 0, 4))
    assert (broken.code, broken.facts) == ("bid_too_high", {"bid": 4})


def test_a_bid_lower_than_the_longest_line_is_refused() -> None:
    (broken,) = violations(lambda: bid(position("", THREE, TWO), 0, 2))
    assert (broken.code, broken.facts) == ("bid_too_low", {"bid": 2})


def test_nobody_bids_twice() -> None:
    game = bid(position("", THREE, TWO), 0, 3).game
    assert untimely(lambda: bid(game, 0, 3)) == "already_bid"
    assert untimely(lambda: bid_line(game, 0, parse_tiles("bo b* bs"))) == "already_bid"


def test_bids_come_in_any_order() -> None:
    game = position("", ONE, THREE, TWO)
    for seat, length in ((2, 2), (0, 1), (1, 3)):
        assert game.phase == "bidding"
        game = bid(game, seat, length).game
    assert (game.phase, game.mover) == ("playing", 1)


def test_no_bid_before_the_deal_nor_after_the_bids() -> None:
    assert untimely(lambda: bid(create(SEED, entrants(2)).game, 0, 1)) == "wrong_phase"
    game = all_bid(position("", THREE, TWO))
    assert untimely(lambda: bid(game, 0, 3)) == "wrong_phase"


def test_a_bid_may_be_made_by_its_tiles() -> None:
    event, _ = bid_line(position("", THREE, TWO), 0, parse_tiles("b* bs bo"))
    assert event == Bid(2, 0, 3)


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ("bo b*", ["bid_too_low"]),
        ("", ["bid_too_low"]),
        ("bo b* bs bx", ["tiles_not_in_hand"]),
        ("bo b* b*", ["line_repeats_tile"]),
        ("bo b* rd", ["line_mixed"]),
        ("bo b* b* rx", ["tiles_not_in_hand", "line_repeats_tile", "line_mixed"]),
    ],
)
def test_a_bid_by_tiles_must_be_a_longest_line_of_the_hand(tiles: str, expected: list[str]) -> None:
    game = position("", THREE, TWO)
    assert codes(lambda: bid_line(game, 0, parse_tiles(tiles))) == expected


def test_a_bid_by_tiles_names_what_is_wrong_with_them() -> None:
    missing, repeat, mixed = violations(
        lambda: bid_line(position("", THREE, TWO), 0, parse_tiles("bo b* b* rx"))
    )
    assert missing.tiles == parse_tiles("rx")
    assert repeat.tiles == parse_tiles("b*")
    assert mixed.tiles == parse_tiles("bo b* b* rx")


def test_the_highest_bid_opens() -> None:
    assert opener_among(ONE, TWO, THREE, ages=(5, 4, 80)) == 2
    assert opener_among(ONE, TWO, THREE, edition="polish", ages=(90, 91, 8)) == 2


@pytest.mark.parametrize("edition", ["schmidt", "travel"])
def test_among_equal_bids_the_youngest_opens_by_schmidt_and_travel(edition: str) -> None:
    ages = (40, 30, 20, 1)
    hands = ("bo b* bs rd gx gx", "yo y* ys rd gx px", "po p* ps rd yx gd", TWO)
    assert opener_among(*hands, edition=edition, ages=ages) == 2


@pytest.mark.parametrize("edition", ["polish", "english", "russian"])
def test_among_equal_bids_the_oldest_opens_in_the_other_editions(edition: str) -> None:
    ages = (20, 30, 40, 99)
    hands = ("bo b* bs rd gx gx", "yo y* ys rd gx px", "po p* ps rd yx gd", TWO)
    assert opener_among(*hands, edition=edition, ages=ages) == 2


@pytest.mark.parametrize("edition", sorted(EDITIONS))
def test_an_unknown_age_of_one_who_is_not_tied_does_not_matter(edition: str) -> None:
    expected = 2 if EDITIONS[edition].tie == "youngest" else 1
    hands = (TWO, THREE, ANOTHER_THREE)
    assert opener_among(*hands, edition=edition, ages=(None, 20, 10)) == expected


def test_the_editions_are_five_and_schmidt_is_the_default() -> None:
    assert {name: edition.tie for name, edition in EDITIONS.items()} == {
        "schmidt": "youngest",
        "travel": "youngest",
        "polish": "oldest",
        "english": "oldest",
        "russian": "oldest",
    }
    assert create(SEED, entrants(2)).game.edition == "schmidt"


def test_auto_bid_declares_every_longest_line_at_the_deal() -> None:
    game = deal(create(SEED, entrants(3), auto_bid=True).game).game
    assert game.phase == "playing"
    assert all(player.bid == longest_line(player.hand) for player in game.seated.values())
    bids = [player.bid for player in game.seated.values()]
    assert game.mover is not None
    assert bids[game.mover] == max(bids)


def test_the_opener_lays_a_line_of_exactly_the_length_bid() -> None:
    game = all_bid(position("", THREE, TWO))
    for act in (place, try_play):
        (broken,) = violations(lambda: act(game, 0, parse_play("bo@0,0 b*@1,0")))  # noqa: B023  # called at once
        assert (broken.code, broken.facts) == ("opening_not_longest", {"bid": 3, "laid": 2})
    assert try_play(game, 0, parse_play("bo@0,0 b*@1,0 bs@2,0")).points == 3
    event, after = place(game, 0, parse_play("bo@0,0 b*@1,0 bs@2,0"))
    assert event.points == 3
    assert (after.opening, after.turn, after.mover) == (False, 2, 1)
    assert after.laid == (1, 1, 1)


def test_an_opener_with_several_longest_lines_may_lay_any_of_them() -> None:
    game = all_bid(position("", "ro rs yd yx gc b*", ONE))
    for line in ("ro@0,0 rs@1,0", "yd@0,0 yx@0,1"):
        assert place(game, 0, parse_play(line)).event.points == 2


def test_an_opener_whose_longest_line_is_one_tile_lays_it_and_scores_nothing() -> None:
    game = all_bid(position("", ONE, "ro os yd gc b* px", ages=(5, 6)))
    event, after = place(game, 0, parse_play("g*@0,0"))
    assert (event.points, event.lines, after.player(0).score) == (0, (), 0)
    assert after.phase == "playing"


def test_the_opener_neither_exchanges_nor_passes() -> None:
    game = all_bid(position("", THREE, TWO, bag="ro rs rd ro"))
    (broken,) = violations(lambda: exchange(game, 0, parse_tiles("rd")))
    assert (broken.code, broken.facts) == ("must_open", {"bid": 3})
    (broken,) = violations(lambda: pass_turn(game, 0))
    assert (broken.code, broken.facts) == ("must_open", {"bid": 3})


def test_an_opener_who_cannot_exchange_anyway_hears_of_both() -> None:
    game = all_bid(position("", THREE, TWO))
    assert codes(lambda: exchange(game, 0, parse_tiles("rd"))) == ["must_open", "bag_empty"]


def test_nobody_else_moves_before_the_opening() -> None:
    game = all_bid(position("", THREE, TWO))
    assert untimely(lambda: place(game, 1, parse_play("ro@0,0 rs@1,0"))) == "not_your_turn"
    assert codes(lambda: try_play(game, 1, parse_play("ro@0,0 rs@1,0"))) == ["not_touching"]
    assert plays_of(game, 1) == []
    assert best_of(game, 1) is None


def test_an_opener_who_leaves_before_the_opening_is_replaced_by_the_next_highest_bid() -> None:
    game = all_bid(position("", THREE, ONE, TWO, bag="gx gd gs gc yd y*"))
    assert game.mover == 0
    event, game = resign(game, 0)
    assert event == Resigned(5, 0)
    assert (game.phase, game.opening, game.mover, game.turn) == ("playing", True, 2, 1)
    assert place(game, 2, parse_play("ro@0,0 rs@1,0")).event.points == 2


def test_another_who_leaves_before_the_opening_leaves_the_opener_in_turn() -> None:
    game = all_bid(position("", ONE, THREE, TWO))
    game = resign(game, 2).game
    assert (game.opening, game.mover) == (True, 1)


def test_a_player_who_leaves_during_the_bids_is_not_waited_for() -> None:
    game = position("", THREE, ONE, TWO, bag="gx gd gs gc yd y*")
    game = bid(bid(game, 0, 3).game, 2, 2).game
    event, game = resign(game, 1)
    assert (game.phase, game.mover) == ("playing", 0)
    assert sorted(game.bag) == sorted(parse_tiles(f"gx gd gs gc yd y* {ONE}"))
    assert game.bag == mix(game.bag, SEED, event.n)


def test_the_bids_go_on_when_a_player_leaves_before_all_have_bid() -> None:
    game = resign(position("", THREE, ONE, TWO), 0).game
    assert (game.phase, game.mover) == ("bidding", None)
    assert untimely(lambda: bid(game, 0, 3)) == "wrong_phase"
    game = bid(bid(game, 1, 1).game, 2, 2).game
    assert game.mover == 2


def test_a_bid_of_one_who_left_does_not_open() -> None:
    game = bid(position("", THREE, ONE, TWO), 0, 3).game
    game = resign(game, 0).game
    game = bid(bid(game, 1, 1).game, 2, 2).game
    assert game.mover == 2


def test_the_last_of_the_bidders_wins() -> None:
    event, game = resign(position("", THREE, ONE), 0)
    assert event == Resigned(2, 0, end="last_player", winners=(1,))
    assert (game.phase, game.end, game.winners, game.mover) == (
        "finished",
        "last_player",
        (1,),
        None,
    )
