"""The tests of the core need one that was built."""

import pytest

from service import core


@pytest.fixture(autouse=True)
def compiled_core() -> None:
    """Skip where the package was built without a compiler."""
    if core.native is None:
        pytest.skip("the core was not built: not compared with the rules")
