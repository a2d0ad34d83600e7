"""Whatever is sent to an operation, the real server's answer is one that the contract allows."""

import http.client
from dataclasses import dataclass
from urllib.parse import urlsplit

import orjson
import pytest

from tests.contract.checker import body_of, check_answer
from tests.contract.document import example, operations
from tests.servers import QwirkleServer

JSON = {"Content-Type": "application/json"}
BODIES = (b"", b"{}", b"[]", b"{", b'{"a": 1, "a": 2}', b'{"length": NaN}', b"[" * 200, b"\xff")
NO_GAME = "a" * 26


@dataclass(frozen=True)
class Caller:
    """Sends requests on one connection and holds each answer against the contract."""

    connection: http.client.HTTPConnection

    def send(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
    ) -> tuple[int, bytes]:
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        content = body_of(answer)
        if not answer.isclosed():
            self.connection.close()  # the next request opens it again
        check_answer(method, path, answer.status, dict(answer.getheaders()), content)
        return answer.status, content


def caller_of(server: QwirkleServer) -> Caller:
    return Caller(http.client.HTTPConnection(urlsplit(server.base_url).netloc, timeout=60))


@pytest.fixture
def caller(qwirkle_server: QwirkleServer) -> Caller:
    return caller_of(qwirkle_server)


def test_every_operation_keeps_the_contract_whoever_asks_whatever(
    valkey_server: QwirkleServer,
) -> None:
    # Thousands of requests, nearly all of which are judged before a store is asked.
    caller = caller_of(valkey_server)
    body = orjson.dumps(example("create_from_position"))
    created = orjson.loads(caller.send("POST", "/v1/games", JSON, body)[1])
    tokens = [None, "nonsense", created["host_token"], created["players"][1]["token"]]
    seen = set()
    for operation in operations():
        for game_id in (created["game"]["id"], NO_GAME, "x"):
            path = operation.path.replace("{game_id}", game_id)
            for token in tokens if operation.method != "delete" else tokens[:2]:
                authority = {"Authorization": f"Bearer {token}"} if token else {}
                for sent in BODIES if operation.body else BODIES[:1]:
                    status, _ = caller.send(operation.method.upper(), path, JSON | authority, sent)
                    seen.add(status)
                for headers in (
                    {"Accept": "image/png"},
                    {"Content-Type": "text/plain"},
                    {"If-Match": '"stale"', "If-None-Match": "*"},
                    {"Idempotency-Key": "short"},
                    {"X-Request-ID": "mine-1"},
                ):
                    caller.send(operation.method.upper(), path, authority | headers, b"{}")
                caller.send(operation.method.upper(), f"{path}?stray=1", JSON | authority)
    assert {200, 201, 400, 401, 403, 404, 409} <= seen


def test_the_examples_of_requests_are_answered_within_the_contract(caller: Caller) -> None:
    for operation in operations():
        if operation.body and operation.path == "/v1/games":
            for each in operation.body["content"]["application/json"]["examples"].values():
                status, _ = caller.send("POST", "/v1/games", JSON, orjson.dumps(each["value"]))
                assert status == 201


def test_unknown_paths_and_methods_are_told_as_problems(caller: Caller) -> None:
    for method, path in (
        ("GET", "/v1/game"),
        ("PUT", "/v1/games"),
        ("PATCH", f"/v1/games/{NO_GAME}"),
        ("POST", "/docs"),
        ("GET", "/docs/assets/none.js"),
        ("GET", "/table/now/none.js"),
        ("GET", "/words/none.json"),
    ):
        assert caller.send(method, path)[0] in (404, 405)


def test_the_short_game_ends_as_the_examples_tell(caller: Caller) -> None:
    created = orjson.loads(
        caller.send("POST", "/v1/games", JSON, orjson.dumps(example("create_from_position")))[1]
    )
    path = f"/v1/games/{created['game']['id']}"
    ada, ben = ({"Authorization": f"Bearer {each['token']}"} for each in created["players"])
    passed = orjson.loads(caller.send("POST", f"{path}/passes", ada)[1])
    last = orjson.dumps(example("last_tile_request"))
    played = orjson.loads(caller.send("POST", f"{path}/plays", ben | JSON, last)[1])
    score = orjson.loads(caller.send("GET", f"{path}/score")[1])
    assert timeless(created["game"]) == timeless(example("created_from_position")["game"])
    assert timeless(passed["game"]) == timeless(example("passed")["game"])
    assert timeless(played["game"]) == timeless(example("last_tile_played")["game"])
    assert played["play"] == example("last_tile_played")["play"]
    assert score == example("score_final")


def timeless(game: dict[str, object]) -> dict[str, object]:
    """The game without what differs each time."""
    differs = ("id", "created_at", "updated_at", "expires_at", "commitment", "seed")
    return {name: value for name, value in game.items() if name not in differs}
