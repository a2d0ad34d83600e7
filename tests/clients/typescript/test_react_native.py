"""React Native: no streams, no random numbers unless imported, and polyfills.

`fetch` and `AbortController` are those that React Native ships; Node lends the sockets below them.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.client import Table
from tests.clients.http_proxy import Fault, HttpProxy
from tests.clients.typescript.node_client import ClientError, NodeClient
from tests.live.streams import exchanges

POLYFILLS = ("whatwg-fetch@3.6.20", "abort-controller@3.0.0", "xhr2@0.2.1")
PLAY = [{"tile": "red-diamond", "x": 2, "y": 0}]

Start = Callable[..., NodeClient]


@pytest.fixture(scope="module")
def polyfills(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed: React Native was not tried")
    folder = tmp_path_factory.mktemp("react-native")
    (folder / "package.json").write_text('{"private": true}', "utf-8")
    install = ["npm", "install", "--silent", *POLYFILLS]
    if subprocess.run(install, cwd=folder, check=False, capture_output=True).returncode:
        pytest.skip("npm could not fetch the polyfills of React Native")
    return folder / "package.json"


@pytest.fixture
def start(open_client: Start, proxy: HttpProxy, polyfills: Path) -> Start:
    def start(**setup: object) -> NodeClient:
        return open_client(proxy.base_url, reactNative=str(polyfills), **setup)

    return start


def test_a_game_is_played_and_followed_by_polls(
    start: Start, proxy: HttpProxy, table: Table
) -> None:
    client = start(random=True)
    following = client.game(table.id, table.tokens[1]).follow()
    assert [event["n"] for event in following.take(1)] == [1]
    proxy.trouble("POST .*", Fault.LOSE)
    ada = client.game(table.id, table.tokens[0])
    assert ada.call("play", PLAY)["play"]["points"] == 3
    assert [event["type"] for event in following.take(1)] == ["played"]
    assert ada.call("view") == table.view(0)
    exchanges(table, 1)
    table.resign(0).ok(201)
    assert [event["type"] for event in following.rest()] == ["exchanged", "resigned"]
    assert following.connections == ["polling"]
    assert proxy.asked("GET .*/stream") == []
    assert not [each.line for each in proxy.seen if "_=" in each.line]


def test_a_refusal_and_an_abort_are_the_same_there(
    start: Start, proxy: HttpProxy, table: Table
) -> None:
    client = start(random=True)
    with pytest.raises(ClientError) as refused:
        client.game(table.id, table.tokens[1]).call("pass")
    assert (refused.value.name, refused.value.code) == ("Conflict", "not_your_turn")
    proxy.trouble("GET /v1/editions", Fault.HOLD)
    asked = client.start("editions")
    asked.abort()
    with pytest.raises(ClientError) as aborted:
        asked.result()
    assert aborted.value.name == "AbortError"


def test_without_random_numbers_no_guessable_key_is_made(
    start: Start, proxy: HttpProxy, table: Table
) -> None:
    client = start()
    ada = client.game(table.id, table.tokens[0])
    with pytest.raises(ClientError, match="react-native-get-random-values"):
        ada.call("play", PLAY)
    assert proxy.seen == []
    assert ada.call("play", PLAY, idempotencyKey="a-key-of-ones-own")["game"]["version"] == 2
