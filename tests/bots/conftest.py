"""Every test of the bots runs with the compiled core and without it."""

import pytest

from service import core


@pytest.fixture(autouse=True, params=["C", "Python"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which one runs."""
    if request.param == "Python":
        monkeypatch.setattr(core, "native", None)
    elif core.native is None:
        pytest.skip("the core was not built: the bots are tested in Python alone")
    return str(request.param)
