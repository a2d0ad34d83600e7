"""Whole games in the browser."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.api.client import Client
from tests.web.browser_user import BrowserUser

# One store is enough: other tests check that both give the same responses.
pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)

OpenPage = Callable[..., BrowserUser]

ADA = ["red-circle", "red-square", "red-diamond", "blue-star", "green-clover", "purple-cross"]
BEN = [
    "blue-circle",
    "green-circle",
    "yellow-square",
    "orange-diamond",
    "purple-star",
    "blue-cross",
]
BAG = ["orange-circle", "yellow-circle", "red-star", "blue-square", "green-square"]


def open_table(client: Client, players: list[dict[str, Any]], **setup: Any) -> dict[str, Any]:
    """A private game from a position; open seats are taken through the link."""
    body = {"seats": 2, "players": players, "private": True, "seed": "page", "setup": setup}
    created: dict[str, Any] = client.post("/v1/games", body).ok(201).json
    return created


def finish(client: Client, game_id: str, seated: dict[int, BrowserUser]) -> dict[str, Any]:
    """Let these users play until the game is over; returns its final view."""
    for _ in range(60):
        game: dict[str, Any] = client.get(f"/v1/games/{game_id}").ok().json
        if game["status"] == "finished":
            return game
        user = seated.get(game["turn"]["seat"])
        if user is None:
            # A bot's turn: wait for its event.
            client.get(f"/v1/games/{game_id}/events?after={game['version']}&wait=30").ok()
            continue
        user.sees_version(game["version"])
        user.take_any_turn()
        expect(user.find("main")).not_to_have_attribute("data-version", str(game["version"]))
    raise AssertionError("the game did not end")


def test_two_people_play_a_whole_game_in_two_windows(client: Client, open_page: OpenPage) -> None:
    created = open_table(client, [], hands=[ADA, BEN], bag=BAG)
    game_id = created["game"]["id"]
    ada, ben = open_page().sit_down(created, "Ada"), open_page().sit_down(created, "Ben")

    # A wrong bid is rejected with a message; after the bids both see who opens.
    ada.bid(*ADA[:4])
    expect(ada.find("#status.fault")).to_contain_text("blue star")
    ada.find('.slot[data-tile="blue-star"]').click()
    ada.bid()
    ben.bid(*BEN[:2])
    expect(ada.find("#status")).to_contain_text("You open: lay your line of 3 tiles, anywhere.")
    assert ada.find("#status.fault").count() == 0, "the old error is still there"
    expect(ben.find("#status")).to_contain_text("It is Ada's turn.")
    assert sorted(ben.hand()) == sorted(BEN)

    # An incomplete opening is not reported as an error.
    ada.drag(ADA[1], 1, 0)
    expect(ada.find("#status")).to_have_text("You open: lay your line of 3 tiles, anywhere.")
    assert ada.find(".fault, .wrong").count() == 0
    ada.drag(ADA[0], 0, 0)
    ada.drag(ADA[2], 2, 0)
    ada.play_for(3)

    # An illegal play is explained at its cell and cannot be played.
    expect(ben.may("play")).to_have_count(1)
    ben.drag("blue-circle", 3, 0)
    expect(ben.find(".note.fault")).to_have_text("Neither one colour nor one shape.")
    expect(ben.find(".piece.laid.wrong")).to_have_count(1)
    expect(ben.button("Play")).to_be_disabled()
    ben.button("Undo").click()
    expect(ben.find(".note.fault")).to_have_count(0)

    ben.button("Exchange …").click()
    ben.find('.slot[data-tile="purple-star"]').click()
    ben.button("Exchange 1 tile").click()
    expect(ada.find("#status")).to_contain_text("Ben exchanges 1 tile.")

    # After a reload in the middle of a turn the laid tiles are still there, and are played once.
    ada.drag("orange-circle", 0, 1)
    ada.drag("yellow-circle", 0, 2)
    expect(ada.button("Play for 3 points")).to_be_enabled()
    ada.page.reload()
    expect(ada.find(".piece.laid")).to_have_count(2)
    ada.play_for(3)
    expect(ben.find("#status")).to_contain_text("Ada scores 3 points.")
    ben.sees_scores(6, 0)
    expect(ben.find(".piece.fresh")).to_have_count(2)

    end = finish(client, game_id, {0: ada, 1: ben})
    for user in (ada, ben):
        expect(user.find(".winner")).to_be_visible()
        user.sees_scores(*(player["score"] for player in end["players"]))
    turns = client.get(f"/v1/games/{game_id}/score").ok().json["turns"]
    expect(ada.find(".turns .entry")).to_have_count(len(turns))

    ada.button("Rematch").click()
    expect(ada.find(".waiting")).to_contain_text("Waiting for the other players of the last game")
    ben.button("Play Ada again").click()
    for user in (ada, ben):
        expect(user.find("#status")).to_contain_text("Tap the tiles of your longest line")
    assert ada.game_id == ben.game_id != game_id


def test_a_game_against_the_expert_and_its_verification(
    client: Client, open_page: OpenPage
) -> None:
    expert = {"name": "Owl", "bot": "expert"}
    created = open_table(client, [expert], hands=[BEN, ADA], bag=[])
    ada = open_page().sit_down(created, "Ada")
    ada.bid(*ADA[:3])
    end = finish(client, created["game"]["id"], {1: ada})
    expect(ada.find(".winner")).to_be_visible()

    ada.button("Replay and verify").click()
    steps = end["version"]
    expect(ada.find("#step")).to_have_value(str(steps - 1))
    expect(ada.find(".piece")).to_have_count(len(end["board"]))
    ada.button("Go to the start").click()
    expect(ada.find(".piece")).to_have_count(0)
    ada.sees_scores(0, 0)
    ada.button("Verify this game").click()
    expect(ada.find(".proof.right")).to_contain_text(f"{steps} events recomputed")


def test_two_people_start_a_game_on_one_device_from_the_lobby(open_page: OpenPage) -> None:
    page = open_page().enter().open_custom_form()
    page.find("#seat-1").select_option("here")
    page.find("#seat-0-name").fill("Ada")
    page.find("#seat-1-name").fill("Ben")
    page.find("summary").click()
    page.find("#auto-bid").uncheck()
    page.button("Start the game").click()
    hands = []
    for name in ("Ada", "Ben"):
        # No tiles are on the screen or in the page before their owner asks for them.
        show = page.button(f"I am {name}: show my tiles")
        expect(show).to_be_visible()
        assert page.find(".slot").count() == 0
        show.click()
        hands.append(page.whole_hand())
        page.bid(*longest_line(hands[-1]))
    expect(page.find("#status")).to_contain_text(re.compile("It is (Ada|Ben)'s turn."))
    assert page.find(".slot").count() == 0


def longest_line(hand: list[str]) -> list[str]:
    """A longest line in a hand."""
    parts = [tuple(tile.split("-")) for tile in dict.fromkeys(hand)]
    lines = [
        [part for part in parts if part[side] == own[side]] for own in parts for side in (0, 1)
    ]
    return ["-".join(part) for part in max(lines, key=len)]


def test_everybody_on_one_device_and_the_bot_join_the_rematch(
    client: Client, open_page: OpenPage
) -> None:
    page = open_page().enter().open_custom_form()
    page.find("#seats").select_option("3")
    for seat, (kind, name) in enumerate((("here", "Ada"), ("greedy", "Robo"), ("here", "Ben"))):
        page.find(f"#seat-{seat}").select_option(kind)
        page.find(f"#seat-{seat}-name").fill(name)
    page.find("summary").click()
    page.find("#auto-bid").uncheck()
    page.button("Start the game").click()
    expect(page.button("I am Ada: show my tiles")).to_be_visible()
    first = page.game_id
    kept = page.page.evaluate("id => JSON.parse(localStorage['qwirkle.tables'])[id].seats", first)
    for seat in ("0", "2"):
        client.post(f"/v1/games/{first}/resignations", token=kept[seat]["token"]).ok(201)
    page.button("Rematch").click()
    expect(page.button("I am Ben: show my tiles")).to_be_visible()
    assert page.game_id != first
    game = client.get(f"/v1/games/{page.game_id}").ok().json
    assert [player["name"] for player in game["players"]] == ["Robo", "Ben", "Ada"]


def test_a_guest_joins_by_link_and_again_in_the_rematch(open_page: OpenPage) -> None:
    host, guest = open_page(), open_page()
    host.enter().open_custom_form().find("#seat-1").select_option("elsewhere")
    host.find("#seat-0-name").fill("Ada")
    host.button("Start the game").click()
    link = host.find("#invite").input_value()
    guest.page.goto(link)
    guest.find("#join-name").fill("Ben")
    guest.button("Sit down").click()
    host.button("Deal the tiles").click()
    expect(host.find(".player.turn")).to_have_count(1)
    first = host.game_id

    guest.button("Menu").click()
    guest.button("Leave the game").click()
    guest.button("Leave for good").click()
    expect(guest.find(".panel")).to_contain_text("You have left the game.")
    expect(host.find(".winner")).to_have_text("You win!")

    guest.button("Rematch").click()
    expect(guest.find(".waiting")).to_contain_text("Waiting for the other players of the last game")
    assert guest.find("#join-name").count() == 0, "the remaining seat is the host's"
    expect(host.find(".rematch")).to_have_text("Ben: ready for a rematch.")
    host.button("Play Ben again").click()
    host.page.wait_for_url(re.compile(guest.game_id))
    for user in (host, guest):
        assert len(user.whole_hand()) == 6
    assert host.game_id == guest.game_id != first


def test_a_spectator_sees_the_play_but_no_hand(client: Client, open_page: OpenPage) -> None:
    table = client.position("ro", "rs rd rx", "bo go bs")
    spectator = open_page(color_scheme="dark").enter(f"#game={table.id}")
    expect(spectator.find(".panel")).to_contain_text("You are watching this game.")
    expect(spectator.find(".piece")).to_have_count(1)
    assert spectator.find(".slot").count() == 0
