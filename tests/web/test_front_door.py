"""The ways into a game: the computer, a friend, a code, a link."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.api.client import Client
from tests.contract.npm import run_package
from tests.web.browser_user import BrowserUser

pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)

OpenPage = Callable[..., BrowserUser]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
READ_QR = """
const { existsSync, readFileSync } = require("fs");
const bins = process.env.PATH.split(":").map((bin) => bin.replace(/\\.bin$/, "jsqr/dist/jsQR.js"));
const read = require(bins.find((file) => existsSync(file)));
const [side, file] = process.argv.slice(-2);
const found = read(new Uint8ClampedArray(readFileSync(file)), Number(side), Number(side));
process.stdout.write(found ? found.data : "");
"""


def test_one_tap_starts_a_game_against_the_computer(client: Client, open_page: OpenPage) -> None:
    ada = open_page(**PHONE).enter()
    ada.button("Medium").tap()
    assert len(ada.whole_hand()) == 6
    game = client.get(f"/v1/games/{ada.game_id}").ok().json
    assert [player["bot"] for player in game["players"]] == [None, "medium"]
    assert game["edition"] == "english"
    assert ada.find("[class=question]").count() == 0, "nobody has to bid"


@pytest.mark.parametrize(("language", "edition"), [("ru", "russian"), ("pl", "polish"),
                                                   ("de", "schmidt")])  # fmt: skip
def test_the_edition_follows_the_language(
    client: Client, open_page: OpenPage, language: str, edition: str
) -> None:
    ada = open_page(language=language).enter()
    ada.find("#level-easy").click()
    ada.whole_hand()
    assert client.get(f"/v1/games/{ada.game_id}").ok().json["edition"] == edition


def test_an_opening_may_be_laid_anywhere(client: Client, open_page: OpenPage) -> None:
    hands = [
        ["red-circle", "red-square", "red-star", "blue-cross", "green-clover", "yellow-diamond"],
        ["blue-star", "green-square"],
    ]
    players = [{"name": "Ada"}, {"name": "Ben"}]
    body = {"players": players, "auto_bid": True, "setup": {"hands": hands, "bag": []}}
    created = client.post("/v1/games", body).ok(201).json
    ada = open_page().enter()
    ada.keep_seat(created, 0, "Ada")
    ada.enter(f"#game={created['game']['id']}")
    ada.whole_hand()
    for column, tile in enumerate(hands[0][:3]):
        ada.drag(tile, column - 2, 2)
    ada.play_for(3)
    ada.sees_scores(3, 0)
    board = client.get(f"/v1/games/{ada.game_id}").ok().json["board"]
    assert {(each["x"], each["y"]) for each in board} == {(-1, 0), (0, 0), (1, 0)}


def test_a_friend_joins_by_code_and_the_game_deals_itself(open_page: OpenPage) -> None:
    host, guest = open_page().enter(), open_page(**PHONE).enter()
    host.find("#name").fill("Ada")
    host.find("#name").blur()
    host.button("Invite by link or code").click()
    code = host.find("#shown-code").inner_text()
    assert re.fullmatch(r"\w{4}-\w{4}", code)
    guest.find("#code").fill("AAAA-AAAA")
    guest.button("Join").tap()
    expect(guest.find("#code-fault")).to_contain_text("No table waits under this code.")
    guest.faults = [each for each in guest.faults if "status of 404" not in each]
    guest.find("#code").fill(code.lower().replace("-", ""))
    guest.button("Join").tap()
    for user in (host, guest):
        assert len(user.whole_hand()) == 6


def test_the_qr_code_leads_to_the_invitation(open_page: OpenPage, tmp_path: Path) -> None:
    host, guest = open_page(device_scale_factor=2).enter(), open_page()
    host.button("Invite by link or code").click()
    image = Image.open(BytesIO(host.find(".qr").screenshot())).convert("RGBA")
    side = min(image.size)
    pixels = tmp_path / "pixels"
    pixels.write_bytes(image.crop((0, 0, side, side)).tobytes())
    link = run_package("jsqr@1.4.0", "node", "-e", READ_QR, str(side), str(pixels)).stdout
    assert link == host.find("#invite").input_value()
    guest.page.goto(link)
    expect(guest.find("h1")).to_contain_text("invites you to play")


def test_the_host_fills_the_table_with_bots(client: Client, open_page: OpenPage) -> None:
    host = open_page().enter()
    host.button("Invite by link or code").click()
    host.button("One more seat").click()
    expect(host.find(".seats-list li")).to_have_count(3)
    host.find("button", has_text="Hard").click()
    expect(host.find(".seats-list .taken")).to_have_count(2)
    host.button("Remove Fox").click()
    expect(host.find(".seats-list .taken")).to_have_count(1)
    host.find("button", has_text="Easy").click()
    expect(host.find(".seats-list .taken")).to_have_count(2)
    host.find("button", has_text="Medium").click()
    assert len(host.whole_hand()) == 6
    players = client.get(f"/v1/games/{host.game_id}").ok().json["players"]
    assert {player["bot"] for player in players} == {None, "easy", "medium"}


def test_a_cut_off_link_says_so(open_page: OpenPage) -> None:
    ada = open_page().enter("#game=abc")
    expect(ada.find("#toasts")).to_contain_text("This link is incomplete.")
    expect(ada.button("Medium")).to_be_visible()


def test_a_private_game_offers_no_seat_without_its_code(
    client: Client, open_page: OpenPage
) -> None:
    body = {"seats": 2, "players": [{"name": "Ada"}], "private": True}
    game_id = client.post("/v1/games", body).ok(201).json["game"]["id"]
    spectator = open_page().enter(f"#game={game_id}")
    expect(spectator.find(".waiting")).to_contain_text("You are watching.")
    assert spectator.find("#join-name").count() == 0


def test_your_tables_are_listed_with_opponents_and_turn(
    client: Client, open_page: OpenPage
) -> None:
    table = client.position("ro", "rs rd rx", "bo go bs")
    ada = open_page().enter()
    ada.keep_seat(table.created, 0, "Ada")
    ada.page.reload()
    mine = ada.find(".mine li")
    expect(mine).to_have_count(1)
    expect(mine).to_contain_text("Your turn.")
    expect(mine.locator("b")).to_have_text(table.view()["players"][1]["name"])
    ada.button("Forget the game").click()
    expect(mine).to_have_count(0)
