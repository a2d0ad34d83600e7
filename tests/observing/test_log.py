"""The log has a line of JSON for each request, and nothing that anybody must not see."""

import re
import tracemalloc
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from service.telemetry.access_log import AccessLog
from service.telemetry.logging import STDOUT
from tests.api.client import Client
from tests.api.concurrent_calls import at_once
from tests.api.positions import in_play, waiting
from tests.observing.reading import lines, wait_for
from tests.servers import QwirkleServer


def line_of(server: QwirkleServer, request_id: str) -> dict[str, Any]:
    """The line of the request with this id, once it is written."""

    def look() -> list[dict[str, Any]]:
        return [each for each in lines(server.output) if each.get("request_id") == request_id]

    [line] = wait_for(look)
    return line


def test_a_request_is_one_line_that_says_what_was_asked(
    server: QwirkleServer, client: Client
) -> None:
    table = in_play(client)
    table.play(0, "rd@2,0", headers={"X-Request-ID": "a-play"}).ok(201)
    line = line_of(server, "a-play")
    assert datetime.fromisoformat(line.pop("time")).tzinfo is not None
    assert 0 < line.pop("duration_ms") < 60_000
    assert line == {
        "level": "info",
        "message": "POST /v1/games/{game_id}/plays 201",
        "request_id": "a-play",
        "game": table.id,
        "seat": 0,
        "route": "/v1/games/{game_id}/plays",
        "method": "POST",
        "status": 201,
    }


def test_who_has_no_seat_and_what_is_no_game_are_null(
    server: QwirkleServer, client: Client
) -> None:
    client.get('/v1/games/"quoted', headers={"X-Request-ID": "no-game"})
    client.get("/somewhere/else", headers={"X-Request-ID": "no-route"})
    line = line_of(server, "no-game")
    assert (line["game"], line["seat"], line["status"]) == (None, None, 404)
    assert line_of(server, "no-route")["route"] == "unmatched"


def test_nothing_that_was_sent_is_in_the_log_but_ids(server: QwirkleServer, client: Client) -> None:
    table = waiting(client, private=True)
    stray = "qwp_0_strayed-into-the-address"
    client.get(f"/v1/games/{table.id}?token={stray}", headers={"X-Request-ID": "with-query"})
    client.get(f"/{stray}", headers={"X-Request-ID": "with-path"})
    table.look(token="qwp_0_nobodys-token-at-all", headers={"X-Request-ID": "with-token"})
    for given in (table.host, f"Bearer:{table.host}"):
        own = client.get("/v1/editions", headers={"X-Request-ID": given}).headers["x-request-id"]
        assert table.host not in own
    for each in ("with-query", "with-path", "with-token", own):
        line_of(server, each)
    said = server.output + server.errors
    for secret in (stray, "nobodys-token", table.host, *table.tokens, table.join_code):
        assert secret not in said


def test_lines_of_several_processes_never_mix(server: QwirkleServer, client: Client) -> None:
    ids = [f"crowd-{number}" for number in range(120)]
    asked = [partial(client.get, "/v1/editions", headers={"X-Request-ID": each}) for each in ids]
    at_once(asked)

    def written() -> list[str]:
        # Every line is read as JSON here, so none may have got into another.
        found = [each["request_id"] for each in lines(server.output) if "request_id" in each]
        return [each for each in found if each.startswith("crowd-")]

    wait_for(lambda: len(written()) == len(ids))
    assert sorted(written()) == sorted(ids)


def test_what_gunicorn_says_has_the_same_form(server: QwirkleServer) -> None:
    said = [line for line in lines(server.errors) if line["logger"] == "gunicorn.error"]
    # Other tests kill workers of this server, which gunicorn calls an error.
    levels = {line["level"] for line in said if line["message"].startswith("Booting worker")}
    assert levels == {"info"}
    for line in said:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])


def test_text_is_for_people() -> None:
    access_log = AccessLog("info", "text", access_log=True)
    with NamedTemporaryFile() as file:
        before, STDOUT.fd = STDOUT.fd, file.fileno()
        try:
            access_log.record("/livez", "GET", 200, 0.001, request_id="unseen")
            access_log.record("/livez", "GET", 503, 0.001, request_id="seen")
            access_log.record(None, "BREW", 405, 0.0015, request_id="r", game_id="a" * 26, seat=2)
            STDOUT.flush()
        finally:
            STDOUT.fd = before
        said = Path(file.name).read_text().splitlines()
    assert [line.partition("Z ")[2] for line in said] == [
        "WARNING GET /livez 503 1.0 ms request seen",
        f"INFO other unmatched 405 1.5 ms game {'a' * 26} seat 2 request r",
    ]


def test_methods_that_clients_make_up_are_not_remembered() -> None:
    access_log = AccessLog("info", "json", access_log=False)
    access_log.record(None, "BREW", 405, 0.001, request_id="first")
    tracemalloc.start()
    try:
        for number in range(2_000):
            access_log.record(None, f"BREW{number}", 405, 0.001, request_id="r")
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 50_000
