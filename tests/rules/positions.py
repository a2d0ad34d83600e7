"""Positions drawn as text for the tests of the rules, and shortcuts for what they check."""

from collections.abc import Callable, Iterable

import pytest

from service.rules.actions import Step, create
from service.rules.board import Board, Placement
from service.rules.cells import cell_at, xy
from service.rules.errors import RulesBroken, Untimely, Violation
from service.rules.events import Entrant
from service.rules.notation import parse_board, parse_play, parse_tiles
from service.rules.plays import Play, judge
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import COLOURS, SHAPES, Tile
from tests.rules import reference_rules

SEED = secret_from("a seed for tests")
NAMES = ("Ada", "Ben", "Cleo", "Dan")


def entrants(count: int, ages: Iterable[int | None] = ()) -> list[Entrant]:
    known = [*ages, *[None] * count]
    return [Entrant(name, age) for name, age in zip(NAMES[:count], known, strict=False)]


def position(
    board: str,
    *hands: str,
    bag: str = "",
    scores: tuple[int, ...] | None = None,
    turn: int | None = None,
    edition: str = "schmidt",
    ages: Iterable[int | None] = (),
    auto_bid: bool = False,
    secret: bytes = SEED,
) -> Game:
    """A game in the drawn position, all seats taken; with an empty board, at the bids."""
    setup = Setup(
        board=tuple(parse_board(board).tiles.items()),
        hands=tuple(map(parse_tiles, hands)),
        bag=parse_tiles(bag),
        scores=scores,
        turn=turn,
    )
    players = entrants(len(hands), ages)
    return create(secret, players, edition=edition, setup=setup, auto_bid=auto_bid).game


def hand_of(game: Game, seat: int) -> tuple[Tile, ...]:
    return game.player(seat).hand


def play(board: str, placements: str, hand: str | None = None, opening: int | None = None) -> Play:
    """The play on the drawn board; the hand holds just what is placed unless it is given."""
    laid = parse_play(placements)
    tiles = [tile for _, tile in laid] if hand is None else parse_tiles(hand)
    return judge(parse_board(board), laid, tiles, opening)


def lengths(made: Play) -> list[int]:
    return sorted((line.length for line in made.lines), reverse=True)


def violations(act: Callable[[], object]) -> tuple[Violation, ...]:
    """The rules that the action breaks; it must break some."""
    with pytest.raises(RulesBroken) as caught:
        act()
    assert caught.value.code == caught.value.violations[0].code
    return caught.value.violations


def codes(act: Callable[[], object]) -> list[str]:
    return [violation.code for violation in violations(act)]


def refusals(board: str, placements: str, hand: str | None = None, opening: int | None = None):
    return violations(lambda: play(board, placements, hand, opening))


def untimely(act: Callable[[], Step]) -> str:
    """The code with which the action is refused as not open now."""
    with pytest.raises(Untimely) as caught:
        act()
    assert str(caught.value) == caught.value.detail != ""
    return caught.value.code


def cells(text: str) -> tuple[int, ...]:
    """Cells written ``0,1 -2,3``."""
    return tuple(cell_at(*map(int, pair.split(","))) for pair in text.split())


def reference_tiles(tiles: Iterable[Tile]) -> list[reference_rules.Tile]:
    return [(COLOURS[tile // 6], SHAPES[tile % 6]) for tile in tiles]


def reference_board(board: Board) -> reference_rules.Board:
    return dict(zip(map(xy, board.tiles), reference_tiles(board.tiles.values()), strict=True))


def reference_placements(
    placements: Iterable[Placement],
) -> list[tuple[reference_rules.Cell, reference_rules.Tile]]:
    laid = list(placements)
    return list(zip((xy(c) for c, _ in laid), reference_tiles(t for _, t in laid), strict=True))
