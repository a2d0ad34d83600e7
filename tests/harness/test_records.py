"""Records and their verification over HTTP."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from service.api.views.records import LARGEST_RECORD
from service.rules.record.write import record_of
from tests.api.client import Client
from tests.golden.make import FOLDER, events_of

FILES = sorted(FOLDER.glob("*.json"))
LAST_PLAYER = orjson.loads((FOLDER / "last_player.json").read_bytes())


def report(client: Client, document: object) -> dict[str, Any]:
    return client.post("/v1/records/verify", orjson.dumps(document)).ok(200).json


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_golden_record_is_right(client: Client, path: Path) -> None:
    assert report(client, orjson.loads(path.read_bytes()))["ok"]


def test_a_record_holds_no_secret_before_the_end_whoever_asks(client: Client) -> None:
    table = client.create(players=[{"name": "Ada", "age": 44}, {"name": "Ben", "age": 13}])
    table.deal().ok()
    for token in (None, table.host, *table.tokens):
        record = client.get(table.path("/record"), token=token).ok(200)
        assert record.json["seed"] is None
        assert record.json["events"][1]["hands"] == [None, None]
        assert b"44" not in orjson.dumps(record.json["events"])
        assert report(client, record.json) == {
            "ok": True,
            "complete": False,
            "checked_events": 2,
            "problem": None,
        }


def test_guesses_at_an_age_while_the_game_is_waiting_tell_nothing(client: Client) -> None:
    table = client.create(players=[{"name": "Ada", "age": 44}], seats=2)
    ranks = set()
    for guess in (43, 44, 45):
        table.join(body={"age": guess}).ok()
        record = table.look(rest="/record").ok(200).json
        assert report(client, record)["ok"]
        created, *_, joined = record["events"]
        ranks |= {created["players"][0]["age_rank"], joined["age_rank"]}
        table.resign(1).ok()
    assert ranks == {None}


def test_a_finished_record_reveals_everything_and_is_right(client: Client) -> None:
    table = client.create(auto_bid=True)
    table.deal().ok()
    hands = [table.hand(seat) for seat in (0, 1)]
    table.resign(0).ok(201)
    record = table.look(rest="/record").ok(200).json
    assert record["events"][1]["hands"] == hands
    assert record["seed"] == table.view()["seed"]
    assert report(client, record)["complete"]


def test_a_record_has_the_version_of_its_game(client: Client) -> None:
    table = client.create()
    first = table.look(rest="/record").ok(200)
    known = {"If-None-Match": first.etag}
    assert client.get(table.path("/record"), headers=known).status == 304
    table.deal().ok()
    assert client.get(table.path("/record"), headers=known).status == 200


def test_a_wrong_record_gets_a_report_and_no_refusal(client: Client) -> None:
    document = orjson.loads(orjson.dumps(LAST_PLAYER))
    document["events"][9]["seat"] = 1 - document["events"][9]["seat"]
    said = report(client, document)
    assert (said["ok"], said["checked_events"], said["problem"]["n"]) == (False, 9, 10)
    assert said["problem"]["code"] == "not_your_turn"


@pytest.mark.parametrize("document", [{}, {"record_version": 7}, {"a": [[[[]]]]}])
def test_an_object_that_is_no_record_gets_a_report(client: Client, document: object) -> None:
    said = report(client, document)
    assert (said["ok"], said["checked_events"], said["problem"]["n"]) == (False, 0, 0)


@pytest.mark.parametrize("body", [b"", b"[]", b"5", b"null", b"{", b'{"a":1,"a":2}', b"\xff"])
def test_what_is_no_object_is_refused(client: Client, body: bytes) -> None:
    client.post("/v1/records/verify", body).refused(400, "malformed_request")


def test_a_record_of_a_long_war_of_exchanges_is_verified(client: Client) -> None:
    """Longer than any other body may be."""
    events = events_of("exchange_war")
    document = orjson.loads(orjson.dumps(record_of(events)))
    padded = orjson.dumps(document) + b" " * (LARGEST_RECORD // 2)
    assert client.post("/v1/records/verify", padded).ok(200).json["ok"]


def test_a_body_beyond_the_limit_is_refused(client: Client) -> None:
    client.post("/v1/records/verify", b" " * (LARGEST_RECORD + 1)).refused(413, "body_too_large")
    chunks = iter([b" " * 65536] * (LARGEST_RECORD // 65536 + 1))
    client.post("/v1/records/verify", chunks).refused(413, "body_too_large")


def test_a_verification_may_carry_a_key_and_is_done_again(client: Client) -> None:
    key = "a-key-of-some-length"
    answers = [client.post("/v1/records/verify", LAST_PLAYER, key=key).ok(200) for _ in range(2)]
    assert answers[0].body == answers[1].body
    client.post("/v1/records/verify", {}, key="short").refused(400, "malformed_request")
