"""How long it takes from the command to the first answer; only a quiet machine can tell."""

import time

import pytest

from tests.servers import QwirkleServer

SECONDS = 2.0


@pytest.mark.soak
def test_it_serves_within_two_seconds() -> None:
    took = []
    for _ in range(5):
        began = time.monotonic()
        with QwirkleServer(workers=2):
            took.append(time.monotonic() - began)
    assert min(took) < SECONDS, took
