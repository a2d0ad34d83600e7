"""A real browser, people in front of it, and a client to look over their shoulders."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.api.client import Client, client_of
from tests.servers import QwirkleServer
from tests.web.browser_user import Visitor

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


# Of a module, not of the session: while it is there, an event loop runs in this thread, which
# other tests could not bear.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium without a window."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: the page was not opened in a browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def client(qwirkle_server: QwirkleServer) -> Client:
    return client_of(qwirkle_server)


@pytest.fixture
def visit(browser: Browser, qwirkle_server: QwirkleServer) -> Iterator[Callable[..., Visitor]]:
    """Opens a window of somebody's own; at the end each must have gone without a fault."""
    visitors: list[Visitor] = []

    def open_window(**options: Any) -> Visitor:
        visitor = Visitor(browser, qwirkle_server.base_url, **options)
        visitors.append(visitor)
        return visitor

    yield open_window
    for visitor in visitors:
        faults = visitor.leave()
        assert faults == []
