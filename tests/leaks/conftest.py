"""One server for all that asks who can see what."""

from collections.abc import Callable

import pytest

from tests.leaks.twin_games import SECRET
from tests.servers import QwirkleServer

API_KEY = "an-api-key-that-nobody-guesses"
# It says as much as it can be made to say: nothing secret may be in it.
SETTINGS = {
    "QWIRKLE_SECRET": SECRET,
    "QWIRKLE_API_KEYS": f"acme:{API_KEY}",
    "QWIRKLE_LOG_LEVEL": "debug",
    "QWIRKLE_RATE_READ": "100000/minute",
    "QWIRKLE_WEBHOOK_ALLOW": "127.0.0.1:9",
    "QWIRKLE_WEBHOOK_PRIVATE": "yes",
}


@pytest.fixture(scope="package")
def server(kept_qwirkle: Callable[..., QwirkleServer]) -> QwirkleServer:
    return kept_qwirkle(workers=1, **SETTINGS)
