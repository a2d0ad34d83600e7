"""A real browser with users, and an API client to check what they did."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.api.client import Client, client_of
from tests.servers import QwirkleServer
from tests.web.browser_user import BrowserUser

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# Module scope, not session: while the browser runs, playwright keeps an event loop in this
# thread, which breaks other tests.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def client(qwirkle_server: QwirkleServer) -> Client:
    return client_of(qwirkle_server)


@pytest.fixture
def open_page(
    browser: Browser, qwirkle_server: QwirkleServer
) -> Iterator[Callable[..., BrowserUser]]:
    """Opens a browser context for one user; at the end none may have seen an error."""
    users: list[BrowserUser] = []

    def open_user(**options: Any) -> BrowserUser:
        user = BrowserUser(browser, qwirkle_server.base_url, **options)
        users.append(user)
        return user

    yield open_user
    for user in users:
        faults = user.close()
        assert faults == []
