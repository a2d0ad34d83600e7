"""The Postman collection that `make postman` makes of the contract."""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.api.client import Client, Table
from tests.contract.checker import check_answer
from tests.contract.document import ROOT, example, operations
from tests.contract.npm import run_package
from tests.servers import QwirkleServer

NEWMAN = "newman@6.2.2"
KEY = "an-api-key-of-acme"
UNDERSTOOD = {200, 201, 204, 409, 422}


@pytest.fixture(scope="module")
def collection() -> dict[str, Any]:
    package = re.findall(r"--package=(openapi-to-postmanv2@\S+)", (ROOT / "Makefile").read_text())
    made = run_package(package[0], "make", "postman", "PORT=8000", cwd=ROOT)
    assert made.returncode == 0, made.stdout + made.stderr
    found: dict[str, Any] = json.loads(
        (ROOT / "build" / "qwirkle.postman_collection.json").read_text(encoding="utf-8")
    )
    return found


def requests_in(folder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in folder["item"]:
        if "item" in item:
            yield from requests_in(item)
        else:
            yield item["request"]


def path_of(request: dict[str, Any]) -> str:
    return re.sub(r":(\w+)", r"{\1}", "/" + "/".join(request["url"]["path"]))


def test_it_has_every_operation_and_the_address_of_make_run(collection: dict[str, Any]) -> None:
    (base,) = [each["value"] for each in collection["variable"] if each["key"] == "baseUrl"]
    assert base == "http://127.0.0.1:8000"
    made = {(each["method"].lower(), path_of(each)) for each in requests_in(collection)}
    assert made == {(each.method, each.path) for each in operations()}


@pytest.fixture
def finished(valkey_server: QwirkleServer) -> Table:
    """A game at its end: its stream has one too, and no phase hides a wrong body."""
    table = Client(valkey_server.base_url).create(**example("create_from_position"))
    table.pass_turn(0).ok(201)
    table.act(1, "plays", example("last_tile_request")).ok(201)
    return table


@pytest.fixture
def of_tenant(kept_qwirkle: Callable[..., QwirkleServer]) -> Table:
    """A game of a tenant."""
    return Client(kept_qwirkle(QWIRKLE_API_KEYS=f"acme:{KEY}").base_url).create(api_key=KEY)


@pytest.mark.timeout(300)  # the first time, npm fetches Newman
def test_newman_sends_every_request_and_the_service_understands_it(
    collection: dict[str, Any], finished: Table, of_tenant: Table, tmp_path: Path
) -> None:
    """With the token of who may send it; the rules and the phase may still refuse it."""
    collection = deepcopy(collection)
    folders = {folder["name"]: folder["item"] for folder in collection["item"]}
    by_name = {item["name"]: item for items in folders.values() for item in items}
    # What makes a token or the game itself useless comes last.
    for name, begin, end in (
        ("Renew a token", "Table", "Playing"),
        ("Delete a game", "Table", "Service"),
    ):
        folders[begin].remove(by_name[name])
        folders[end].append(by_name[name])
    folders["Tenant"].remove(by_name["Follow all your games"])  # has no end
    file = tmp_path / "collection.json"
    file.write_text(json.dumps(collection))
    sent = [
        *newman(file, finished, finished.tokens[0], "Playing"),
        *newman(file, finished, finished.host, "Table", "Lobby", "Watching", "Service"),
        *newman(file, of_tenant, KEY, "Tenant"),
    ]
    assert len(sent) == len(operations()) - 1
    for execution in sent:
        request, response = execution["request"], execution["response"]
        path = path_of(request).replace("{game_id}", finished.id)
        headers = {each["key"]: each["value"] for each in response["header"]}
        content = bytes(response["stream"]["data"])
        check_answer(request["method"], path, response["code"], headers, content)
        understood = response["code"] in UNDERSTOOD or b'"join_code_unknown"' in content
        assert understood, (execution["item"]["name"], content)


def newman(file: Path, table: Table, token: str, *folders: str) -> list[dict[str, Any]]:
    """Run folders of the collection as Postman would, and return what was sent and answered."""
    report = file.with_name("report.json")
    variables = {
        "baseUrl": table.client.base_url,
        "game_id": table.id,
        "bearerToken": token,
    }
    done = run_package(
        NEWMAN,
        *("newman", "run", str(file), "--reporters=json", f"--reporter-json-export={report}"),
        *(f"--folder={folder}" for folder in folders),
        *(f"--env-var={name}={value}" for name, value in variables.items()),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    executions: list[dict[str, Any]] = json.loads(report.read_text("utf-8"))["run"]["executions"]
    return executions
