"""A user of the page: what they do and see, and which errors their browser reports."""

import json
import re
from typing import Any, Self
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Request, expect

TIMEOUT_MS = 60_000  # a busy machine is slow

# Chromium logs every 422 response and every request that fails while offline to the console.
# Both are expected.
_EXPECTED = re.compile(
    r"Failed to load resource: (the server responded with a status of 422|net::)"
)
_WATCH_POLICY = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.effectiveDirective} ${event.blockedURI}`));
"""


class BrowserUser:
    """One user's browser context with its own storage."""

    def __init__(self, browser: Browser, base_url: str, *, language: str = "en", **options: Any):
        expect.set_options(timeout=TIMEOUT_MS)
        self.base_url = base_url
        self.faults: list[str] = []
        self.context = browser.new_context(locale=language, **options)
        self.context.set_default_timeout(TIMEOUT_MS)
        self.context.add_init_script(_WATCH_POLICY)
        self.page = self.context.new_page()
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", self._note_request)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not _EXPECTED.match(message.text):
            self.faults.append(f"console: {message.text}")

    def _note_request(self, request: Request) -> None:
        if urlsplit(request.url).netloc != urlsplit(self.base_url).netloc:
            self.faults.append(f"request to another host: {request.url}")
        if re.search(r"qw[ph]_|code=", request.url):
            self.faults.append(f"secret in a URL: {request.url}")

    def close(self) -> list[str]:
        """Close the context and return every error seen in it."""
        violations = self.page.evaluate("window.violations ?? []")
        self.context.close()
        return self.faults + [f"policy: {each}" for each in violations]

    # What the user sees

    def find(self, selector: str, *, has_text: str | None = None) -> Locator:
        return self.page.locator(selector, has_text=has_text)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    @property
    def game_id(self) -> str:
        found = re.search(r"#game=([a-z2-7]{26})$", self.page.url)
        assert found, self.page.url
        return found[1]

    def sees_version(self, version: int) -> None:
        expect(self.find("main")).to_have_attribute("data-version", str(version))

    def whole_hand(self) -> list[str]:
        """The full hand, once it is shown."""
        expect(self.find(".slot")).to_have_count(6)
        return self.hand()

    def hand(self) -> list[str]:
        slots = self.find(".slot").all()
        return [slot.get_attribute("data-tile") or "" for slot in slots]

    def sees_scores(self, *scores: int) -> None:
        expect(self.find(".player .score b")).to_have_text([str(score) for score in scores])

    def where(self, x: int, y: int) -> tuple[float, float]:
        """The centre of a cell in pixels, once the camera rests."""
        box = self.find("#board").bounding_box()
        assert box
        view, before = self._view(), ""
        while view != before:
            self.page.wait_for_timeout(80)
            view, before = self._view(), view
        left, top, wide, high = map(float, view.split())
        return (
            box["x"] + (x * 100 + 50 - left) / wide * box["width"],
            box["y"] + (y * 100 + 50 - top) / high * box["height"],
        )

    def _view(self) -> str:
        return self.find("#board svg.drawing").get_attribute("viewBox") or ""

    # What the user does

    def enter(self, fragment: str = "") -> Self:
        self.page.goto(f"{self.base_url}/{fragment}")
        return self

    def keep_seat(self, created: dict[str, Any], seat: int, name: str) -> None:
        """Store a seat of a game in the browser, as if it had been taken there."""
        token = created["players"][seat]["token"]
        seats = {seat: {"token": token, "name": name}}
        kept = {"host": None, "code": None, "seats": seats, "at": 1}
        games = json.dumps({created["game"]["id"]: kept})
        self.page.evaluate("games => { localStorage['qwirkle.tables'] = games; }", games)

    def open_custom_form(self) -> Self:
        """Open the form with every choice."""
        self.button("Custom game").click()
        expect(self.find("#start")).to_be_visible()
        return self

    def sit_down(self, created: dict[str, Any], name: str) -> Self:
        """Open the invitation link and take a seat."""
        self.enter(f"#game={created['game']['id']}&code={created['join_code']}")
        self.find("#join-name").fill(name)
        self.button("Sit down").click()
        expect(self.find("#join-name")).not_to_be_visible()
        return self

    def drag(self, tile: str, x: int, y: int) -> None:
        """Drag a tile from the hand to a cell with the mouse."""
        slot = self.find(f'.slot[data-tile="{tile}"]:not(.out)').first.bounding_box()
        assert slot
        mouse = self.page.mouse
        mouse.move(slot["x"] + slot["width"] / 2, slot["y"] + slot["height"] / 2)
        mouse.down()
        mouse.move(*self.where(x, y), steps=4)
        mouse.up()
        expect(self.find(f'.slot.out[data-tile="{tile}"]').first).to_be_visible()

    def bid(self, *tiles: str) -> None:
        """Tap the tiles of a line and bid it."""
        for tile in tiles:
            self.find(f'.slot[data-tile="{tile}"]:not(.on)').first.click()
        self.find(".actions .primary").click()

    def play_for(self, points: int) -> None:
        """Play the laid tiles, for which the page promises this score."""
        ending = "" if points == 1 else "s"
        self.button(f"Play for {points} point{ending}").click()

    def may(self, action: str) -> Locator:
        return self.find(f'.hand-panel[data-may~="{action}"]')

    def take_any_turn(self) -> None:
        """Play the hint, or else pass or exchange."""
        if self.may("play").count():
            self.button("Hint").click()
            self.find(".actions button.primary:enabled:visible").click()
        elif self.may("pass").count():
            self.button("Pass").click()
        else:
            self.button("Exchange").click()
            self.find(".slot").first.click()
            self.button("Exchange 1 tile").click()
