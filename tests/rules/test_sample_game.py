"""The twelve-turn sample game that the Polish and Russian rule books print."""

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from service.rules.actions import bid, create, place
from service.rules.board import Board, Placement
from service.rules.cells import cell_at
from service.rules.errors import RulesBroken
from service.rules.lines import longest_line
from service.rules.plays import judge
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.rules.tiles import WHOLE_BAG, Tile, tile_named, without
from tests.rules.positions import SEED, entrants, lengths

SAMPLE = json.loads((Path(__file__).parent / "sample_game.json").read_text())
PRINTED_SCORES = [3, 7, 4, 6, 7, 6, 3, 3, 10, 9, 18, 9]


def placements_of(turn: dict[str, Any]) -> tuple[Placement, ...]:
    return tuple(
        (cell_at(laid["x"], laid["y"]), tile_named(laid["tile"])) for laid in turn["placements"]
    )


TURNS = [placements_of(turn) for turn in SAMPLE["turns"]]


def tiles_of(turns: list[tuple[Placement, ...]]) -> list[Tile]:
    return [tile for turn in turns for _, tile in turn]


def sample_position(edition: str) -> Game:
    """A game whose hands and bag are stacked so that each player draws what the book plays."""
    hands: list[list[Tile]] = [[] for _ in range(4)]
    later: list[list[Tile]] = [[] for _ in range(4)]
    rest = list(without(WHOLE_BAG, tiles_of(TURNS)))
    for seat, hand in enumerate(hands):
        # Nobody holds a line of more than three at the start, or another would open.
        for tile in tiles_of(TURNS[seat::4]):
            fits = len(hand) < 6 and longest_line((*hand, tile)) <= 3
            (hand if fits else later[seat]).append(tile)
        while len(hand) < 6:
            hand.append(next(tile for tile in rest if longest_line((*hand, tile)) <= 3))
            rest.remove(hand[-1])
    bag = [
        later[number % 4].pop(0) if later[number % 4] else rest.pop()
        for number, turn in enumerate(TURNS)
        for _ in turn
    ]
    setup = Setup(hands=tuple(tuple(hand) for hand in hands), bag=(*bag, *rest))
    return create(SEED, entrants(4, (60, 50, 40, 30)), edition=edition, setup=setup).game


def test_the_sample_game_has_twelve_turns_with_the_printed_scores() -> None:
    assert [turn["points"] for turn in SAMPLE["turns"]] == PRINTED_SCORES


def test_every_turn_of_the_sample_game_scores_as_printed() -> None:
    board = Board()
    for number, (turn, laid) in enumerate(zip(SAMPLE["turns"], TURNS, strict=True)):
        hand = [tile for _, tile in laid]
        made = judge(board, laid, hand, None if number else len(laid))
        assert made.points == PRINTED_SCORES[number]
        assert lengths(made) == sorted(turn["line_lengths"], reverse=True)
        board = board.with_tiles(made.placements)


@pytest.mark.parametrize("edition", ["polish", "english", "russian"])
def test_the_sample_game_runs_through_bids_turns_and_draws_to_the_printed_totals(
    edition: str,
) -> None:
    game = sample_position(edition)
    for seat in range(4):
        game = bid(game, seat, longest_line(game.player(seat).hand)).game
    assert [player.bid for player in game.seated.values()][:2] == [3, 3]
    assert game.mover == 0, "of two who bid three the oldest opens"
    for turn, laid in zip(SAMPLE["turns"], TURNS, strict=True):
        assert game.mover == turn["seat"]
        event, game = place(game, turn["seat"], laid)
        assert event.points == turn["points"]
    assert [player.score for player in game.seated.values()] == [
        sum(PRINTED_SCORES[seat::4]) for seat in range(4)
    ]


@pytest.mark.parametrize("refused", SAMPLE["refused"])
def test_the_refused_play_of_the_sample_game_is_refused_as_printed(refused: dict[str, Any]) -> None:
    board = Board(placement for laid in TURNS[: refused["after_turn"]] for placement in laid)
    placements = placements_of(refused)
    for order in permutations(placements):
        with pytest.raises(RulesBroken) as caught:
            judge(board, order, [tile for _, tile in placements])
        assert caught.value.code == refused["code"]


def test_no_diamond_line_is_scored_across_the_gap_in_turn_eight() -> None:
    board = Board(placement for laid in TURNS[:7] for placement in laid)
    made = judge(board, TURNS[7], [tile for _, tile in TURNS[7]])
    orange_diamond, a_standing_diamond = cell_at(-3, 1), cell_at(-1, 1)
    assert a_standing_diamond in board.tiles
    assert lengths(made) == [3]
    assert orange_diamond in made.lines[0].cells
    assert a_standing_diamond not in made.lines[0].cells
