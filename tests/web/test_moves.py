"""Moves one can see, and a board made for thumbs."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.api.client import Client, Table
from tests.web.browser_user import BrowserUser

pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)

OpenPage = Callable[..., BrowserUser]

SIZES = [(320, 640), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)]
WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    for (const { node } of entry.sources) window.shifts.push(node?.className ?? "?");
  }
}).observe({ type: "layout-shift", buffered: false });
"""
FIVE = ["red-circle", "red-square", "red-diamond", "red-star", "red-clover"]


def line_of(tiles: list[str]) -> list[dict[str, Any]]:
    return [{"tile": tile, "x": x, "y": 0} for x, tile in enumerate(tiles)]


def seated(client: Client, open_page: OpenPage, setup: dict[str, Any], **options: Any) -> Any:
    """A game with Ada in the browser and Ben in the test."""
    players = [{"name": "Ada"}, {"name": "Ben"}]
    table: Table = client.create(players=players, setup=setup)
    ada = open_page(**options).enter()
    ada.keep_seat(table.created, 0, "Ada")
    ada.enter(f"#game={table.id}")
    expect(ada.find(".slot").first).to_be_visible()
    return ada, table


def test_moves_of_others_are_shown_one_after_another(client: Client, open_page: OpenPage) -> None:
    setup = {
        "board": line_of(FIVE[:2]),
        "hands": [["green-star", "blue-cross"], ["red-diamond", "red-star", "red-clover"]],
        "bag": [],
        "turn": 1,
    }
    ada, table = seated(client, open_page, setup)
    ada.page.evaluate("""
      window.seen = [];
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes) {
          for (const node of addedNodes) window.seen.push(node.getAttribute?.("class") ?? "");
        }
      }).observe(document.body, { childList: true });
    """)
    table.play(1, "rd@2,0").ok(201)
    expect(ada.find("#status")).to_have_text("Ben scores 3 points.")
    assert ada.find(".player .score b").all_inner_texts() == ["0", "0"], "its points come later"
    ada.sees_scores(0, 3)
    expect(ada.find(".piece")).to_have_count(3)
    seen = ada.page.evaluate("window.seen")
    assert [each for each in seen if each in ("tile flying", "rise")] == ["tile flying", "rise"]


def test_a_qwirkle_is_a_moment_and_own_points_are_said(client: Client, open_page: OpenPage) -> None:
    setup = {"board": line_of(FIVE), "hands": [["red-cross"] * 2, ["blue-star"]], "bag": [],
             "turn": 0}  # fmt: skip
    ada, _ = seated(client, open_page, setup)
    ada.drag("red-cross", 5, 0)
    ada.play_for(12)
    expect(ada.find(".qwirkle-banner")).to_have_text("Qwirkle +12")
    expect(ada.find("#status")).to_contain_text("You score 12 points.")
    ada.sees_scores(12, 0)
    expect(ada.find(".qwirkle-banner")).to_have_count(0)


def test_with_reduced_motion_moves_are_there_at_once(client: Client, open_page: OpenPage) -> None:
    setup = {"board": line_of(FIVE), "hands": [["red-cross"] * 2, ["blue-star"]], "bag": [],
             "turn": 0}  # fmt: skip
    ada, _ = seated(client, open_page, setup, reduced_motion="reduce")
    ada.drag("red-cross", 5, 0)
    ada.play_for(12)
    ada.sees_scores(12, 0)
    assert ada.find(".qwirkle-banner, .rise, .flying").count() == 0


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_shifts_during_a_turn(
    client: Client, open_page: OpenPage, size: tuple[int, int]
) -> None:
    setup = {
        "board": line_of(FIVE[:2]),
        "hands": [["red-diamond", "red-star", "blue-cross"], ["green-clover", "blue-star"]],
        "bag": [],
        "turn": 0,
    }
    viewport = {"width": size[0], "height": size[1]}
    ada, _ = seated(client, open_page, setup, viewport=viewport)
    assert ada.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert ada.page.evaluate("document.documentElement.scrollHeight") <= size[1]
    ada.page.evaluate(WATCH_SHIFTS)
    places = [ada.find(part).bounding_box() for part in (".board", ".rack", ".actions")]
    ada.drag("red-diamond", 2, 0)
    ada.drag("red-star", 3, 0)
    expect(ada.button("Play for 4 points")).to_be_enabled()
    ada.drag("blue-cross", 4, 0)
    expect(ada.find(".note.fault")).to_be_visible()
    assert [ada.find(part).bounding_box() for part in (".board", ".rack", ".actions")] == places
    ada.button("Undo").click()
    ada.play_for(4)
    expect(ada.find("#status")).to_contain_text("It is Ben's turn.")
    assert [ada.find(part).bounding_box() for part in (".board", ".actions")] == [
        places[0], places[2]]  # fmt: skip
    shifts = ada.page.evaluate("window.shifts")
    assert {each for each in shifts if each in ("board", "rack", "actions", "hand-panel")} == set()


def test_cells_are_large_enough_for_a_thumb_while_placing(
    client: Client, open_page: OpenPage
) -> None:
    colours = ["red", "orange", "yellow", "green", "blue", "purple"]
    shapes = ["circle", "square", "diamond", "star", "clover", "cross"]
    # A staircase of lines of six, too wide for a phone.
    board = []
    for step in range(3):
        x = step * 5
        across = shapes if step % 2 == 0 else shapes[::-1]
        board += [{"tile": f"{colours[step]}-{shape}", "x": x + at, "y": step * 5}
                  for at, shape in enumerate(across)]  # fmt: skip
        end = board[-1]["tile"].split("-")[1]
        rest = [colour for colour in colours if colour not in colours[step : step + 2]]
        if step < 2:
            between = [*rest, colours[step + 1]]
            board += [{"tile": f"{colour}-{end}", "x": x + 5, "y": step * 5 + at + 1}
                      for at, colour in enumerate(between[:4])]  # fmt: skip
    hands = [["purple-star", "green-star"], ["blue-star"]]
    setup = {"board": board, "hands": hands, "bag": [], "turn": 0}
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    ada, _ = seated(client, open_page, setup, **phone)
    assert cell_size(ada) < 32
    ada.find(".slot").first.tap()
    ada.page.wait_for_timeout(500)
    assert cell_size(ada) >= 32
    ada.button("Show the whole board").tap()
    ada.page.wait_for_timeout(500)
    assert cell_size(ada) < 32


def cell_size(user: BrowserUser) -> float:
    (left, _), (right, _) = user.where(0, 0), user.where(1, 0)
    return right - left


def test_an_arrow_points_to_the_last_move_outside_the_view(
    client: Client, open_page: OpenPage
) -> None:
    setup = {"board": line_of(FIVE[:2]), "hands": [["green-star"], ["red-diamond", "red-star"]],
             "bag": [], "turn": 1}  # fmt: skip
    ada, table = seated(client, open_page, setup)
    table.play(1, "rd@2,0").ok(201)
    ada.sees_scores(0, 3)
    assert not ada.find(".pointer").is_visible()
    ada.find("#board").focus()
    for _ in range(14):
        ada.page.keyboard.press("Shift+ArrowRight")
    ada.button("Show the last move").click()
    expect(ada.find(".pointer")).not_to_be_visible()


def test_the_rack_can_be_sorted_and_rearranged(client: Client, open_page: OpenPage) -> None:
    hand = ["red-star", "blue-circle", "red-circle", "blue-star", "green-star", "green-circle"]
    setup = {"board": line_of(FIVE[:2]), "hands": [hand, ["red-diamond"]], "bag": [], "turn": 0}
    ada, _ = seated(client, open_page, setup)
    ada.button("Sort the tiles").click()
    assert ada.hand() == ["red-circle", "red-star", "green-circle", "green-star", "blue-circle",
                          "blue-star"]  # fmt: skip
    first, last = (ada.find(".slot").nth(at).bounding_box() for at in (0, 5))
    assert first
    assert last
    mouse = ada.page.mouse
    mouse.move(first["x"] + 20, first["y"] + 20)
    mouse.down()
    mouse.move(last["x"] + 30, last["y"] + 20, steps=5)
    mouse.up()
    assert ada.hand()[-1] == "red-circle"
