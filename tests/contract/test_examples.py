"""The examples fit their schemas, and the game they tell is a true one."""

import hashlib
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from service.rules.board import Board
from service.rules.cells import cell_at, xy
from service.rules.english_texts import describe
from service.rules.errors import RulesBroken
from service.rules.legal_plays import legal_plays
from service.rules.lines import longest_line
from service.rules.plays import Play, judge
from service.rules.tiles import NAMES, tile_named
from tests.contract.document import example, examples_of, media, operations, problems, written

Placements = list[dict[str, Any]]
EVERY_BODY = dict(body for operation in operations() for body in media(operation))
NO_OPERATION = {"method_not_allowed"}  # no operation gives it, so none shows it
GAMES: dict[str, Any] = {
    name: game
    for name, each in written()["components"]["examples"].items()
    if isinstance(each["value"], dict)
    and "bag_count" in (game := each["value"].get("game", each["value"]))
}


@pytest.mark.parametrize("label", EVERY_BODY)
def test_the_examples_of_a_body_fit_its_schema(label: str) -> None:
    content = EVERY_BODY[label]
    validator = Draft202012Validator(content["schema"], format_checker=FormatChecker())
    for each in examples_of(content):
        assert [fault.message for fault in validator.iter_errors(each)] == []


@pytest.mark.parametrize("code", sorted(problems().keys() - NO_OPERATION))
def test_the_example_of_a_problem_says_what_the_list_of_problems_says(code: str) -> None:
    about, problem = problems()[code], example(code)
    assert problem["code"] == code
    assert problem["status"] == about["status"]
    assert problem["title"] == about["title"]
    assert problem["type"] == f"/docs/problems#{code}"
    if problem["violations"]:
        assert problem["violations"][0]["code"] == code
        assert problem["violations"][0]["detail"] == problem["detail"]


def test_no_example_is_left_unused() -> None:
    used = str([written()[name] for name in ("paths", "webhooks")])
    used += str(written()["components"]["responses"])
    for name in written()["components"]["examples"]:
        assert f"#/components/examples/{name}'" in used, name


def test_the_opening_is_as_long_as_the_bid_and_scores_what_it_says() -> None:
    hand = example("bid_made")["game"]["you"]["hand"]
    bid = example("bid_by_length")["length"]
    assert longest_line(tiles(hand)) == bid == len(example("bid_by_tiles")["tiles"])
    opening = judge(Board(), laid(example("opening_request")["placements"]), tiles(hand), bid)
    assert scored(opening) == without_draws(example("opening_played")["play"])
    assert scored(opening) == without_draws(example("play_tried")["play"])


def test_the_score_sheet_follows_from_the_board() -> None:
    board, on_table = Board(), example("game_watched")["board"]
    for turn in example("score_so_far")["turns"]:
        placements = laid([tile for tile in on_table if tile["turn"] == turn["number"]])
        if turn["type"] == "exchanged":
            assert placements == []
            continue
        opening = len(placements) if turn["number"] == 1 else None
        play = judge(board, placements, [tile for _, tile in placements], opening)
        assert scored(play) == {name: turn[name] for name in ("points", "lines")}
        board = board.with_tiles(placements)
    totals = {each["seat"]: each["score"] for each in example("score_so_far")["players"]}
    assert totals == {each["seat"]: each["score"] for each in example("game_watched")["players"]}


def test_the_legal_plays_are_the_best_of_all_that_there_are() -> None:
    game, listed = example("game_in_turn"), example("legal_plays")
    found = legal_plays(Board(laid(game["board"])), tiles(game["you"]["hand"]))
    assert listed["count"] == len(found)
    best = sorted((play.points for play in found), reverse=True)
    assert [play["points"] for play in listed["plays"]] == best[: len(listed["plays"])]
    for play in listed["plays"]:
        assert any(
            sorted(laid(play["placements"])) == sorted(each.placements)
            and scored(each) == {"points": play["points"], "lines": play["lines"]}
            for each in found
        )


@pytest.mark.parametrize(
    ("code", "placed"),
    [
        ("tiles_not_in_hand", ["red-cross 4 0"]),
        ("cell_occupied", ["blue-star 2 0"]),
        ("cell_repeated", ["blue-star 2 -1", "orange-star 2 -1"]),
        ("not_in_one_line", ["purple-circle 0 -1", "blue-star 2 -2"]),
        ("line_has_gap", ["purple-circle 0 -1", "purple-star 2 -1"]),
        ("not_touching", ["blue-star 5 5"]),
        ("line_mixed", ["blue-star 2 1"]),
    ],
)
def test_the_refusals_shown_are_what_the_rules_say_of_that_game(
    code: str, placed: list[str]
) -> None:
    game, placements = example("game_in_turn"), [each.split() for each in placed]
    with pytest.raises(RulesBroken) as refused:
        judge(
            Board(laid(game["board"])),
            [(cell_at(int(x), int(y)), tile_named(tile)) for tile, x, y in placements],
            tiles(game["you"]["hand"]),
        )
    assert example(code)["violations"] == [
        {
            "code": violation.code,
            "detail": describe(violation),
            "cells": [{"x": x, "y": y} for x, y in map(xy, violation.cells)],
            "tiles": [NAMES[tile] for tile in violation.tiles],
        }
        for violation in refused.value.violations
    ]


def test_what_is_unseen_is_neither_on_the_table_nor_in_the_hand() -> None:
    game, unseen = example("game_in_turn"), example("unseen")
    seen = [tile["tile"] for tile in game["board"]] + game["you"]["hand"]
    assert unseen["tiles"] == {name: 3 - seen.count(name) for name in NAMES}
    assert unseen["total"] == sum(unseen["tiles"].values()) == game["bag_count"] + 6


@pytest.mark.parametrize("name", GAMES)
def test_no_tile_is_lost_in_any_game_shown(name: str) -> None:
    game = GAMES[name]
    in_hands = sum(player["hand_count"] for player in game["players"])
    total = game["bag_count"] + game["removed_count"] + len(game["board"]) + in_hands
    assert total == (5 if game["setup"] else 108)


def test_the_last_tile_ends_the_short_game_with_six_points_more() -> None:
    setup, after = example("create_from_position")["setup"], example("last_tile_played")
    placements = laid(example("last_tile_request")["placements"])
    play = judge(Board(laid(setup["board"])), placements, tiles(setup["hands"][1]))
    assert scored(play) == without_draws(after["play"])
    assert not legal_plays(Board(laid(setup["board"])), tiles(setup["hands"][0]))
    gained = after["play"]["points"] + after["play"]["bonus"]
    assert after["game"]["players"][1]["score"] == setup["scores"][1] + gained


def test_a_revealed_seed_fits_its_commitment() -> None:
    game = example("game_finished")
    digest = hashlib.sha256(bytes.fromhex(game["seed"])).hexdigest()
    assert game["commitment"] == f"sha256:{digest}"


def tiles(names: list[str]) -> tuple[int, ...]:
    return tuple(tile_named(name) for name in names)


def laid(placements: Placements) -> list[tuple[int, int]]:
    return [(cell_at(each["x"], each["y"]), tile_named(each["tile"])) for each in placements]


def scored(play: Play) -> dict[str, Any]:
    lines = [
        {
            "cells": [{"x": x, "y": y} for x, y in map(xy, line.cells)],
            "points": line.points,
            "qwirkle": line.qwirkle,
        }
        for line in play.lines
    ]
    return {"points": play.points, "lines": lines}


def without_draws(play: dict[str, Any]) -> dict[str, Any]:
    return {"points": play["points"], "lines": play["lines"]}
