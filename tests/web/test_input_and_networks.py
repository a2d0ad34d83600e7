"""Keyboard only, touch on a phone, bad networks, and accessibility."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.api.client import Client, Table
from tests.contract.npm import run_package
from tests.web.browser_user import BrowserUser

pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)

OpenPage = Callable[..., BrowserUser]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
AXE = "axe-core@4.11.0"
PRINT_AXE = """
const { existsSync, readFileSync } = require("fs");
for (const bin of process.env.PATH.split(":")) {
  const file = bin.replace(/\\.bin$/, "axe-core/axe.min.js");
  if (file !== bin && existsSync(file)) { process.stdout.write(readFileSync(file)); break; }
}
"""


def game_with_open_seat(client: Client, *hands: str, **choices: Any) -> Table:
    """Ada has joined and is played by the test; the second seat is open."""
    setup = {
        "board": [{"tile": "red-circle", "x": 0, "y": 0}],
        "hands": [tiles(hand) for hand in hands],
        "bag": [],
        "turn": 1,
    }
    return client.create(players=[{"name": "Ada"}], seats=2, private=True, setup=setup, **choices)


def tiles(text: str) -> list[str]:
    return text.split()


def test_a_whole_game_with_the_keyboard_alone(client: Client, open_page: OpenPage) -> None:
    hands = "green-clover", "red-square red-star blue-star"
    table = game_with_open_seat(client, *hands)
    ben = open_page(reduced_motion="reduce")
    keys = ben.page.keyboard
    ben.enter(f"#game={table.id}&code={table.join_code}")
    expect(ben.find("#join-name")).to_be_visible()
    tab_to(ben, "#join-name")
    keys.type("Ben")
    keys.press("Enter")
    expect(ben.may("play")).to_have_count(1)

    # The first tile is laid by its number at the cursor, the second is selected in the hand.
    tab_to(ben, "#board")
    keys.press("ArrowRight")
    expect(ben.find("#announcements")).to_have_text("Column 1, row 0: empty")
    keys.press(str(1 + ben.hand().index("red-square")))
    expect(ben.find("#announcements")).to_contain_text("This scores 2 points.")
    tab_to(ben, '.slot[data-tile="red-star"]')
    keys.press("Enter")
    keys.press("ArrowRight")
    keys.press("Enter")
    expect(ben.find("#announcements")).to_contain_text("This scores 3 points.")
    keys.press("Control+Enter")
    ben.sees_scores(0, 3)

    table.pass_turn(0).ok(201)
    expect(ben.may("play")).to_have_count(1)
    keys.press("h")
    expect(ben.button("Play for 8 points")).to_be_enabled()
    tab_to(ben, ".actions button.primary")
    keys.press("Enter")
    expect(ben.find(".winner")).to_have_text("You win!")


def tab_to(user: BrowserUser, selector: str) -> None:
    """Press Tab until the element has the focus."""
    for _ in range(30):
        if user.find(f"{selector}:focus").count():
            return
        user.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def test_a_phone_held_upright_is_played_by_touch(client: Client, open_page: OpenPage) -> None:
    table = game_with_open_seat(client, "green-clover", "red-square red-star blue-star")
    ben = open_page(**PHONE).sit_down(table.created, "Ben")
    page = ben.page
    expect(ben.may("play")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    # Two fingers zoom and lay nothing.
    before = ben.find("#board svg.drawing").get_attribute("viewBox")
    x, y = ben.where(0, 0)
    touch(ben, [[(x - 20, y), (x + 20, y)], [(x - 60, y), (x + 60, y)], []])
    expect(ben.find("#board svg.drawing")).not_to_have_attribute("viewBox", before or "")
    ben.button("Show the whole board").tap()

    # One tile is laid by taps, the other dragged: it is shown a little above the finger.
    ben.find('.slot[data-tile="red-square"]').tap()
    page.touchscreen.tap(*ben.where(1, 0))
    expect(ben.find(".piece.laid")).to_have_count(1)
    slot = ben.find('.slot[data-tile="red-star"]').bounding_box()
    assert slot
    start = (slot["x"] + slot["width"] / 2, slot["y"] + slot["height"] / 2)
    left, top = ben.where(2, 0)
    below = (left, top + slot["width"] * 0.55)
    halfway = ((start[0] + below[0]) / 2, (start[1] + below[1]) / 2)
    touch(ben, [[start], [halfway], [below], []])
    ben.play_for(3)
    ben.sees_scores(0, 3)
    assert [(each["x"], each["y"]) for each in table.view()["board"]] == [(0, 0), (1, 0), (2, 0)]

    ben.button("Score sheet and unseen tiles").tap()
    expect(ben.find(".turns .entry")).to_contain_text("You")


def touch(user: BrowserUser, steps: list[list[tuple[float, float]]]) -> None:
    """Touch the screen step by step; the last step lifts the fingers."""
    session = user.context.new_cdp_session(user.page)
    kinds = ["touchStart", *["touchMove"] * (len(steps) - 2), "touchEnd"]
    for kind, fingers in zip(kinds, steps, strict=True):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()


def test_a_lost_network_is_shown_and_a_lost_answer_plays_once(
    client: Client, open_page: OpenPage
) -> None:
    table = game_with_open_seat(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = open_page().sit_down(table.created, "Ben")
    expect(ben.may("play")).to_have_count(1)
    ben.drag("red-square", 1, 0)

    # The play is committed, but its response and all later ones are lost, also after a reload.
    keys: list[str] = []
    lost = True

    def lose(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if lost and len(keys) == 1:
            route.fetch()
        if lost:
            route.abort()
        else:
            route.continue_()

    plays = re.compile(r"/plays$")
    ben.page.route(plays, lose)
    ben.play_for(2)
    ben.sees_scores(0, 2)
    ben.page.reload()
    expect(ben.find("#connection")).to_have_text("No connection. Trying again …")
    with ben.page.expect_response(plays) as answered:
        lost = False
    assert answered.value.headers["idempotency-replayed"] == "true"
    expect(ben.find("#status")).to_contain_text("It is Ada's turn.")
    ben.sees_scores(0, 2)
    assert len(set(keys)) == 1
    assert [player["score"] for player in table.view()["players"]] == [0, 2]

    ben.context.set_offline(True)
    expect(ben.find("#connection")).to_have_text("No connection. Trying again …")
    table.play(0, "rc@2,0").ok(201)
    ben.context.set_offline(False)
    expect(ben.find("#status")).to_contain_text("Ada scores 3 points.")
    expect(ben.find("#connection")).to_have_text("")
    ben.sees_scores(3, 2)
    expect(ben.may("play")).to_have_count(1)


def test_a_network_without_streams_falls_back_to_long_polling(
    client: Client, open_page: OpenPage
) -> None:
    table = game_with_open_seat(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = open_page().sit_down(table.created, "Ben")
    expect(ben.may("play")).to_have_count(1)

    ben.page.route(re.compile(r"/events/stream"), lambda route: route.abort())
    ben.page.reload()
    expect(ben.find("#connection[data-state=polling]")).to_have_count(1)
    ben.drag("red-square", 1, 0)
    ben.play_for(2)
    ben.sees_scores(0, 2)
    table.play(0, "rc@2,0").ok(201)
    expect(ben.find("#status")).to_contain_text("Ada scores 3 points.")


def test_a_proxy_that_wants_a_login_costs_nobody_their_seat(
    client: Client, open_page: OpenPage
) -> None:
    table = game_with_open_seat(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = open_page().sit_down(table.created, "Ben")
    expect(ben.may("play")).to_have_count(1)

    games = re.compile(r"/v1/games/\w+$")
    ben.page.route(games, lambda route: route.fulfill(status=401, body="<h1>Log in</h1>"))
    ben.page.reload()
    expect(ben.find("#toasts")).to_contain_text("HTTP 401")
    ben.page.unroute(games)
    ben.page.reload()
    expect(ben.may("play")).to_have_count(1)
    assert [fault for fault in ben.faults if "status of 401" not in fault] == []
    ben.faults.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_there_are_no_serious_accessibility_violations(
    client: Client, open_page: OpenPage, scheme: str
) -> None:
    # The dark theme differs only in its colours.
    only = ["color-contrast"] if scheme == "dark" else None
    axe = run_package(AXE, "node", "-e", PRINT_AXE).stdout
    assert "axe" in axe
    table = game_with_open_seat(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = open_page(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True).enter()
    ben.open_custom_form()
    examine(ben, axe, only, "lobby")
    ben.button("Menu").click()
    expect(ben.find("dialog[open]")).to_be_visible()
    examine(ben, axe, only, "menu")
    ben.enter(f"#game={table.id}&code={table.join_code}")
    expect(ben.button("Sit down")).to_be_visible()
    examine(ben, axe, only, "waiting")
    ben.sit_down(table.created, "Ben")
    ben.drag("blue-star", 1, 0)
    expect(ben.find(".note.fault")).to_be_visible()
    expect(ben.find(".sheet h2")).to_be_visible()
    examine(ben, axe, only, "table")
    table.resign(0).ok(201)
    expect(ben.button("Rematch")).to_be_visible()
    examine(ben, axe, only, "end")


def examine(user: BrowserUser, axe: str, only: list[str] | None, view: str) -> None:
    """axe finds no serious violation, with all its rules or only these."""
    user.page.evaluate(axe)
    run = "only => axe.run({ resultTypes: ['violations'], ...(only && { runOnly: only }) })"
    report = user.page.evaluate(run, only)
    assert report["passes"], view
    serious = [
        (each["id"], [node["html"] for node in each["nodes"]][:3])
        for each in report["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == [], view


def test_the_page_opens_without_a_network(open_page: OpenPage) -> None:
    ben = open_page().enter()
    ben.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    ben.page.wait_for_function("caches.match('words/en.json').then(Boolean)")
    ben.context.set_offline(True)
    ben.page.reload()
    expect(ben.button("Medium")).to_be_visible()
    ben.faults = [fault for fault in ben.faults if "Failed to load" not in fault]
