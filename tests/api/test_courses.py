"""The course of a game over HTTP: how it opens, who moves, how it is left, how it ends."""

import pytest

from tests.api.client import Client, Table
from tests.api.positions import HAND, OTHER, at_the_bids, finished, in_play, waiting
from tests.rules.stated_draw import stated_lot

THREE = "bd b* yc gx ox os"


def equal_bids(client: Client, edition: str, *ages: int | None) -> Table:
    """Players whose longest lines are equal."""
    hands = ("ro rs b* gc px yd", "bo bs r* yc gx pd", "go gs y* pc ox bd")[: len(ages)]
    players = [{"name": f"P{n}", "age": age} for n, age in enumerate(ages)]
    table = client.position("", *hands, edition=edition, players=players)
    for seat in range(len(ages)):
        table.bid(seat, 2).ok(201)
    return table


@pytest.mark.parametrize(
    ("edition", "ages", "opener"),
    [
        ("schmidt", (30, 9, 40), 1),
        ("travel", (30, 9, 40), 1),
        ("polish", (30, 9, 40), 2),
        ("english", (30, 9, 40), 2),
        ("russian", (30, 9, 40), 2),
        ("schmidt", (40, 0), 1),
    ],
)
def test_among_equal_bids_age_decides_as_the_edition_says(
    edition: str, ages: tuple[int | None, ...], opener: int, client: Client
) -> None:
    view = equal_bids(client, edition, *ages).view()
    assert view["edition"] == edition
    assert view["turn"] == {"number": 1, "seat": opener, "opening": True, "deadline": None}


@pytest.mark.parametrize(
    ("edition", "ages", "tied"),
    [
        ("schmidt", (30, None, 9), [0, 1, 2]),
        ("english", (30, None, 90), [0, 1, 2]),
        ("schmidt", (40, 9, 9), [1, 2]),
        ("russian", (40, 40, 9), [0, 1]),
    ],
)
def test_what_age_leaves_open_the_lot_decides_by_the_seed(
    edition: str, ages: tuple[int | None, ...], tied: list[int], client: Client
) -> None:
    openers = set()
    for _ in range(40):
        table = equal_bids(client, edition, *ages)
        opener = table.view()["turn"]["seat"]
        for seat in (0, 1):
            table.resign(seat).ok(201)
        view = table.view()
        assert opener == stated_lot(tied, bytes.fromhex(view["seed"]), event=4)
        openers.add(opener)
    assert openers == set(tied), "one of them never opens"


def test_the_editions_are_listed_with_their_ties(client: Client) -> None:
    listed = client.get("/v1/editions").ok(200).json
    ties = {edition["id"]: edition["tie"] for edition in listed["editions"]}
    young, old = "youngest", "oldest"
    assert ties == {
        "schmidt": young, "travel": young, "polish": old, "english": old, "russian": old,
    }  # fmt: skip
    assert (len(listed["colours"]), len(listed["shapes"])) == (6, 6)


def test_while_bidding_nobody_is_in_turn(client: Client) -> None:
    table = at_the_bids(client)
    assert table.view()["turn"] == {"number": 0, "seat": None, "opening": False, "deadline": None}
    assert table.view(0)["you"]["actions"] == ["bid"]
    table.bid(1, 2).ok(201)
    assert table.view(1)["you"]["actions"] == []
    assert [player["bid"] for player in table.view()["players"]] == [None, 2]


def test_auto_bid_declares_every_longest_line_at_the_deal(client: Client) -> None:
    table = client.create(players=4, auto_bid=True)
    dealt = table.deal().ok(200).json
    assert dealt["status"] == "playing"
    bids = [player["bid"] for player in dealt["players"]]
    assert bids[dealt["turn"]["seat"]] == max(bids)
    assert dealt["turn"]["opening"]
    assert dealt["last_event"] == {"n": 2, "type": "dealt"}


def test_a_bid_by_its_tiles_must_be_a_longest_line(client: Client) -> None:
    table = at_the_bids(client)

    def bid(*tiles: str) -> str | None:
        return table.act(0, "bids", {"tiles": tiles}).code

    assert bid("red-circle", "red-square") == "bid_too_low"
    assert bid("red-circle", "red-cross") == "tiles_not_in_hand"
    assert bid("red-circle", "red-circle") == "tiles_not_in_hand"
    assert bid("red-square", "blue-circle") == "line_mixed"
    assert bid("red-diamond", "red-circle", "red-square") is None


def test_the_actions_named_are_those_allowed(client: Client) -> None:
    table = in_play(client)
    assert table.view(0)["you"]["actions"] == ["play", "exchange"]
    assert table.view(1)["you"]["actions"] == []
    assert in_play(client, bag="").view(0)["you"]["actions"] == ["play"]
    stuck = client.position("ro", "bs yd g* pc ox bd", OTHER, bag="gx")
    assert stuck.view(0)["you"]["actions"] == ["exchange"]
    assert client.position("ro", "bs yd g*", OTHER).view(0)["you"]["actions"] == ["pass"]
    assert at_the_bids(client, auto_bid=True).view(0)["you"]["actions"] == ["play"]


# Joining


def test_seats_are_taken_from_the_lowest_and_dealt_when_all_are(client: Client) -> None:
    table = waiting(client, seats=4, players=1)
    table.deal().refused(409, "seats_open")
    assert [table.join(name).ok(201).json["seat"] for name in ("Eve", "Fay", "Gus")] == [1, 2, 3]
    table.join("Hal").refused(409, "table_full")
    view = table.deal().ok(200).json
    assert [player["name"] for player in view["players"]] == ["Ada", "Eve", "Fay", "Gus"]
    assert [player["hand_count"] for player in view["players"]] == [6] * 4
    assert view["bag_count"] == 108 - 24
    table.deal().refused(409, "wrong_phase")
    table.join("Hal").refused(409, "table_full")


def test_a_private_game_is_joined_with_its_code(client: Client) -> None:
    table = waiting(client, private=True)
    for body in ({}, {"join_code": None}, {"join_code": "x"}, {"join_code": table.join_code[:-1]}):
        table.join(body=body).refused(403, "join_code_wrong")
    joined = table.join(body={"join_code": f" {table.join_code.lower()} "}).ok(201).json
    assert joined["game"]["private"]
    assert joined["game"]["host"] is None
    assert waiting(client).join(body={"join_code": "needless"}).ok(201).json["seat"] == 2


def test_names_are_trimmed(client: Client) -> None:
    table = waiting(client)
    table.join("  Zo\u00eb \U0001f43b ").ok(201)
    assert table.view()["players"][2]["name"] == "Zo\u00eb \U0001f43b"


# Leaving


def test_leaving_while_waiting_opens_the_seat_again(client: Client) -> None:
    table = waiting(client, seats=2, players=2)
    view = table.resign(0).ok(201).json["game"]
    assert view["you"] is None
    assert [player["seat"] for player in view["players"]] == [1]
    table.deal().refused(409, "seats_open")
    assert table.join("Eve").ok(201).json["seat"] == 0
    table.deal().ok(200)


def test_leaving_while_bidding_leaves_the_opening_to_the_rest(client: Client) -> None:
    table = client.position("", "ro rs rd bo y* gc", "bs bd go ys pc ox", THREE, bag="gx gd")
    table.bid(1, 2).ok(201)
    table.bid(2, 2).ok(201)
    view = table.resign(0).ok(201).json["game"]
    assert (view["status"], view["turn"]["seat"]) == ("playing", 1)
    assert view["bag_count"] == 8
    assert view["players"][0]["resigned"]


def test_an_opener_who_leaves_is_replaced(client: Client) -> None:
    table = client.position(
        "", "ro rs rd bo y* gc", "bs bd go ys pc ox", THREE, bag="gx", auto_bid=True
    )
    assert table.view()["turn"]["seat"] == 0
    turn = table.resign(0).ok(201).json["game"]["turn"]
    assert (turn["seat"], turn["opening"], turn["number"]) == (1, True, 1)


def test_leaving_in_turn_hands_the_turn_on_and_the_hand_back(client: Client) -> None:
    table = client.position("ro rs", HAND, OTHER, THREE, bag="gx gd")
    table.pass_turn(1).refused(409, "not_your_turn")
    view = table.resign(0).ok(201).json["game"]
    assert (view["turn"]["seat"], view["bag_count"], view["removed_count"]) == (1, 8, 0)
    assert view["players"][0]["hand_count"] == 0
    assert view["you"] == {"seat": 0, "hand": [], "actions": []}
    table.play(0, "rd@2,0").refused(409, "wrong_phase")


def test_a_hand_left_beside_an_empty_bag_is_out_of_the_game(client: Client) -> None:
    table = client.position("ro rs", HAND, OTHER, THREE)
    view = table.resign(1).ok(201).json["game"]
    assert (view["bag_count"], view["removed_count"], view["turn"]["seat"]) == (0, 6, 0)
    assert table.look(rest="/unseen").json["total"] == 18


def test_the_last_player_wins_without_a_bonus(client: Client) -> None:
    table = finished(client)
    view = table.view()
    assert (view["status"], view["end"], view["winners"]) == ("finished", "last_player", [0])
    score = table.look(rest="/score").json
    assert score["final"]
    assert [player["bonus"] for player in score["players"]] == [0, 0]
    for refused in (table.resign(0), table.play(0, "rd@2,0"), table.exchange(0, "rd")):
        refused.refused(409, "wrong_phase")


# Ending


def test_laying_the_last_tile_beside_an_empty_bag_ends_the_game_with_six_points(
    client: Client,
) -> None:
    table = client.position("ro rs", "rd", OTHER)
    tried = table.preview(0, "rd@2,0").ok(200).json["play"]
    answer = table.play(0, "rd@2,0").ok(201).json
    assert answer["play"] == tried | {"drew": []}
    assert (answer["play"]["points"], answer["play"]["bonus"]) == (3, 6)
    view = answer["game"]
    assert (view["end"], view["winners"], view["players"][0]["score"]) == ("hand_empty", [0], 9)


def test_a_game_in_which_everybody_has_to_pass_is_over(client: Client) -> None:
    """The one tile that would fit has left the game with its player, and nobody knows that."""
    table = client.position("ro", "bs yd", "g* pc", "rs")
    table.resign(2).ok(201)
    table.pass_turn(0).ok(201)
    view = table.pass_turn(1).ok(201).json["game"]
    assert (view["status"], view["end"], view["winners"]) == ("finished", "all_passed", [0, 1])


def test_a_game_in_which_no_tile_can_ever_fit_again_is_over_at_once(client: Client) -> None:
    table = client.position("ro", "rs g*", "yd pc")
    view = table.play(0, "rs@1,0").ok(201).json["game"]
    assert (view["status"], view["end"], view["winners"]) == ("finished", "blocked", [0])
    assert view["players"][0]["score"] == 2


def test_a_finished_game_expires_earlier_than_one_in_play(client: Client) -> None:
    assert finished(client).view()["expires_at"] < in_play(client).view()["expires_at"]
