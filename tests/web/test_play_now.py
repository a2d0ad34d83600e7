"""Playing with a stranger."""

from collections.abc import Callable

from playwright.sync_api import Browser, expect

from tests.servers import QwirkleServer
from tests.web.browser_user import BrowserUser


def test_two_strangers_meet_by_playing_now(
    browser: Browser, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    # On a server of their own: elsewhere other tests leave open tables.
    address = start_qwirkle(workers=2).base_url
    ada = BrowserUser(browser, address).enter()
    ben = BrowserUser(browser, address, language="de").enter()
    ada.find("#play-now").click()
    expect(ada.find(".waiting")).to_be_visible()
    ben.find("#play-now").click()
    for user in (ada, ben):
        assert len(user.whole_hand()) == 6
    assert ada.game_id == ben.game_id
    assert [*ada.close(), *ben.close()] == []
