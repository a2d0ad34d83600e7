"""What browsers and operators rely on: CORS by allow-list, and request ids."""

from collections.abc import Callable

import pytest

from tests.api.client import Answer, Client, client_of
from tests.api.positions import in_play
from tests.servers import QwirkleServer

HOME = "https://table.example"
ALSO = "http://localhost:3000"
STRANGER = "https://evil.example"
READABLE = {"etag", "location", "retry-after", "idempotency-replayed", "x-request-id"}
READABLE |= {"ratelimit", "ratelimit-policy"}
SENDABLE = {"authorization", "content-type", "idempotency-key", "if-match", "if-none-match"}


@pytest.fixture(scope="module")
def listed(kept_qwirkle: Callable[..., QwirkleServer]) -> Client:
    return client_of(kept_qwirkle(QWIRKLE_CORS_ORIGINS=f"{HOME},{ALSO}"))


def words(answer: Answer, header: str) -> set[str]:
    return {word.strip().lower() for word in answer.headers.get(header, "").split(",")}


def cors_headers(answer: Answer) -> set[str]:
    return {name for name in answer.headers if name.startswith("access-control-")}


def test_a_listed_origin_may_read_every_answer(listed: Client) -> None:
    table = in_play(listed)
    for origin in (HOME, ALSO):
        header = {"Origin": origin}
        answers = [
            table.look(0, headers=header).ok(200),
            table.look(0, headers={**header, "If-None-Match": "*"}).ok(304),
            table.play(1, "rc@2,0", headers=header).refused(409, "not_your_turn"),
            listed.get("/v1/nothing", headers=header).refused(404, "not_found"),
            listed.post("/v1/games", {"seats": 2}, headers=header).ok(201),
            listed.get("/readyz", headers=header).ok(200),
        ]
        for answer in answers:
            assert answer.headers["access-control-allow-origin"] == origin
            assert words(answer, "access-control-expose-headers") >= READABLE
            assert "origin" in words(answer, "vary")
            assert "access-control-allow-credentials" not in answer.headers


def test_an_origin_that_is_not_listed_may_read_nothing(listed: Client) -> None:
    table = in_play(listed)
    for origin in (STRANGER, f"{HOME}.evil.example", HOME.upper(), "null", f"{HOME}:8443", "*"):
        answer = table.look(0, headers={"Origin": origin}).ok(200)
        assert not cors_headers(answer)
        assert "origin" in words(answer, "vary")


@pytest.mark.parametrize(
    ("rest", "method"),
    [("", "DELETE"), ("", "PATCH"), ("/plays", "POST"), ("/hand", "GET"), ("/deal", "POST")],
)
def test_a_preflight_names_methods_and_headers(rest: str, method: str, listed: Client) -> None:
    path = in_play(listed).path(rest)
    asked = {
        "Origin": HOME,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, idempotency-key",
    }
    answer = listed.send("OPTIONS", path, headers=asked).ok()
    assert answer.headers["access-control-allow-origin"] == HOME
    assert method.lower() in words(answer, "access-control-allow-methods")
    assert words(answer, "access-control-allow-headers") >= SENDABLE
    assert int(answer.headers["access-control-max-age"]) > 0
    refused = listed.send("OPTIONS", path, headers=asked | {"Origin": STRANGER})
    assert not cors_headers(refused)


def test_without_a_list_no_origin_is_admitted(client: Client) -> None:
    table = in_play(client)
    assert not cors_headers(table.look(0, headers={"Origin": HOME}))
    asked = {"Origin": HOME, "Access-Control-Request-Method": "GET"}
    assert not cors_headers(client.send("OPTIONS", table.path(), headers=asked))


def test_a_star_admits_every_origin(keyed: Client) -> None:
    answer = keyed.get("/v1/editions", headers={"Origin": STRANGER})
    assert answer.headers["access-control-allow-origin"] == "*"


# Request ids


@pytest.mark.parametrize("given", ["a", "req-1.2_3~+/=:", "x" * 128, "7f3c"])
def test_a_usable_request_id_is_returned(given: str, client: Client) -> None:
    header = {"X-Request-ID": given}
    assert client.get("/livez", headers=header).headers["x-request-id"] == given
    refused = client.get("/v1/nothing", headers=header).refused(404, "not_found")
    assert refused.json["request_id"] == refused.headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", "<script>", "\xe9", '"quoted"', "a\tb"])
def test_another_request_id_is_replaced(given: str, client: Client) -> None:
    answers = [client.get("/v1/nothing", headers={"X-Request-ID": given}) for _ in range(2)]
    ids = {answer.headers["x-request-id"] for answer in answers}
    assert len(ids) == 2
    assert given not in ids
    assert all(len(each) == 16 for each in ids)


def test_a_type_is_never_to_be_guessed(client: Client) -> None:
    for path in ("/livez", "/v1/nothing", "/", "/docs", "/v1/editions"):
        assert client.get(path).headers["x-content-type-options"] == "nosniff"
