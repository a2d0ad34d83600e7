"""Actions outlive the program: what was sent without an answer is sent again, and happens once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api.client import Table
from tests.clients.http_proxy import Answer, Fault, HttpProxy
from tests.clients.typescript.node_client import ClientError, NodeClient
from tests.proxy import until

OpenClient = Callable[..., NodeClient]

PLAY = [{"tile": "red-diamond", "x": 2, "y": 0}]
NEW_GAME = {"players": [{"name": "Ada"}, {"name": "Ben"}]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "outbox.json"


@pytest.fixture
def client(open_client: OpenClient, proxy: HttpProxy, file: Path) -> NodeClient:
    """A client that keeps its actions in the file."""
    return open_client(proxy.base_url, outbox=str(file))


def kept_in(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_text()).values()) if file.exists() else []


@pytest.mark.parametrize("fault", [Fault.HOLD, Fault.CUT])
def test_an_action_outlives_a_crash(
    open_client: OpenClient,
    client: NodeClient,
    proxy: HttpProxy,
    file: Path,
    table: Table,
    fault: Fault,
) -> None:
    trouble = proxy.trouble("POST .*/plays", fault, times=1000)
    client.game(table.id, table.tokens[0]).start("play", PLAY)
    until(lambda: len(proxy.asked("POST .*/plays")) > 0)
    client.kill()
    trouble.times = 0
    after = open_client(proxy.base_url, outbox=str(file))
    (action,) = after.call("pending", game="outbox")
    assert after.call("resend", action)["play"]["points"] == 3
    assert after.call("pending", game="outbox") == kept_in(file) == []
    assert table.version == 2


def test_an_action_is_kept_with_its_precondition_and_without_the_api_key(
    open_client: OpenClient, proxy: HttpProxy, file: Path, table: Table
) -> None:
    client = open_client(proxy.base_url, outbox=str(file), options={"apiKey": "an-api-key"})
    proxy.trouble("POST .*", Fault.CUT, times=2)
    for game, method, args, options in (
        (None, "createGame", [NEW_GAME], {}),
        ([table.id, table.tokens[0]], "resign", [], {"ifMatch": '"stale"'}),
    ):
        with pytest.raises(ClientError, match="NoAnswer"):
            client.call(method, *args, game=game, patience=0, **options)
    creation, resignation = client.call("pending", game="outbox")
    assert "an-api-key" not in file.read_text()
    with pytest.raises(ClientError, match="StaleVersion"):
        client.call("resend", resignation)
    proxy.seen.clear()
    with pytest.raises(ClientError, match="TokenRefused"):
        client.call("resend", creation)  # this service has no API keys
    assert proxy.seen[0].headers["authorization"] == "Bearer an-api-key"
    assert proxy.seen[0].key == creation["key"]
    assert kept_in(file) == []


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (Answer(422, b'{"code": "must_open", "detail": "no"}'), 0),
        (Answer(503, b'{"code": "store_unavailable", "detail": "no"}'), 1),
        (Answer(403), 1),
        (Answer(200), 1),
    ],
    ids=["refused", "in trouble", "refused by a proxy", "answered by a proxy"],
)
def test_only_an_answer_of_the_service_ends_an_action(
    client: NodeClient, proxy: HttpProxy, file: Path, answer: Answer, kept: int
) -> None:
    proxy.trouble("POST /v1/games", answer)
    with pytest.raises(ClientError):
        client.call("createGame", NEW_GAME, patience=0)
    assert len(kept_in(file)) == kept


def test_an_action_that_is_being_sent_is_not_sent_twice(
    client: NodeClient, proxy: HttpProxy, file: Path, table: Table
) -> None:
    proxy.trouble("POST .*/plays", Answer(503, headers={"Retry-After": "1"}))
    playing = client.game(table.id, table.tokens[0]).start("play", PLAY)
    until(lambda: len(client.retries) == 1)
    (action,) = kept_in(file)
    again = client.start("resend", action)
    assert playing.result() == again.result()
    assert len(proxy.seen) == 2


def test_an_action_that_is_too_old_to_be_repeated_is_forgotten(
    client: NodeClient, proxy: HttpProxy, table: Table
) -> None:
    proxy.trouble("POST .*", Fault.CUT)
    with pytest.raises(ClientError, match="NoAnswer"):
        client.game(table.id, table.tokens[0]).call("play", PLAY, patience=0)
    assert len(client.call("pending", game="outbox")) == 1
    client.skip(21 * 3600)
    assert client.call("pending", game="outbox") == []


def test_a_storage_that_fails_keeps_nobody_from_playing(
    open_client: OpenClient, proxy: HttpProxy, tmp_path: Path, table: Table
) -> None:
    client = open_client(proxy.base_url, outbox=str(tmp_path))  # a folder is not a file
    assert client.game(table.id, table.tokens[0]).call("play", PLAY)["play"]["points"] == 3
