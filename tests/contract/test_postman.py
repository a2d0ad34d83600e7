"""The Postman collection that `make postman` makes of the contract."""

import http.client
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.contract.checker import body_of, check_answer
from tests.contract.document import ROOT, example, operations
from tests.contract.npm import run_package
from tests.servers import QwirkleServer

MISUNDERSTOOD = {400, 404, 405, 413, 415}


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
    return "/" + "/".join(request["url"]["path"]).replace(":game_id", "{game_id}")


def test_it_has_every_operation_and_the_address_of_make_run(collection: dict[str, Any]) -> None:
    (base,) = [each["value"] for each in collection["variable"] if each["key"] == "baseUrl"]
    assert base == "http://127.0.0.1:8000"
    made = {(each["method"].lower(), path_of(each)) for each in requests_in(collection)}
    assert made == {(each.method, each.path) for each in operations()}


def test_the_service_understands_every_request(
    collection: dict[str, Any], valkey_server: QwirkleServer
) -> None:
    """Sent with the host token of a real game, whose rules and phase may still refuse it."""
    netloc = urlsplit(valkey_server.base_url).netloc
    connection = http.client.HTTPConnection(netloc, timeout=60)
    creation = json.dumps(example("create_request"))
    connection.request("POST", "/v1/games", creation, {"Content-Type": "application/json"})
    created = json.loads(connection.getresponse().read())
    deleting_last = sorted(requests_in(collection), key=lambda each: each["method"] == "DELETE")
    for request in deleting_last:
        connection = http.client.HTTPConnection(netloc, timeout=60)
        method, path = request["method"], path_of(request)
        path = path.replace("{game_id}", created["game"]["id"])
        headers = {it["key"]: it["value"] for it in request["header"] if not it.get("disabled")}
        if (request.get("auth") or {}).get("type") == "bearer":
            headers["Authorization"] = f"Bearer {created['host_token']}"
        body = (request.get("body") or {}).get("raw", "")
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = body_of(answer)
        check_answer(method, path, answer.status, dict(answer.getheaders()), content)
        assert answer.status not in MISUNDERSTOOD, (method, path, content)
        connection.close()
