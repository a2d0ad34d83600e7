"""Lost answers, refused connections and busy servers: an action happens once, or is refused."""

import json
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from tests.api.client import Client, Table
from tests.api.positions import at_the_bids, finished, in_play, waiting
from tests.clients.http_proxy import Answer, Fault, HttpProxy
from tests.clients.typescript.node_client import ClientError, NodeClient
from tests.proxy import until

OpenClient = Callable[..., NodeClient]

PLAY = [{"tile": "red-diamond", "x": 2, "y": 0}]
NEW_GAME = {"players": [{"name": "Ada"}, {"name": "Ben"}]}
ACTIONS: dict[str, tuple[Callable[..., Table], int | None, str, list[Any]]] = {
    "join": (waiting, None, "players", [{"name": "Eve"}]),
    "deal": (lambda api: waiting(api, seats=2), -1, "deal", ["dice"]),
    "bid": (at_the_bids, 0, "bids", [3]),
    "play": (in_play, 0, "plays", [PLAY]),
    "exchange": (in_play, 0, "exchanges", [["red-diamond"]]),
    "pass": (lambda api: api.position("ro", "bs", "rs bd"), 0, "passes", []),
    "resign": (in_play, 0, "resignations", []),
    "rematch": (finished, 0, "rematch", ["dice"]),
    "renewToken": (in_play, 0, "tokens", [None]),
    "fork": (in_play, -1, "forks", [1]),
}


@pytest.mark.parametrize("fault", [Fault.LOSE, Fault.TRUNCATE, Fault.CUT])
@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_whose_answer_is_lost_happens_once(
    client: NodeClient, proxy: HttpProxy, api: Client, action: str, fault: Fault
) -> None:
    prepare, seat, path, args = ACTIONS[action]
    table = prepare(api)
    version = table.version
    trouble = proxy.trouble(f"POST .*/{path}", fault, times=2)
    token = None if seat is None else table.host if seat < 0 else table.tokens[seat]
    answer = client.game(table.id, token).call(action, *args)
    assert trouble.over
    tries = proxy.asked("POST .*")
    assert len(tries) == 3
    assert len({(each.key, each.line) for each in tries}) == 1
    changes = action not in {"rematch", "renewToken", "fork"}
    assert table.version == version + changes
    if changes:
        assert answer.get("game", answer)["version"] == version + 1


@pytest.mark.parametrize("fault", [Fault.LOSE, Fault.CUT])
def test_a_game_is_created_once(client: NodeClient, proxy: HttpProxy, fault: Fault) -> None:
    proxy.trouble("POST /v1/games", fault, times=2)
    created = client.call("createGame", NEW_GAME)
    again = client.call("createGame", NEW_GAME)
    assert created["game"]["id"] != again["game"]["id"]
    keys = [each.key for each in proxy.seen]
    assert (len(keys), len(set(keys))) == (4, 2)
    for number, (line, error) in enumerate(client.retries, 1):
        assert line == "POST /v1/games"
        assert (error["name"], error["attempts"]) == ("NoAnswer", number)
    assert len(client.retries) == 2


def test_a_key_of_ones_own_is_sent(client: NodeClient, proxy: HttpProxy) -> None:
    key = "a key of more than 16 characters".replace(" ", "-")
    first = client.call("createGame", NEW_GAME, idempotencyKey=key)
    assert client.call("createGame", NEW_GAME, idempotencyKey=key) == first
    assert {each.key for each in proxy.seen} == {key}


def test_a_delete_whose_answer_is_lost_has_succeeded(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    proxy.trouble("DELETE .*", Fault.LOSE)
    host = client.game(table.id, table.host)
    assert host.call("delete") is None
    assert len(proxy.seen) == 2
    with pytest.raises(ClientError) as gone:
        host.call("delete")
    assert gone.value.code == "game_not_found"


@pytest.mark.parametrize("method", ["view", "hand", "record"])
def test_a_read_is_repeated(
    client: NodeClient, proxy: HttpProxy, table: Table, method: str
) -> None:
    proxy.trouble("GET .*", Fault.TRUNCATE)
    assert client.game(table.id, table.tokens[0]).call(method)
    assert len(proxy.seen) == 2


def test_a_question_is_repeated_without_a_key(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    proxy.trouble("POST .*/preview", Fault.LOSE)
    preview = client.game(table.id, table.tokens[0]).call("preview", PLAY)
    assert (preview["play"]["points"], table.version) == (3, 1)
    assert [each.key for each in proxy.seen] == [None, None]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, "RateLimited"),
        (500, "ServiceUnavailable"),
        (502, "ServiceUnavailable"),
        (503, "ServiceUnavailable"),
        (504, "ServiceUnavailable"),
    ],
)
def test_a_proxy_in_trouble_is_asked_again(
    client: NodeClient, proxy: HttpProxy, status: int, kind: str
) -> None:
    proxy.trouble("POST /v1/games", Answer(status))
    assert client.call("createGame", NEW_GAME)["game"]["status"] == "waiting"
    ((_, error),) = client.retries
    assert (error["name"], error["status"], error["code"]) == (kind, status, "")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "MalformedRequest"),
        (403, "Forbidden"),
        (404, "NotFound"),
        (418, "ProblemError"),
        (511, "ServiceUnavailable"),
        (200, "UnexpectedAnswer"),
    ],
)
def test_a_proxy_that_refuses_is_not_asked_again(
    client: NodeClient, proxy: HttpProxy, status: int, kind: str
) -> None:
    proxy.trouble("POST /v1/games", Answer(status))
    with pytest.raises(ClientError) as refused:
        client.call("createGame", NEW_GAME)
    assert (refused.value.name, refused.value.transient) == (kind, False)
    assert len(proxy.seen) == 1


def test_an_action_still_in_progress_elsewhere_is_asked_for_again(
    client: NodeClient, proxy: HttpProxy
) -> None:
    problem = {"code": "request_in_flight", "detail": "not yet", "status": 409}
    proxy.trouble("POST /v1/games", Answer(409, json.dumps(problem).encode()))
    assert client.call("createGame", NEW_GAME)["game"]
    proxy.trouble("POST /v1/games", Answer(409, json.dumps(problem | {"code": "other"}).encode()))
    with pytest.raises(ClientError) as refused:
        client.call("createGame", NEW_GAME)
    assert refused.value.code == "other"


@pytest.mark.parametrize("status", [429, 503])
def test_the_pause_that_is_asked_for_is_kept(
    client: NodeClient, proxy: HttpProxy, status: int
) -> None:
    proxy.trouble("GET /v1/editions", Answer(status, headers={"Retry-After": "2"}))
    began = monotonic()
    assert client.call("editions")["colours"]
    assert monotonic() - began >= 2
    assert client.retries[0][1]["retryAfter"] == 2000


@pytest.mark.parametrize("later", ["90", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_pause_beyond_patience_is_left_to_the_caller(
    client: NodeClient, proxy: HttpProxy, later: str
) -> None:
    proxy.trouble("GET /v1/editions", Answer(429, headers={"Retry-After": later}))
    with pytest.raises(ClientError) as refused:
        client.call("editions", patience=60_000)
    assert refused.value.retryAfter > 60_000
    assert (refused.value.transient, len(proxy.seen)) == (True, 1)


def test_a_very_long_pause_is_not_cut_short(client: NodeClient, proxy: HttpProxy) -> None:
    """Timers have 31 bits; a longer one would end at once."""
    proxy.trouble("GET /v1/editions", Answer(429, headers={"Retry-After": str(10**8)}))
    asked = client.start("editions", patience=10**15)
    until(lambda: client.retries)
    client.call("checkLiveness")
    assert len(proxy.asked("GET /v1/editions")) == 1
    asked.abort()
    with pytest.raises(ClientError, match="AbortError"):
        asked.result()


def test_patience_ends(client: NodeClient, proxy: HttpProxy) -> None:
    proxy.trouble("GET /v1/editions", Fault.CUT, times=1000)
    began = monotonic()
    with pytest.raises(ClientError) as away:
        client.call("editions", patience=2000)
    assert 0.2 < monotonic() - began < 20
    assert (away.value.name, away.value.status) == ("NoAnswer", None)
    assert away.value.attempts == len(proxy.seen) > 2
    seen = len(proxy.seen)
    with pytest.raises(ClientError):
        client.call("editions", patience=0)
    assert len(proxy.seen) == seen + 1


def test_a_silent_server_is_given_up_and_asked_again(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    proxy.trouble("POST .*/plays", Fault.HOLD)
    answer = client.game(table.id, table.tokens[0]).call("play", PLAY, timeout=500)
    assert answer["play"]["points"] == 3
    assert table.version == 2


def test_an_aborted_call_ends_at_once(client: NodeClient, proxy: HttpProxy) -> None:
    for fault in (Fault.HOLD, Answer(503, headers={"Retry-After": "50"})):
        proxy.trouble("GET /v1/editions", fault)
        asked = client.start("editions", patience=10**9)
        until(lambda: proxy.asked("GET /v1/editions"))
        asked.abort()
        with pytest.raises(ClientError) as aborted:
            asked.result()
        assert aborted.value.name == "AbortError"
        proxy.seen.clear()


def test_a_token_never_stands_in_an_error(client: NodeClient, table: Table) -> None:
    for token in ("secret\nsecret", "sécret", "secret-of-another-game"):
        with pytest.raises(ClientError) as refused:
            client.game(table.id, token).call("hand")
        assert "secret" not in json.dumps(refused.value.members)
        assert not refused.value.transient
