"""The checker passes what the contract allows and stops what it does not."""

import time
from typing import Any

import orjson
import pytest

from tests.contract.checker import ContractBroken, check_answer
from tests.contract.document import example, operations, problems

GAME = "/v1/games/k5zq3mh7d2c4wv6xjt5ynbare4"
HEADERS = {
    "content-type": "application/json",
    "etag": '"1"',
    "cache-control": "private, no-cache",
    "vary": "Authorization",
    "x-request-id": "7f3a91c04be2d865",
}
PROBLEM = HEADERS | {
    "content-type": "application/problem+json",
    "www-authenticate": "Bearer",
    "retry-after": "1",
    "allow": "GET",
}


def json(value: Any) -> bytes:
    return orjson.dumps(value)


def test_every_example_of_the_contract_passes() -> None:
    for operation in operations():
        for status, response in operation.responses.items():
            for kind, content in response.get("content", {}).items():
                if not kind.endswith("json"):
                    continue
                for each in content.get("examples", {}).values():
                    headers = PROBLEM | {"content-type": kind, "location": "/v1/games/x"}
                    check_answer(
                        operation.method,
                        operation.path,
                        int(status),
                        headers,
                        json(each["value"]),
                    )


def test_a_real_path_with_a_query_is_known() -> None:
    check_answer("GET", f"{GAME}/legal-plays?limit=2", 200, HEADERS, json(example("legal_plays")))


def test_an_unknown_path_must_be_404_and_an_unknown_method_405() -> None:
    check_answer("GET", "/v1/game", 404, PROBLEM, json(example("not_found")))
    code = "method_not_allowed"
    refused = example("not_found") | {"code": code, "type": f"/docs/problems#{code}"}
    refused |= {"status": 405, "title": problems()[code]["title"]}
    check_answer("PUT", GAME, 405, PROBLEM, json(refused))
    without = {name: value for name, value in PROBLEM.items() if name != "allow"}
    with pytest.raises(ContractBroken, match="Allow"):
        check_answer("PUT", GAME, 405, without, json(refused))
    with pytest.raises(ContractBroken):
        check_answer("PUT", GAME, 404, PROBLEM, json(example("not_found")))


@pytest.mark.parametrize(
    ("status", "headers", "body", "words"),
    [
        (202, HEADERS, json(example("hand")), "not documented"),
        (200, HEADERS | {"content-type": "text/html"}, b"", "content type"),
        (200, {k: v for k, v in HEADERS.items() if k != "etag"}, json(example("hand")), "ETag"),
        (200, HEADERS, b"{", "not JSON"),
        (200, HEADERS, json({"seat": 0}), "tiles"),
        (200, HEADERS, json(example("hand") | {"bag": []}), "bag"),
        (200, HEADERS, json({"seat": 0, "tiles": ["red-moon"]}), "red-moon"),
        (304, HEADERS, b"x", "none is documented"),
        (403, PROBLEM, json(example("host_only")), "host_only"),
        (403, PROBLEM, json(example("player_only") | {"status": 400}), "status"),
        (403, PROBLEM | {"x-request-id": "other"}, json(example("player_only")), "request_id"),
        (403, PROBLEM, json(example("player_only") | {"title": "No"}), "title"),
        (429, PROBLEM | {"retry-after": "soon"}, json(example("rate_limited")), "Retry-After"),
    ],
)
def test_an_answer_that_breaks_the_contract_is_stopped(
    status: int, headers: dict[str, str], body: bytes, words: str
) -> None:
    with pytest.raises(ContractBroken, match=words):
        check_answer("GET", f"{GAME}/hand", status, headers, body)


def test_a_member_that_an_event_does_not_name_is_stopped() -> None:
    page = example("events")
    check_answer("GET", f"{GAME}/events", 200, HEADERS, json(page))
    page = page | {"events": [page["events"][0] | {"bag": []}]}
    with pytest.raises(ContractBroken, match="bag"):
        check_answer("GET", f"{GAME}/events", 200, HEADERS, json(page))


def test_violations_begin_with_the_code_of_the_problem() -> None:
    problem = example("line_too_long")
    check_answer("POST", f"{GAME}/plays", 422, PROBLEM, json(problem))
    problem = problem | {"violations": problem["violations"][::-1]}
    with pytest.raises(ContractBroken, match="first violation"):
        check_answer("POST", f"{GAME}/plays", 422, PROBLEM, json(problem))


def test_a_game_of_sixty_tiles_is_checked_in_a_few_milliseconds() -> None:
    tile = example("game_in_turn")["board"][0]
    body = json(example("game_in_turn") | {"board": [tile] * 60})
    check_answer("GET", GAME, 200, HEADERS, body)
    began = time.process_time()
    for _ in range(20):
        check_answer("GET", GAME, 200, HEADERS, body)
    assert (time.process_time() - began) / 20 < 0.05
