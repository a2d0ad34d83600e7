"""Games that start from a given position, and positions from which no game can start."""

from collections import Counter
from typing import Any

import pytest

from service.rules.notation import parse_board
from tests.api.client import Client, Table, placements_of, tiles_of
from tests.api.fairness import KINDS

HAND = "rd bo y* gc px oo"
OTHER = "rc yo b* gs pd ox"


def board(text: str) -> list[dict[str, Any]]:
    return placements_of(parse_board(text).tiles.items())


def start(client: Client, setup: dict[str, Any], **choices: Any) -> Table:
    return client.create(setup=setup, **choices)


def test_an_empty_setup_is_a_game_at_the_bids_with_drawn_hands(client: Client) -> None:
    view = start(client, {}).view()
    assert (view["status"], view["setup"], view["bag_count"]) == ("bidding", True, 96)
    assert [player["hand_count"] for player in view["players"]] == [6, 6]


def test_a_board_alone_starts_in_play_at_seat_zero(client: Client) -> None:
    table = start(client, {"board": board("ro rs\nbo ..")})
    view = table.view()
    assert (view["status"], view["turn"]["seat"], view["bag_count"]) == ("playing", 0, 93)
    assert {(laid["tile"], laid["x"], laid["y"], laid["turn"]) for laid in view["board"]} == {
        ("red-circle", 0, 0, 0),
        ("red-square", 1, 0, 0),
        ("blue-circle", 0, 1, 0),
    }
    for seat in (0, 1):
        assert len(table.hand(seat)) == 6
        assert table.look(seat, "/unseen").json["total"] == 99


def test_everything_given_is_as_given(client: Client) -> None:
    setup = {
        "board": board("ro rs"),
        "hands": [tiles_of(HAND), tiles_of(OTHER)],
        "bag": tiles_of("gx gd"),
        "scores": [40, 7],
        "turn": 1,
    }
    table = start(client, setup)
    view = table.view()
    assert view["turn"] == {"number": 1, "seat": 1, "opening": False, "deadline": None}
    assert [player["score"] for player in view["players"]] == [40, 7]
    assert sorted(table.hand(0)) == sorted(tiles_of(HAND))
    answer = table.play(1, "rc@2,0").ok(201).json
    assert answer["play"]["drew"] == ["green-cross"], "the bag is in draw order"
    assert answer["game"]["players"][1]["score"] == 10
    assert answer["game"]["board"][-1]["turn"] == 1


def test_a_null_hand_is_drawn_from_the_given_bag(client: Client) -> None:
    setup = {"board": board("ro"), "hands": [tiles_of("rd"), None], "bag": tiles_of(OTHER)}
    table = start(client, setup)
    assert table.hand(0) == ["red-diamond"]
    assert sorted(table.hand(1)) == sorted(tiles_of(OTHER))
    assert table.view()["bag_count"] == 0


def test_a_hand_given_leaves_the_rest_to_the_draw(client: Client) -> None:
    table = start(client, {"hands": [tiles_of("ro ro ro rs rd r*"), None]}, seed="draw")
    assert table.hand(0).count("red-circle") == 3
    assert "red-circle" not in table.hand(1)
    unseen = table.look(0, "/unseen").json["tiles"]
    assert Counter(unseen) + Counter(table.hand(0)) == Counter(KINDS * 3)
    again = start(client, {"hands": [tiles_of("ro ro ro rs rd r*"), None]}, seed="draw")
    assert again.hand(1) == table.hand(1), "a seed fixes what is drawn"


def test_a_setup_starts_when_its_last_seat_is_taken_without_a_deal(client: Client) -> None:
    setup = {"board": board("ro rs"), "hands": [tiles_of(HAND), tiles_of(OTHER)], "bag": []}
    table = start(client, setup, seats=2, players=1)
    view = table.view(0)
    assert (view["status"], view["you"]["hand"], len(view["board"])) == ("waiting", [], 2)
    joined = table.join("Eve").ok(201).json
    assert joined["game"]["status"] == "playing"
    assert sorted(joined["game"]["you"]["hand"]) == sorted(tiles_of(OTHER))
    table.deal().refused(409, "wrong_phase")


def test_a_setup_without_a_board_bids_by_itself_if_asked(client: Client) -> None:
    setup = {"hands": [tiles_of("ro rs rd bo y* gc"), tiles_of("bs bd go ys pc ox")], "bag": []}
    view = start(client, setup, auto_bid=True).view()
    assert (view["status"], view["turn"]["seat"]) == ("playing", 0)
    assert [player["bid"] for player in view["players"]] == [3, 2]


IMPOSSIBLE: list[tuple[str, dict[str, Any], str]] = [
    ("a fourth of a kind", {"bag": tiles_of("ro ro ro ro")}, "three tiles of each kind"),
    (
        "a fourth in all",
        {"board": board("ro"), "hands": [tiles_of("ro ro ro rs rd r*"), None]},
        "three tiles of each kind",
    ),
    ("two on one cell", {"board": board("ro") * 2}, "There is more than one tile on (0, 0)"),
    ("pieces", {"board": board("ro .. ro")}, "All tiles must be connected"),
    ("a mixed line", {"board": board("ro bs")}, "share"),
    ("a line with a tile twice", {"board": board("ro ro")}, "same tile twice"),
    ("a line of seven", {"board": board("ro rs rd r* rc rx ro")}, "at most six"),
    ("a turn without a board", {"turn": 1}, "do not give a turn"),
    ("an empty hand", {"board": board("ro"), "hands": [[], tiles_of(HAND)], "bag": []}, "Seat 0"),
    (
        "a short hand beside a bag",
        {"board": board("ro"), "hands": [tiles_of("rs"), tiles_of(HAND)], "bag": tiles_of("gx")},
        "Seat 0 holds fewer than six",
    ),
    ("a bag too small to draw from", {"bag": tiles_of("ro rs rd r* rc rx")}, "Seat 1"),
    (
        "nothing to do",
        {"board": board("ro"), "hands": [tiles_of("bs"), tiles_of("g*")], "bag": []},
        "nobody could make a move",
    ),
]


@pytest.mark.parametrize(
    ("setup", "why"), [each[1:] for each in IMPOSSIBLE], ids=[each[0] for each in IMPOSSIBLE]
)
def test_an_impossible_position_is_refused_with_its_reason(
    setup: dict[str, Any], why: str, client: Client
) -> None:
    answer = client.post("/v1/games", {"seats": 2, "setup": setup})
    answer.refused(422, "setup_impossible")
    assert any(why in violation["detail"] for violation in answer.json["violations"])


def test_all_that_is_impossible_is_told_at_once(client: Client) -> None:
    setup = {"board": board("ro bs .. ro"), "bag": tiles_of("gx gx gx gx")}
    answer = client.post("/v1/games", {"seats": 2, "setup": setup})
    assert len(answer.refused(422, "setup_impossible").json["violations"]) == 3


@pytest.mark.parametrize(
    ("setup", "pointer"),
    [
        ({"hands": [None] * 3}, "/setup/hands"),
        ({"scores": [1, 2, 3]}, "/setup/scores"),
        ({"board": [], "turn": 2}, "/setup/turn"),
        ({"scores": [1, -1]}, "/setup/scores/1"),
        ({"hands": [["red-circle"] * 7, None]}, "/setup/hands/0"),
        ({"board": [{"tile": "red-circle", "x": 501, "y": 0}]}, "/setup/board/0/x"),
        ({"bag": ["red-blob"]}, "/setup/bag/0"),
        ({"stray": 1}, "/setup/stray"),
    ],
)
def test_a_setup_that_makes_no_sense_is_malformed(
    setup: dict[str, Any], pointer: str, client: Client
) -> None:
    answer = client.post("/v1/games", {"seats": 2, "setup": setup})
    errors = answer.refused(400, "malformed_request").json["errors"]
    assert [error["pointer"] for error in errors] == [pointer]
