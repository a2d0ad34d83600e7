"""What the host changes: seats and options of a waiting table, and notes at any time."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.api.client import Client, Table
from tests.api.concurrent_calls import at_once
from tests.api.positions import finished, in_play, waiting

KEY = "a-key-for-retries"
OPTIONS = ("private", "listed", "auto_deal", "hints", "turn_seconds")


def events_of(table: Table) -> list[dict[str, Any]]:
    return table.look(rest="/events").ok(200).json["events"]


def types_of(table: Table) -> list[str]:
    return [event["type"] for event in events_of(table)]


# Options and seats


def test_an_update_changes_what_it_names_and_nothing_else(client: Client) -> None:
    table = waiting(client, seats=2, metadata={"room": 1})
    before = table.view(token=table.host)
    after = table.update(seats=4, turn_seconds=60).ok(200).json
    changed = {"seats": 4, "turn_seconds": 60, "version": 2}
    changed |= {"last_event": {"n": 2, "type": "updated"}}
    times = {name: after[name] for name in ("updated_at", "expires_at")}
    assert after == before | changed | times
    assert table.view(token=table.host) == after
    event = events_of(table)[-1]
    assert {name: event[name] for name in ("type", "seat", "seats", *OPTIONS)} == {
        "type": "updated",
        "seat": None,
        "seats": 4,
        "private": False,
        "listed": False,
        "auto_deal": False,
        "hints": True,
        "turn_seconds": 60,
    }


def test_a_table_of_four_starts_with_three(client: Client) -> None:
    table = waiting(client, seats=4, players=3)
    table.deal().refused(409, "seats_open")
    table.update(seats=3).ok(200)
    assert table.deal().ok(200).json["seats"] == 3


def test_a_seat_that_is_added_is_taken_by_the_next_player(client: Client) -> None:
    table = waiting(client, seats=2)
    table.join().refused(409, "table_full")
    table.update(seats=3).ok(200)
    assert table.join("Eve").ok(201).json["seat"] == 2
    assert table.view(2)["you"]["seat"] == 2


def test_nobody_loses_a_seat_to_an_update(client: Client) -> None:
    table = waiting(client, seats=4, players=3)
    table.remove(0).ok(204)
    refused = table.update(seats=2, hints=False).refused(422, "seats_taken")
    assert "at least 3 seats" in refused.json["detail"]
    assert table.view()["hints"]
    assert table.version == 2
    assert table.update(seats=3).ok(200).json["seats"] == 3


def test_a_token_of_a_seat_that_was_taken_away_stays_void(client: Client) -> None:
    """Also when the seat is added again: its next player gets another token."""
    table = waiting(client, seats=3, players=3)
    old = table.tokens[2]
    table.act(None, "tokens", token=old, key=KEY)  # its renewals do not come back either
    table.remove(2).ok(204)
    table.update(seats=2).ok(200)
    table.update(seats=3).ok(200)
    assert table.join("Eve").ok(201).json["seat"] == 2
    table.look(token=old).refused(401, "token_invalid")
    assert table.view(2)["you"]["seat"] == 2


def test_the_seats_of_a_position_stay_as_they_are(client: Client) -> None:
    table = client.position("ro rs", "rd bo y* gc px oo", "rc yo b* gs pd ox", players=1, seats=2)
    refused = table.update(seats=3).refused(422, "setup_impossible")
    assert "2 seats" in refused.json["detail"]
    assert table.update(seats=2, hints=False).ok(200).json["hints"] is False


@pytest.mark.parametrize("start", [in_play, finished])
def test_only_a_waiting_table_can_change(start: Callable[..., Table], client: Client) -> None:
    table = start(client)
    for changes in ({"hints": False}, {"seats": 2}, {"hints": False, "metadata": {"a": 1}}):
        table.update(**changes).refused(409, "wrong_phase")
    table.add_bot().refused(409, "table_full")
    table.remove(0).refused(409, "wrong_phase")
    assert table.view(token=table.host)["host"]["metadata"] is None


def test_what_changes_nothing_is_no_event(client: Client) -> None:
    table = waiting(client, metadata={"a": 1})
    before = table.look(token=table.host)
    for changes in ({}, {"seats": 3}, {"hints": True, "metadata": {"a": 1}}):
        answer = table.update(**changes).ok(200)
        assert (answer.etag, answer.json) == (before.etag, before.json)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"seats": 1}, "/seats"),
        ({"seats": 5}, "/seats"),
        ({"seats": None}, "/seats"),
        ({"private": None}, "/private"),
        ({"auto_deal": 1}, "/auto_deal"),
        ({"listed": None}, "/listed"),
        ({"turn_seconds": 9}, "/turn_seconds"),
        ({"metadata": []}, "/metadata"),
        ({"metadata": {"a": "x" * 2048}}, "/metadata"),
        ({"edition": "travel"}, "/edition"),
        ([], ""),
    ],
)
def test_a_malformed_update_is_refused(body: object, pointer: str, client: Client) -> None:
    table = waiting(client)
    answer = client.send("PATCH", table.path(), body, token=table.host)
    answer.refused(400, "malformed_request")
    assert pointer in {error["pointer"] for error in answer.json["errors"]}
    assert table.version == 1


def test_a_table_made_private_needs_its_code(client: Client) -> None:
    table = waiting(client)
    code = table.update(private=True).ok(200).json["host"]["join_code"]
    assert code == table.join_code
    table.join().refused(403, "join_code_wrong")
    table.join(body={"join_code": code}).ok(201)


def test_a_record_of_a_changed_table_is_verified(client: Client) -> None:
    table = waiting(client, seats=2, players=1, seed="changed", auto_bid=True)
    table.update(seats=4).ok(200)
    for name in ("Ben", "Cleo", "Dan"):
        table.join(name).ok(201)
    table.remove(3).ok(204)
    table.update(seats=3).ok(200)
    table.deal().ok(200)
    table.resign(0).ok(201)
    table.resign(1).ok(201)
    record = table.look(rest="/record").ok(200).json
    assert record["seats"] == 2
    assert len(record["scores"]) == 3
    report = client.post("/v1/records/verify", record).ok(200).json
    assert (report["ok"], report["complete"]) == (True, True)


# Metadata


@pytest.mark.parametrize("start", [waiting, in_play, finished])
def test_metadata_changes_at_any_time_without_an_event(
    start: Callable[..., Table], client: Client
) -> None:
    table = start(client, metadata={"round": 1})
    host, others = table.look(token=table.host), [table.look(), table.look(0)]
    changed = table.update(metadata={"round": 2}).ok(200)
    assert changed.json == host.json | {"host": host.json["host"] | {"metadata": {"round": 2}}}
    assert changed.etag != host.etag
    again = table.look(token=table.host, headers={"If-None-Match": host.etag})
    assert again.ok(200).json == changed.json
    assert [table.look().etag, table.look(0).etag] == [other.etag for other in others]
    assert table.update(metadata=None).ok(200).json["host"]["metadata"] is None


def test_metadata_outlives_what_happens_next(client: Client) -> None:
    table = in_play(client, metadata={"round": 1})
    table.update(metadata={"round": 2}).ok(200)
    table.play(0, "rd@2,0").ok(201)
    assert table.view(token=table.host)["host"]["metadata"] == {"round": 2}


def test_one_update_changes_table_and_metadata_together(client: Client) -> None:
    table = waiting(client)
    after = table.update(seats=4, metadata={"a": 1}).ok(200).json
    assert (after["seats"], after["host"]["metadata"], after["version"]) == (4, {"a": 1}, 2)


def test_a_move_and_new_metadata_at_once_both_happen(client: Client) -> None:
    for _ in range(5):
        table = in_play(client)
        play = partial(table.play, 0, "rd@2,0")
        updates = [partial(table.update, metadata={"n": n}) for n in range(4)]
        made, *updated = at_once([play, *updates])
        made.ok(201)
        assert {answer.status for answer in updated} == {200}
        assert table.version == 2
        assert table.view(token=table.host)["host"]["metadata"]["n"] in range(4)


# Conditions and retries


def test_an_update_may_require_what_was_seen(client: Client) -> None:
    table = waiting(client)
    seen = table.look(token=table.host).etag
    table.update(metadata={"a": 1}, match=seen).ok(200)
    table.update(metadata={"a": 2}, match=seen).refused(412, "stale_version")
    newer = table.update(seats=4, match="*").ok(200).etag
    table.join().ok(201)
    table.update(seats=3, match=newer).refused(412, "stale_version")
    table.update(seats=3, match=table.look(token=table.host).etag).ok(200)
    table.remove(1, match=newer).refused(412, "stale_version")
    assert table.view(token=table.host)["host"]["metadata"] == {"a": 1}


@pytest.mark.parametrize(
    "changes", [{"seats": 4}, {"metadata": {"a": 1}}, {"seats": 4, "metadata": {"a": 1}}, {}]
)
def test_an_update_repeated_under_its_key_happens_once(
    changes: dict[str, Any], client: Client
) -> None:
    table = waiting(client)
    first = table.update(**changes, key=KEY).ok(200)
    table.update(metadata={"newer": True}).ok(200)
    table.remove(0).ok(204)
    again = table.update(**changes, key=KEY).ok(200)
    assert again.replayed
    if "metadata" in changes:
        assert (again.body, again.etag) == (first.body, first.etag)
    else:
        host = first.json["host"] | {"metadata": {"newer": True}}
        assert again.json == first.json | {"host": host}
    now = table.view(token=table.host)
    assert now["host"]["metadata"] == {"newer": True}
    assert 0 not in [player["seat"] for player in now["players"]]
    table.update(seats=2, key=KEY).refused(422, "idempotency_key_reused")


def test_an_update_sent_many_times_at_once_under_one_key_happens_once(client: Client) -> None:
    table = waiting(client)
    answers = at_once([partial(table.update, seats=4, metadata={"a": 1}, key=KEY)] * 12)
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1
    assert sum(not answer.replayed for answer in answers) == 1
    assert table.version == 2


def test_a_removal_repeated_under_its_key_does_not_hit_the_next_player(client: Client) -> None:
    table = waiting(client, seats=2)
    table.remove(1, key=KEY).ok(204)
    table.join("Eve").ok(201)
    assert table.remove(1, key=KEY).ok(204).replayed
    assert [player["name"] for player in table.view()["players"]] == ["Ada", "Eve"]
    table.remove(0, key=KEY).refused(422, "idempotency_key_reused")
