"""The ways to the table: keys alone, a phone, a bad network, and senses other than sight."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.api.client import Client, Table
from tests.contract.npm import run_package
from tests.web.browser_user import Visitor

pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)

Visit = Callable[..., Visitor]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
AXE = "axe-core@4.11.0"
PRINT_AXE = """
const { existsSync, readFileSync } = require("fs");
for (const bin of process.env.PATH.split(":")) {
  const file = bin.replace(/\\.bin$/, "axe-core/axe.min.js");
  if (file !== bin && existsSync(file)) { process.stdout.write(readFileSync(file)); break; }
}
"""


def beside_an_opponent(client: Client, *hands: str, **choices: Any) -> Table:
    """Ada sits there already and is played by the test; the second seat waits for a visitor."""
    setup = {
        "board": [{"tile": "red-circle", "x": 0, "y": 0}],
        "hands": [tiles(hand) for hand in hands],
        "bag": [],
        "turn": 1,
    }
    return client.create(players=[{"name": "Ada"}], seats=2, private=True, setup=setup, **choices)


def tiles(text: str) -> list[str]:
    return text.split()


def test_a_whole_game_by_keys_alone(client: Client, visit: Visit) -> None:
    hands = "green-clover", "red-square red-star blue-star"
    table = beside_an_opponent(client, *hands)
    ben = visit(reduced_motion="reduce")
    keys = ben.page.keyboard
    ben.enter(f"#game={table.id}&code={table.join_code}")
    expect(ben.find("#join-name")).to_be_visible()
    walk_to(ben, "#join-name")
    keys.type("Ben")
    keys.press("Enter")
    expect(ben.may("play")).to_have_count(1)

    # The first tile by its number at the cursor, the second picked from the hand.
    walk_to(ben, "#board")
    keys.press("ArrowRight")
    expect(ben.find("#announcements")).to_have_text("Column 1, row 0: empty")
    keys.press(str(1 + ben.hand().index("red-square")))
    expect(ben.find("#announcements")).to_contain_text("This scores 2 points.")
    walk_to(ben, '.slot[data-tile="red-star"]')
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
    walk_to(ben, ".actions button.primary")
    keys.press("Enter")
    expect(ben.find(".winner")).to_have_text("You win!")


def walk_to(visitor: Visitor, selector: str) -> None:
    """Presses Tab until the focus is there."""
    for _ in range(30):
        if visitor.find(f"{selector}:focus").count():
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {selector}")


def test_a_phone_held_upright_is_played_by_touch(client: Client, visit: Visit) -> None:
    table = beside_an_opponent(client, "green-clover", "red-square red-star blue-star")
    ben = visit(**PHONE).sit_down(table.created, "Ben")
    page = ben.page
    expect(ben.may("play")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    # Two fingers zoom, without laying anything.
    before = ben.find("#board svg.drawing").get_attribute("viewBox")
    x, y = ben.where(0, 0)
    touch(ben, [[(x - 20, y), (x + 20, y)], [(x - 60, y), (x + 60, y)], []])
    expect(ben.find("#board svg.drawing")).not_to_have_attribute("viewBox", before or "")
    ben.button("Show the whole board").tap()

    # One tile is tapped to its cell, the other dragged: a finger carries it a little above itself.
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
    expect(ben.find(".turns .entry")).to_contain_text("Ben")


def touch(visitor: Visitor, steps: list[list[tuple[float, float]]]) -> None:
    """Fingers on the glass, step by step; the last step lifts them."""
    session = visitor.context.new_cdp_session(visitor.page)
    kinds = ["touchStart", *["touchMove"] * (len(steps) - 2), "touchEnd"]
    for kind, fingers in zip(kinds, steps, strict=True):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.detach()


def test_a_lost_network_is_shown_and_a_lost_answer_plays_once(client: Client, visit: Visit) -> None:
    table = beside_an_opponent(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = visit().sit_down(table.created, "Ben")
    expect(ben.may("play")).to_have_count(1)
    ben.drag("red-square", 1, 0)

    # The play is made, but its answer is lost, and every later one, over a reload of the page.
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


def test_the_network_without_streams_is_played_by_waiting_requests(
    client: Client, visit: Visit
) -> None:
    table = beside_an_opponent(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = visit().sit_down(table.created, "Ben")
    expect(ben.may("play")).to_have_count(1)

    def no_streams(route: Route) -> None:
        if "text/event-stream" in route.request.headers["accept"]:
            route.abort()
        else:
            route.continue_()

    ben.page.route(re.compile(r"/events"), no_streams)
    ben.page.reload()
    expect(ben.find("#connection[data-state=polling]")).to_have_count(1)
    ben.drag("red-square", 1, 0)
    ben.play_for(2)
    ben.sees_scores(0, 2)
    table.play(0, "rc@2,0").ok(201)
    expect(ben.find("#status")).to_contain_text("Ada scores 3 points.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility_is_found(
    client: Client, visit: Visit, scheme: str
) -> None:
    # In the dark everything is as in the light but the colours.
    only = ["color-contrast"] if scheme == "dark" else None
    axe = run_package(AXE, "node", "-e", PRINT_AXE).stdout
    assert "axe" in axe
    table = beside_an_opponent(client, "red-clover green-clover", "red-square red-star blue-star")
    ben = visit(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True).enter()
    expect(ben.button("Start the game")).to_be_visible()
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


def examine(visitor: Visitor, axe: str, only: list[str] | None, room: str) -> None:
    """Finds no serious fault in what is shown, by all rules or by these only."""
    visitor.page.evaluate(axe)
    run = "only => axe.run({ resultTypes: ['violations'], ...(only && { runOnly: only }) })"
    report = visitor.page.evaluate(run, only)
    assert report["passes"], room
    grave = [
        (each["id"], [node["html"] for node in each["nodes"]][:3])
        for each in report["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert grave == [], room
