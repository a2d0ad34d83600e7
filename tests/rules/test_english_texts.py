"""What is said of input that makes no sense and of wrong moments, word for word."""

from collections.abc import Callable
from typing import Any

import pytest

from service.rules import actions, host_actions
from service.rules.cells import as_cell, cell_at
from service.rules.errors import Malformed, Untimely
from service.rules.events import Entrant
from service.rules.plays import judge
from service.rules.record.deal_hidden_tiles import set_up
from service.rules.shuffle import as_secret, entropy_bytes, mix, secret_from
from service.rules.starting_position import Setup
from service.rules.tiles import as_tile, tile_named
from tests.rules.positions import SEED, entrants, position

WAITING = actions.create(SEED, entrants(1), seats=4).game
BIDDING = actions.bid(position("", "ro rs bd", "gs gd g*", "yx bo bx"), 0, 2).game
PLAYING = position("ro", "rs bd b* bc bx gs", "gd g* gc gx ys yd", bag="yx rx")
FINISHED = actions.resign(position("ro", "rs", "rd"), 0).game

SEATS = "a game has 2 to 4 seats and at most as many players, not "
EDITIONS = "schmidt, travel, polish, english, russian"
NO_CELL = "is not a cell; coordinates run from -1000 to 1000"
NO_TUPLES = "board, hands, bag and scores of a set-up must be tuples"
TOO_MANY = "the board and the bag of a set-up hold at most 108 tiles each"


def creation(**given: Any) -> Callable[[], object]:
    return lambda: actions.create(SEED, **({"players": entrants(2)} | given))


def set_to(**given: Any) -> Callable[[], object]:
    return creation(setup=Setup(**({"board": ((0, 0),)} | given)))


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (creation(seats="2"), "'2' is not a number of seats"),
        (creation(seats=1), SEATS + "1 seats and 2 players"),
        (creation(seats=5), SEATS + "5 seats and 2 players"),
        (creation(players=entrants(3), seats=2), SEATS + "2 seats and 3 players"),
        (creation(players=["Ada"]), "'Ada' is not an entrant"),
        (creation(players=[Entrant("Ada", "9")]), "'9' is not an age"),
        (creation(players=[Entrant("Ada", 9, 5)]), "5 is not a kind of bot"),
        (creation(edition="german"), f"'german' is not an edition; the editions are {EDITIONS}"),
        (lambda: actions.bid(BIDDING, 1, "3"), "'3' is not the length of a line"),
        (lambda: actions.bid(BIDDING, "1", 3), "'1' is not a seat"),
        (lambda: actions.exchange(PLAYING, 0, ()), "an exchange takes 1 to 6 tiles, not 0"),
        (lambda: actions.exchange(PLAYING, 0, [1] * 7), "an exchange takes 1 to 6 tiles, not 7"),
        (lambda: actions.exchange(PLAYING, 0, 5), "5 is not a list of tiles"),
        (lambda: as_tile(36), "36 is not a tile; tiles are numbered 0 to 35"),
        (lambda: tile_named(5), "5 is not a tile; a tile is written like 'red-circle'"),
        (lambda: judge(PLAYING.board, 5, ()), "5 is not a list of placements"),
        (lambda: judge(PLAYING.board, [], ()), "a play has 1 to 6 tiles, not 0"),
        (lambda: judge(PLAYING.board, [(1, 1)] * 7, ()), "a play has 1 to 6 tiles, not 7"),
        (
            lambda: judge(PLAYING.board, [5], ()),
            "5 is not a placement; a placement is a cell and a tile",
        ),
        (lambda: cell_at(1001, "0"), f"(1001, '0') {NO_CELL}"),
        (lambda: as_cell("0"), f"'0' {NO_CELL}"),
        (lambda: secret_from("\ud800"), "a seed text must be a string that UTF-8 can encode"),
        (lambda: as_secret(b""), "a secret has 32 bytes"),
        (lambda: entropy_bytes("a" * 65, 2), "entropy must be a string of at most 64 characters"),
        (lambda: entropy_bytes(5, 2), "entropy must be a string of at most 64 characters"),
        (lambda: entropy_bytes("\ud800", 2), "entropy must be a string that UTF-8 can encode"),
        (lambda: host_actions.update(WAITING, 5), "a game has 2 to 4 seats, not 5"),
        (
            lambda: host_actions.update(WAITING, "3" * 30),
            f"a game has 2 to 4 seats, not '{'3' * 19}",
        ),
        (lambda: mix((), SEED, 0), "0 is not the number of an event"),
        (set_to(hands=[]), NO_TUPLES),
        (set_to(board=None), NO_TUPLES),
        (set_to(bag=(0,) * 109), TOO_MANY),
        (set_to(board=((0, 0),) * 109), TOO_MANY),
        (set_to(hands=(None,) * 5), "a set-up has at most 4 hands and scores"),
        (set_to(scores=(0,) * 5), "a set-up has at most 4 hands and scores"),
        (set_to(board=((501, 0),)), "a set-up board must stay within 500 cells of the middle"),
        (set_to(hands=((0,) * 7, None)), "a hand holds at most 6 tiles"),
        (set_to(scores=(0, "1")), "'1' is neither a score nor a seat"),
        (set_to(turn=-1), "-1 is neither a score nor a seat"),
        (lambda: set_up((), (6, None), 0, None, None), "None is not a number of tiles"),
    ],
)
def test_what_makes_no_sense_is_told_in_words(act: Callable[[], object], said: str) -> None:
    with pytest.raises(Malformed) as refused:
        act()
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("act", "code", "said", "values"),
    [
        (
            lambda: actions.join(BIDDING, Entrant("Eve")),
            "table_full",
            "every seat of this game is taken",
            {},
        ),
        (
            lambda: actions.join(WAITING, Entrant("Eve"), 0),
            "table_full",
            "seat 0 of this game is taken",
            {"seat": 0},
        ),
        (
            lambda: host_actions.deal(WAITING),
            "seats_open",
            "nobody has taken seat 1, 2, 3 yet",
            {"seats": "1, 2, 3"},
        ),
        (
            lambda: actions.resign(FINISHED, 1),
            "wrong_phase",
            "the game is finished",
            {},
        ),
        (
            lambda: host_actions.deal(PLAYING),
            "wrong_phase",
            "the game is playing, not waiting",
            {"now": "playing", "needed": "waiting"},
        ),
        (
            lambda: actions.bid(BIDDING, 7, 2),
            "wrong_phase",
            "seat 7 is not in the game",
            {"seat": 7},
        ),
        (
            lambda: actions.bid(BIDDING, 0, 2),
            "already_bid",
            "seat 0 has already bid 2",
            {"seat": 0, "bid": 2},
        ),
        (
            lambda: actions.pass_turn(PLAYING, 1),
            "not_your_turn",
            "it is the turn of seat 0, not of seat 1",
            {"mover": 0, "seat": 1},
        ),
        (
            lambda: actions.pass_turn(PLAYING._replace(version=2000), 0),
            "game_too_long",
            "this game has reached the maximum of 2000 events; you can only resign",
            {"most": 2000},
        ),
        (
            lambda: actions.join(WAITING._replace(version=200), Entrant("Eve")),
            "game_too_long",
            "this waiting game has changed too often; nobody can join it or change it now",
            {},
        ),
        (
            lambda: host_actions.remove(WAITING, 1),
            "wrong_phase",
            "seat 1 is not in the game",
            {"seat": 1},
        ),
        (
            lambda: host_actions.update(PLAYING),
            "wrong_phase",
            "the game is playing, not waiting",
            {"now": "playing", "needed": "waiting"},
        ),
    ],
)
def test_a_wrong_moment_is_told_with_what_other_languages_need_to_tell_it(
    act: Callable[[], object], code: str, said: str, values: dict[str, object]
) -> None:
    with pytest.raises(Untimely) as refused:
        act()
    assert (refused.value.code, refused.value.detail) == (code, said)
    assert refused.value.detail.values == values
