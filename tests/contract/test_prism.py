"""Prism stands between the players and the service, and holds all they say against the contract."""

import json
import re
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.api.client import Answer, Client, Table
from tests.api.playing import play_to_the_end
from tests.contract.document import written
from tests.contract.npm import running_package
from tests.servers import QwirkleServer

PRISM = "@stoplight/prism-cli@5.14.2"
VIOLATIONS = "sl-violations"


class WatchedClient(Client):
    """Prism has nothing to say about any request or answer."""

    def send(self, method: str, path: str, body: object = None, **rest: Any) -> Answer:
        answer = super().send(method, path, body, **rest)
        assert VIOLATIONS not in answer.headers, (method, path, answer.headers[VIOLATIONS])
        return answer


@pytest.fixture
def prism(valkey_server: QwirkleServer, tmp_path: Path) -> Iterator[str]:
    """The address of a Prism that passes everything on to the service."""
    contract = tmp_path / "contract.json"
    contract.write_text(json.dumps(contract_with_a_mistake()))
    command = ("prism", "proxy", str(contract), valkey_server.base_url, "--port=0")
    log = tmp_path / "prism.log"
    with running_package(PRISM, *command, log=log) as process:
        while not (found := re.search(r"listening on (http://\S+)", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        yield found[1]


def contract_with_a_mistake() -> dict[str, Any]:
    """The contract, except that it promises something about /livez that does not hold."""
    contract = deepcopy(written())
    answer = contract["paths"]["/livez"]["get"]["responses"]["200"]
    answer["content"]["application/json"]["schema"] = {"type": "object", "required": ["pulse"]}
    return contract


@pytest.mark.timeout(300)  # the first time, npm fetches Prism
def test_it_notices_mistakes_and_finds_none_in_whole_games(prism: str) -> None:
    # One test: on several processes, each would start a Prism of its own.
    wrong = Client(prism).post("/v1/games", {"seats": 9}).refused(400, "malformed_request")
    assert '"request","body","seats"' in wrong.headers[VIOLATIONS]
    assert "'pulse'" in Client(prism).get("/livez").ok(200).headers[VIOLATIONS]
    play_a_whole_game(WatchedClient(prism))
    preview_and_be_refused_and_resign(WatchedClient(prism))


def play_a_whole_game(client: Client) -> None:
    table = client.create(seats=3, players=[{"name": "Ada", "age": 9}, {"name": "Ben"}])
    table.join("Cleo", body={"entropy": "dice"}, key="the-seat-of-cleo").ok(201)
    story = play_to_the_end(table, Random(3), counting=False)
    assert {kind for _, kind, _, _ in story.answers} >= {"played", "exchanged"}
    look_at_everything(table)
    record = table.look(rest="/record").ok(200).json
    assert client.post("/v1/records/verify", record).ok(200).json["ok"]
    table.act(0, "rematch").ok(201)


def look_at_everything(table: Table) -> None:
    for path in ("/score", "/events?limit=1000", "/unseen", "/board.svg", "/board.png"):
        assert table.look(rest=path).ok(200).body
    etag = table.look(0).etag
    assert table.look(0, headers={"If-None-Match": etag}).status == 304
    last = table.look(rest="/events?limit=1").json["last"]
    stream = table.look(rest="/events/stream", headers={"Last-Event-ID": str(last)})
    assert stream.status == 204


def preview_and_be_refused_and_resign(client: Client) -> None:
    table = client.create(auto_bid=True)
    table.deal().ok(200)
    seat = table.view()["turn"]["seat"]
    best = {"placements": table.plays(seat, "?limit=1&sort=points")["plays"][0]["placements"]}
    table.act(seat, "plays/preview", best).ok(200)
    far = {"placements": [each | {"x": each["x"] + 7} for each in best["placements"]]}
    table.act(seat, "plays/preview", far).refused(422, "opening_off_centre")
    table.act(1 - seat, "plays", best).refused(409, "not_your_turn")
    table.pass_turn(seat).refused(422, "must_open")
    table.act(seat, "plays", best, match='"old"').refused(412, "stale_version")
    table.act(seat, "plays", best).ok(201)
    table.look(seat, "/events?after=2&wait=1").ok(200)
    table.resign(1 - seat).ok(201)
    assert table.view()["end"] == "last_player"
    table.act(None, "passes", token="qwp_0_void").refused(401, "token_invalid")
    table.delete().ok(204)
    table.look().refused(404, "game_not_found")
