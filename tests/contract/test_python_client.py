"""The client has every operation, every parameter and every type of the contract."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from qwirkle_client import AsyncGameClient, AsyncQwirkle, GameClient, Qwirkle, types
from qwirkle_client._operation import Operation
from tests.contract.document import ROOT, operations, written
from tests.contract.document import Operation as Documented

PYTHON_CLIENT = ROOT / "clients/python"
PAGES = {"readReference", "readProblems", "readTablePage"}
"""For people with a browser."""
FOLLOWED = {"streamEvents", "streamFeed"}
"""What `follow` reads, of a game and of a tenant."""
FREE = {"verifyRecord": {"record"}}
"""Takes any JSON object as a whole, and stores nothing that a key could protect."""


def offered() -> Iterator[Operation[Any, Any]]:
    for kind in (Qwirkle, GameClient):
        for base in kind.__mro__:
            yield from (each for each in vars(base).values() if isinstance(each, Operation))


BY_ID = {each.operation_id: each for each in offered()}


def test_every_operation_has_its_method() -> None:
    assert set(BY_ID) == {each.name for each in operations()} - PAGES - FOLLOWED


@pytest.mark.parametrize(
    "documented", [each for each in operations() if each.name in BY_ID], ids=lambda each: each.name
)
def test_every_parameter_and_member_can_be_given(documented: Documented) -> None:
    method = BY_ID[documented.name].method
    wanted = {each["name"] for each in documented.parameters if each["in"] in ("query", "path")}
    wanted.discard("game_id")
    names = {each["name"] for each in documented.parameters}
    wanted |= {"if_match"} if "If-Match" in names else set()
    wanted |= {"idempotency_key"} if "Idempotency-Key" in names else set()
    if documented.name in FREE:
        wanted = FREE[documented.name]
    elif documented.body:
        wanted |= set(documented.body["content"]["application/json"]["schema"]["properties"])
    given = dict(inspect.signature(method).parameters)
    unpacked = given.pop("options", None) or given.pop("new_game", None)
    hints = get_type_hints(method)
    accepted = set(given) - {"self"}
    if unpacked:
        accepted |= set(get_type_hints(hints[unpacked.name].__args__[0]))
    assert accepted == wanted


def test_both_clients_offer_the_same() -> None:
    for one, other in ((Qwirkle, AsyncQwirkle), (GameClient, AsyncGameClient)):
        assert public(one) == public(other)


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_the_types_are_those_of_the_contract() -> None:
    """After a change to openapi.yaml: `make types`."""
    script = PYTHON_CLIENT / "generate_types.py"
    spec = spec_from_file_location("generate_types", script)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert Path(types.__file__).read_text() == module.generated(written())


def test_the_module_of_types_holds_at_run_time() -> None:
    for name, value in vars(types).items():
        if isinstance(value, type) and hasattr(value, "__required_keys__"):
            assert get_type_hints(value), name


def test_a_wheel_is_typed_and_needs_httpx_and_its_core_alone(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), "."]
    subprocess.run([*pip, *build], cwd=PYTHON_CLIENT, check=True)
    [wheel] = tmp_path.glob("qwirkle_client-*.whl")
    into = tmp_path / "installed"
    subprocess.run([*pip, "install", "--no-deps", "--target", into, wheel], check=True)
    assert (into / "qwirkle_client/py.typed").exists()
    [metadata] = into.glob("*.dist-info/METADATA")
    needed = [line for line in metadata.read_text().splitlines() if "Requires-Dist" in line]
    assert needed == ["Requires-Dist: httpcore>=1.0", "Requires-Dist: httpx>=0.28"]
