"""One server that is asked everything that can be made up."""

from collections.abc import Iterator

import pytest

from tests.servers import QwirkleServer


@pytest.fixture(scope="package")
def server() -> Iterator[QwirkleServer]:
    with QwirkleServer(workers=1, environment={"QWIRKLE_ANONYMOUS_BOTS": "0"}) as server:
        yield server
