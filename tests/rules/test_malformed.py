"""Input that makes no sense raises the rules' own errors, never an IndexError or a TypeError."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rules import actions, host_actions
from service.rules.board import Board
from service.rules.cells import as_cell, cell_at
from service.rules.editions import edition_named
from service.rules.errors import Malformed, RulesError
from service.rules.events import Entrant, Joined
from service.rules.notation import parse_board, parse_play, parse_tile, parse_tiles
from service.rules.plays import judge
from service.rules.reducer import reduce, replay
from service.rules.shuffle import as_secret, commitment, mix, secret_from
from service.rules.starting_position import Setup
from service.rules.tiles import as_tile, as_tiles, name_of, tile_named
from tests.rules.positions import SEED, entrants, position

NO_TILES = [36, -1, 99, 1.0, True, "ro", "red-circle", None, (), [], b"r"]
NO_CELLS = [1001, -1001, 2047, 2048, 4096 * 1001, 10**30, 1.0, True, "0", None, (0, 0), []]

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.integers(-3, 40)
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)
SEATS = st.integers(-2, 5) | JUNK
LISTS = st.lists(JUNK, max_size=7)
PLACEMENTS = st.lists(st.tuples(JUNK, JUNK) | JUNK, max_size=7)

WAITING = actions.create(SEED, entrants(2), seats=3).game
BIDDING = host_actions.deal(actions.create(SEED, entrants(3)).game).game
OPENING = host_actions.deal(actions.create(SEED, entrants(3), auto_bid=True).game).game
PLAYING = position("ro", "rs bd b* bc bx gs", "gd g* gc gx ys yd", bag="yx rx")
FINISHED = actions.resign(position("ro", "rs", "rd"), 0).game
GAMES = st.sampled_from([WAITING, BIDDING, OPENING, PLAYING, FINISHED])


@pytest.mark.parametrize("value", NO_TILES, ids=repr)
def test_what_is_no_tile_is_malformed_everywhere(value: Any) -> None:
    hand = parse_tiles("rs")
    for act in (
        lambda: as_tile(value),
        lambda: name_of(value),
        lambda: judge(parse_board("ro"), [(1, value)], hand),
        lambda: actions.exchange(PLAYING, 0, [value]),
        lambda: actions.bid_line(BIDDING, 0, [value]),
        lambda: actions.create(SEED, entrants(2), setup=Setup(board=((0, value),))),
        lambda: actions.create(SEED, entrants(2), setup=Setup(hands=((value,) * 6, None))),
        lambda: actions.create(SEED, entrants(2), setup=Setup(bag=(value,) * 12)),
    ):
        with pytest.raises(RulesError):
            act()


@pytest.mark.parametrize("value", NO_CELLS, ids=repr)
def test_what_is_no_cell_is_malformed_everywhere(value: Any) -> None:
    for act in (
        lambda: as_cell(value),
        lambda: judge(parse_board("ro"), [(value, 1)], parse_tiles("rs")),
        lambda: actions.place(PLAYING, 0, [(value, 1)]),
        lambda: actions.create(SEED, entrants(2), setup=Setup(board=((value, 1),))),
    ):
        with pytest.raises(Malformed):
            act()


@pytest.mark.parametrize("x", [1001, -1001, 1.0, "1", None, True])
def test_coordinates_out_of_range_or_not_whole_are_malformed(x: Any) -> None:
    for pair in ((x, 0), (0, x)):
        with pytest.raises(Malformed):
            cell_at(*pair)


def test_coordinates_of_1000_are_in_range() -> None:
    for x in (-1000, 1000):
        assert as_cell(cell_at(x, -x)) == cell_at(x, -x)


@pytest.mark.parametrize("count", [0, 7])
def test_a_play_has_one_to_six_tiles(count: int) -> None:
    with pytest.raises(Malformed):
        judge(parse_board("ro"), [(1, 1)] * count, [1] * 7)


@pytest.mark.parametrize("pair", [(1,), (1, 2, 3), [1, 1], "r1", None, 5])
def test_a_placement_is_a_cell_and_a_tile(pair: Any) -> None:
    with pytest.raises(Malformed):
        judge(parse_board("ro"), [pair], parse_tiles("rs"))


@pytest.mark.parametrize("length", ["3", None, 3.0, True, []])
def test_a_bid_is_a_whole_number(length: Any) -> None:
    with pytest.raises(Malformed):
        actions.bid(BIDDING, 0, length)


@pytest.mark.parametrize("value", ["", "german", None, 5, []])
def test_an_edition_that_does_not_exist_is_malformed(value: Any) -> None:
    with pytest.raises(Malformed):
        edition_named(value)
    with pytest.raises(Malformed):
        actions.create(SEED, entrants(2), edition=value)


@pytest.mark.parametrize("value", [b"", bytes(31), bytes(33), "0" * 32, None, 5, bytearray(32)])
def test_a_seed_is_32_bytes(value: Any) -> None:
    for act in (as_secret, commitment, lambda seed: mix((1, 2), seed, 1)):
        with pytest.raises(Malformed):
            act(value)
    with pytest.raises(Malformed):
        actions.create(value, entrants(2))


@pytest.mark.parametrize("value", ["\ud800", 5, None, b"seed"])
def test_a_seed_text_that_is_no_text_is_malformed(value: Any) -> None:
    with pytest.raises(Malformed):
        secret_from(value)


@pytest.mark.parametrize(
    "setup",
    [
        {"turn": -1},
        {"turn": True},
        {"turn": "0"},
        {"scores": ("1", 2)},
        {"scores": (None, 2)},
        {"scores": (1.5, 2)},
        {"scores": (-1, 2)},
    ],
    ids=repr,
)
def test_figures_of_a_setup_that_are_no_figures_are_refused(setup: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        actions.create(SEED, entrants(2), setup=Setup(board=((0, 0),), **setup))


@pytest.mark.parametrize("seats", ["3", 3.0, True, []])
def test_a_number_of_seats_that_is_no_number_is_malformed(seats: Any) -> None:
    with pytest.raises(Malformed):
        actions.create(SEED, entrants(1), seats=seats)


@pytest.mark.parametrize(
    "entrant",
    ["Ada", None, Entrant(None), Entrant("Ada", "9"), Entrant("Ada", 9.5), Entrant("Ada", 9, 5)],
    ids=repr,
)
def test_who_is_nobody_takes_no_seat(entrant: Any) -> None:
    with pytest.raises(Malformed):
        actions.create(SEED, [entrant, Entrant("Ben")])
    with pytest.raises(Malformed):
        actions.join(WAITING, entrant)


@pytest.mark.parametrize("number", [0, -1, 1.0, "1", None, True])
def test_events_are_numbered_from_1(number: Any) -> None:
    with pytest.raises(Malformed):
        mix((1, 2), SEED, number)


def test_what_is_no_list_of_tiles_or_placements_is_malformed() -> None:
    for act in (
        lambda: as_tiles(None),
        lambda: judge(Board(), None, ()),
        lambda: actions.exchange(PLAYING, 0, 5),
        lambda: actions.create(SEED, entrants(2), setup=Setup(board=None)),
        lambda: actions.create(SEED, entrants(2), setup=Setup(hands=[None, None])),
    ):
        with pytest.raises(Malformed):
            act()


@pytest.mark.parametrize("seat", [-1, 3, 9])
def test_what_a_seat_may_do_is_not_told_of_a_seat_that_does_not_exist(seat: int) -> None:
    for ask in (actions.may_play, actions.may_exchange, actions.may_pass, actions.plays_of):
        with pytest.raises(RulesError):
            ask(PLAYING, seat)


def test_a_game_begins_with_its_creation() -> None:
    with pytest.raises(ValueError, match=r"^a game has at least one event, its creation$"):
        replay([])
    with pytest.raises(ValueError, match=r"^the first event of a game is its creation$"):
        reduce(None, Joined(1, 0, Entrant("Ada")))


def test_an_open_seat_has_no_player() -> None:
    with pytest.raises(LookupError, match=r"^seat 2 is open$"):
        WAITING.player(2)


@settings(max_examples=150)
@given(GAMES, SEATS, LISTS, PLACEMENTS, JUNK)
def test_no_input_makes_an_action_fail_otherwise_than_by_the_rules_own_errors(
    game: Any, seat: Any, tiles: Any, placements: Any, junk: Any
) -> None:
    for act in (
        lambda: actions.bid(game, seat, junk),
        lambda: actions.bid_line(game, seat, tiles),
        lambda: actions.place(game, seat, placements),
        lambda: actions.try_play(game, seat, placements),
        lambda: actions.exchange(game, seat, tiles),
        lambda: actions.pass_turn(game, seat),
        lambda: actions.resign(game, seat),
        lambda: actions.plays_of(game, seat),
        lambda: actions.best_of(game, seat),
        lambda: actions.may_play(game, seat),
        lambda: actions.may_exchange(game, seat),
        lambda: actions.may_pass(game, seat),
        lambda: judge(Board(), placements, (), 1),
        lambda: tile_named(junk),
        lambda: parse_tile(junk),
        lambda: edition_named(junk),
        lambda: parse_play(junk) if isinstance(junk, str) else None,
    ):
        with suppress(RulesError):
            act()


@settings(max_examples=150)
@given(
    st.builds(
        Setup,
        board=st.lists(st.tuples(st.integers(-3, 3), st.integers(-1, 37)) | JUNK, max_size=4).map(
            tuple
        ),
        hands=st.none() | st.lists(st.none() | LISTS.map(tuple), max_size=3).map(tuple),
        bag=st.none() | LISTS.map(tuple),
        scores=st.none() | LISTS.map(tuple),
        turn=JUNK,
    )
)
def test_no_setup_makes_a_creation_fail_otherwise_than_by_the_rules_own_errors(
    setup: Setup,
) -> None:
    with suppress(RulesError):
        actions.create(SEED, entrants(2), setup=setup)
