"""/metrics tells what all processes have done, and forgets nothing when one of them dies."""

import http.client
from urllib.parse import urlsplit

import psutil

from service.telemetry.metrics import REGISTRY
from tests.api.client import Client
from tests.api.positions import at_the_bids, in_play
from tests.observing.reading import Numbers, wait_for
from tests.servers import QwirkleServer, is_web_server

PLAYS = "/v1/games/{game_id}/plays"


def test_every_number_is_exported_from_the_beginning(server: QwirkleServer) -> None:
    text = server.get("/metrics")[1].decode()
    for metric in REGISTRY.collect():
        name = metric.name + ("_total" if metric.type == "counter" else "")
        assert f"# HELP {name} {metric.documentation}\n" in text
        assert f"# TYPE {name} {metric.type}\n" in text
    assert 'qwirkle_build_info{python="' in text


def test_requests_are_counted_by_route_method_and_status(
    server: QwirkleServer, client: Client
) -> None:
    before = Numbers(server)
    table = in_play(client)
    table.play(0, "rd@2,0").ok(201)
    for _ in range(20):
        table.play(0, "rd@2,0").refused(409, "not_your_turn")
    client.get("/no/such/path").refused(404, "not_found")
    after = Numbers(server)

    def rise(name: str, **labels: str) -> float:
        return after(name, **labels) - before(name, **labels)

    assert rise("requests_total", route=PLAYS, method="POST", status="201") == 1
    assert rise("requests_total", route=PLAYS, method="POST", status="409") == 20
    assert rise("requests_total", route="unmatched", method="GET", status="404") == 1
    assert rise("request_seconds_count", route=PLAYS, method="POST") == 21
    assert rise("request_seconds_bucket", route=PLAYS, method="POST", le="+Inf") == 21
    assert rise("problems_total", code="not_your_turn") == 20
    assert rise("problems_total", code="not_found") == 1


def test_games_and_what_is_done_in_them_are_counted(server: QwirkleServer, client: Client) -> None:
    before = Numbers(server)
    table = at_the_bids(client)
    table.bid(0, 2).refused(422, "bid_too_low")
    table.bid(0, 3, key="again").ok(201)
    assert table.bid(0, 3, key="again").replayed
    table.bid(1, 2).ok(201)
    table.play(0, "ro@0,0 rs@1,0 rd@2,0").ok(201)
    table.exchange(1, "bs").ok(201)
    refused = table.play(0, "bo@9,9 gc@9,8").refused(422, "not_touching").json
    table.resign(1).ok(201)
    client.create().delete().ok(204)
    after = Numbers(server)

    def rise(name: str, **labels: str) -> float:
        return after(name, **labels) - before(name, **labels)

    assert rise("games_created_total") == 2
    assert rise("games_started_total") == 1
    assert rise("games_finished_total", end="last_player") == 1
    assert rise("games_deleted_total") == 1
    assert rise("idempotent_replays_total") == 1
    for action, times in {"bid": 2, "played": 1, "exchanged": 1, "resigned": 1}.items():
        assert rise("actions_total", action=action, by="player") == times, action
    assert len(refused["violations"]) == 2
    for broken in ("depends_on_hand", "not_touching", "line_mixed"):
        assert rise("rule_refusals_total", code=broken) == 1, broken


def test_round_trips_to_the_store_are_counted_by_what_they_are_for(
    server: QwirkleServer, client: Client
) -> None:
    table = in_play(client)
    before = Numbers(server)
    table.play(0, "rd@2,0").ok(201)
    after = Numbers(server)
    for operation, times in {"commit": 1, "fork": 0, "delete": 0}.items():
        name = "store_seconds_count"
        assert after(name, operation=operation) - before(name, operation=operation) == times


def test_bots_count_as_bots(server: QwirkleServer, client: Client) -> None:
    before = Numbers(server)
    table = client.create(players=[{"name": "Ada"}, {"name": "Robo", "bot": "greedy"}])
    table.deal().ok(200)
    wait_for(lambda: table.view()["players"][1]["bid"] is not None)
    after = Numbers(server)
    assert after("actions_total", action="bid", by="bot") > before(
        "actions_total", action="bid", by="bot"
    )


def test_open_streams_are_counted_until_they_end(server: QwirkleServer, client: Client) -> None:
    table = in_play(client)
    before = Numbers(server)("streams_open")
    stream = http.client.HTTPConnection(urlsplit(client.base_url).netloc, timeout=60)
    stream.request("GET", table.path("/events/stream"))
    answer = stream.getresponse()
    answer.readline()
    assert Numbers(server)("streams_open") == before + 1
    answer.close()
    stream.close()
    wait_for(lambda: Numbers(server)("streams_open") == before)


def test_what_is_no_request_is_counted_too(server: QwirkleServer) -> None:
    labels = {"route": "unreadable", "method": "other", "status": "400"}
    before = Numbers(server)("requests_total", **labels)
    where = urlsplit(server.base_url)
    line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    line.connect()
    line.sock.sendall(b"nonsense\r\n\r\n")
    assert line.sock.recv(100).startswith(b"HTTP/1.1 400 ")
    line.close()
    assert Numbers(server)("requests_total", **labels) == before + 1


def test_nothing_that_was_counted_is_lost_when_a_worker_is_killed(
    server: QwirkleServer, client: Client
) -> None:
    def processes() -> tuple[float, float]:
        numbers = Numbers(server)
        return numbers("processes", kind="web"), numbers("processes", kind="worker")

    wait_for(lambda: processes() == (2, 1))
    for _ in range(20):  # over both workers
        client.get("/v1/editions").ok(200)
    before = Numbers(server)
    [master] = [each for each in psutil.Process(server.pid).children() if is_web_server(each)]
    for victim in master.children():
        victim.kill()
        psutil.wait_procs([victim], timeout=30)
    wait_for(lambda: processes() == (2, 1))
    after = Numbers(server)

    sunk = {
        name: (value, after.values.get(name))
        for name, value in before.values.items()
        if name[0].endswith(("_total", "_count", "_bucket", "_sum"))
        and after.values.get(name, -1.0) < value
    }
    assert not sunk
    client.get("/v1/editions").ok(200)
    route = {"route": "/v1/editions", "method": "GET", "status": "200"}
    assert Numbers(server)("requests_total", **route) == before("requests_total", **route) + 1
