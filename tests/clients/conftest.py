"""What the tests of both clients share."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.clients.hostile_server import HostileServer, Serve


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that follows a script."""
    with ExitStack() as servers:
        yield lambda script: servers.enter_context(HostileServer(script))
