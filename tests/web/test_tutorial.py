"""The tutorial: five moves with the real rules."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.browser_user import BrowserUser

pytestmark = pytest.mark.parametrize("store_server", ["valkey"], indirect=True)


def test_five_moves_teach_the_game(open_page: Callable[..., BrowserUser]) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    new = open_page(**phone).enter()
    new.find("#learn").tap()
    words, forward = new.find(".tutorial-words"), new.find(".tutorial .primary")

    def lay(tile: str, x: int, y: int) -> None:
        new.page.get_by_role("button", name=tile, exact=True).tap()
        new.page.touchscreen.tap(*new.where(x, y))

    lay("blue clover", 2, 0)
    expect(words).to_have_text("Neither one colour nor one shape.")
    expect(forward).to_be_disabled()
    lay("red square", 0, 1)
    expect(words).to_have_text("This scores 2 points.")
    new.page.touchscreen.tap(*new.where(0, 1))
    lay("red square", 2, 0)
    expect(words).to_have_text("This scores 3 points. Right!")
    forward.tap()
    lay("blue star", 1, 1)
    forward.tap()
    lay("red star", 3, 0)
    lay("blue star", 4, 0)
    expect(words).to_have_text("This scores 5 points. Right!")
    forward.tap()
    lay("orange cross", 5, 0)
    expect(words).to_have_text("This scores 12 points. Right!")
    forward.tap()
    new.page.get_by_role("button", name="blue square", exact=True).tap()
    expect(words).to_contain_text("new tiles from the bag")
    forward.tap()
    expect(new.find("dialog")).to_have_count(0)
