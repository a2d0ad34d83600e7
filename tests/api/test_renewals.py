"""Renewing tokens: the old one is void at once, for everybody, and nothing else changes."""

import threading
from collections import Counter
from secrets import token_hex
from typing import Any

import pytest
import redis

from service.store.base import MAX_IDEMPOTENCY_ENTRIES
from service.store.embedded import EmbeddedStore
from service.store.keys import idempotency_entries_key
from tests.api.client import Answer, Client, Table
from tests.api.positions import in_play, waiting
from tests.live.streams import Stream

OF_ONE_SEED = {"seed": "no secrecy"}
KEY, OTHER_KEY = "k" * 16, "o" * 16


@pytest.fixture
def table(client: Client) -> Table:
    return in_play(client)


def renew(table: Table, token: str, body: object = None, **rest: Any) -> Answer:
    return table.client.post(table.path("/tokens"), body, token=token, **rest)


def everywhere_refused(table: Table, token: str) -> None:
    """Each request has a connection of its own, so they spread over the workers."""
    for rest in ("", "/score", "/unseen", "/events", "/record") * 4:
        table.look(token=token, rest=rest).refused(401, "token_invalid")
    table.act(None, "resignations", token=token).refused(401, "token_invalid")
    renew(table, token).refused(401, "token_invalid")


def test_a_player_gets_a_new_token_and_the_old_one_is_void(table: Table) -> None:
    before = table.look(0)
    answer = renew(table, table.tokens[0]).ok(201)
    assert answer.json["seat"] == 0
    old, table.tokens[0] = table.tokens[0], answer.json["token"]
    assert table.tokens[0].startswith("qwp_0_")
    everywhere_refused(table, old)
    after = table.look(0)
    assert (after.body, after.etag) == (before.body, before.etag) == (before.body, answer.etag)
    table.play(0, "rd@2,0", match=before.etag).ok(201)
    assert table.view(1)["you"]["seat"] == 1


def test_the_host_gets_a_new_token_and_the_old_one_is_void(client: Client) -> None:
    table = client.create()
    answer = renew(table, table.host, {"seat": None}).ok(201)
    assert answer.json["seat"] is None
    old, table.host = table.host, answer.json["token"]
    everywhere_refused(table, old)
    table.deal().ok(200)
    again = renew(table, table.host).ok(201)
    assert len({old, table.host, again.json["token"]}) == 3
    table.delete().refused(401, "token_invalid")
    table.delete(token=again.json["token"]).ok(204)


def test_events_versions_and_records_tell_nothing_of_it(table: Table) -> None:
    before = [table.look(rest=rest).body for rest in ("", "/events", "/record", "/score")]
    for token in (table.tokens[0], table.tokens[1], table.host):
        renew(table, token).ok(201)
    assert [table.look(rest=rest).body for rest in ("", "/events", "/record", "/score")] == before


def test_moves_made_meanwhile_bring_no_old_token_back(table: Table) -> None:
    old = table.tokens[1]
    table.tokens[1] = renew(table, old).ok(201).json["token"]
    table.play(0, "rd@2,0").ok(201)
    table.look(token=old).refused(401, "token_invalid")
    table.exchange(1, "rc").ok(201)
    assert table.view(1)["you"]["seat"] == 1


def test_a_repeated_renewal_gives_the_same_token_once_more(table: Table) -> None:
    old = table.tokens[0]
    first = renew(table, old, key=KEY).ok(201)
    again = renew(table, old, key=KEY).ok(201)
    assert again.replayed
    assert again.body == first.body
    renew(table, old, key=OTHER_KEY).refused(401, "token_invalid")
    renew(table, old, {"seat": 0}, key=KEY).refused(401, "token_invalid")
    second = renew(table, first.json["token"], key=KEY).ok(201)
    assert not second.replayed
    assert renew(table, old, key=KEY).body == first.body
    table.look(token=first.json["token"]).refused(401, "token_invalid")


def test_no_key_that_can_be_guessed_gives_a_thief_of_the_old_token_the_next_one(
    table: Table,
) -> None:
    old = table.tokens[0]
    for short in ("1", "k" * 15, '"' + "k" * 15 + '"'):
        refused = renew(table, old, key=short).refused(400, "malformed_request")
        assert refused.json["errors"][0]["pointer"] == "header:Idempotency-Key"
    assert renew(table, old, key=token_hex(8)).ok(201).json["token"] != old
    for guess in range(20):
        renew(table, old, key=str(guess)).refused(401, "token_invalid")


def test_one_of_many_renewals_of_a_token_at_once_counts(table: Table) -> None:
    """Whoever else had the token does not learn the next one."""
    answers: list[Answer] = []
    threads = [
        threading.Thread(target=lambda: answers.append(renew(table, table.tokens[0])))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Counter(answer.status for answer in answers) == {201: 1, 401: 7}


def test_a_repeated_creation_tells_the_tokens_of_then(client: Client) -> None:
    key, body = token_hex(16), {"players": [{"name": "Ada"}, {"name": "Ben"}]}
    made = client.post("/v1/games", body, key=key).ok(201)
    table = Table.of(client, made)
    new = [renew(table, token).ok(201).json["token"] for token in (table.host, *table.tokens)]
    again = client.post("/v1/games", body, key=key).ok(201)
    assert again.body == made.body
    for token in new:
        assert token.encode() not in again.body


def test_a_void_token_repeats_nothing_that_it_did_before(table: Table) -> None:
    played = table.play(0, "rd@2,0", key="k").ok(201)
    assert table.play(0, "rd@2,0", key="k").ok(201).body == played.body
    old = table.tokens[0]
    renew(table, old).ok(201)
    table.play(0, "rd@2,0", key="k").refused(401, "token_invalid")


def test_who_joins_a_seat_that_was_renewed_and_left_gets_its_own_token(client: Client) -> None:
    table = waiting(client)
    old = table.tokens[1]
    table.tokens[1] = renewed = renew(table, old).ok(201).json["token"]
    table.resign(1).ok(201)
    key = token_hex(16)
    joined = table.join("Fay", key=key).ok(201)
    assert joined.json["seat"] == 1
    assert len({old, renewed, table.tokens[1]}) == 3
    assert table.view(1)["you"]["seat"] == 1
    assert table.join("Fay", key=key).ok(201).body == joined.body
    for void in (old, renewed):
        table.look(token=void).refused(401, "token_invalid")


def test_a_game_that_remembers_all_it_can_refuses_a_renewal_under_a_key(
    table: Table, store_server: EmbeddedStore
) -> None:
    renew(table, table.host, key="k" * 16).ok(201)
    with redis.Redis.from_url(store_server.url) as store:
        name = idempotency_entries_key(table.id)
        (entry,) = [each for each in store.hvals(name) if len(each) > 6]
        store.hset(name, mapping={str(n): entry for n in range(MAX_IDEMPOTENCY_ENTRIES)})
    token = table.tokens[0]
    refused = renew(table, token, key="o" * 16).refused(429, "rate_limited")
    assert int(refused.headers["retry-after"]) > 0
    assert table.view(0)["you"]["seat"] == 0
    renew(table, token).ok(201)


# Whose tokens the host may renew


def test_a_player_renews_no_other_token(table: Table) -> None:
    answer = renew(table, table.tokens[0], {"seat": 1}).refused(403, "player_only")
    assert "seat 0" in answer.json["detail"]


def test_once_a_secret_seed_has_mixed_the_bag_the_host_renews_no_players_token(
    table: Table,
) -> None:
    table.exchange(0, "rd bo").ok(201)
    renew(table, table.host, {"seat": 1}).refused(403, "player_only")


def test_where_hands_are_secret_the_host_renews_no_players_token(client: Client) -> None:
    table = client.create(seats=3)
    for state in ("waiting", "dealt"):
        refusal = renew(table, table.host, {"seat": 1}).refused(403, "player_only")
        assert "hand" in refusal.json["detail"], state
        if state == "waiting":
            table.join().ok(201)
            table.deal().ok(200)


def test_where_nothing_is_secret_the_host_renews_a_players_token(client: Client) -> None:
    table = client.create(**OF_ONE_SEED)
    first = renew(table, table.host, {"seat": 1}, key=KEY).ok(201)
    assert first.json["seat"] == 1
    table.look(1).refused(401, "token_invalid")
    assert table.view(token=first.json["token"])["you"]["seat"] == 1
    assert renew(table, table.host, {"seat": 1}, key=KEY).ok(201).body == first.body
    old, table.host = table.host, renew(table, table.host).ok(201).json["token"]
    renew(table, old, {"seat": 1}, key=KEY).refused(401, "token_invalid")


def test_a_renewal_repeated_after_the_seat_changed_hands_foretells_no_token(
    client: Client,
) -> None:
    """Else the host would know the next tokens of whoever sits there now, and not be noticed."""
    table = client.create(players=1, seats=2, **OF_ONE_SEED)
    table.join("Accomplice").ok(201)
    for key in (KEY, OTHER_KEY):
        table.tokens[1] = renew(table, table.host, {"seat": 1}, key=key).ok(201).json["token"]
    own = renew(table, table.tokens[1], key=KEY).ok(201).json["token"]
    left, table.tokens[1] = table.tokens[1], own
    table.resign(1).ok(201)
    table.join("Vic").ok(201)
    for _ in range(4):
        for key in (KEY, OTHER_KEY):
            repeated = renew(table, table.host, {"seat": 1}, key=key)
            repeated.refused(422, "idempotency_key_reused")
        renew(table, left, key=KEY).refused(401, "token_invalid")
        table.tokens[1] = renew(table, table.tokens[1]).ok(201).json["token"]


def test_only_seats_with_a_token_can_be_named(client: Client) -> None:
    table = client.create(
        players=[{"name": "Ada"}, {"name": "Robo", "bot": "random"}], seats=3, **OF_ONE_SEED
    )
    for seat in (1, 2, 3):
        renew(table, table.host, {"seat": seat}).refused(400, "malformed_request")
    renew(table, table.host, {"seat": 4}).refused(400, "malformed_request")
    renew(table, table.host, {"place": 0}).refused(400, "malformed_request")


def test_a_renewal_may_state_what_it_saw(table: Table) -> None:
    renew(table, table.tokens[0], match='"stale"').refused(412, "stale_version")
    renew(table, table.tokens[0], match=table.look(0).etag).ok(201)


# Streams


def test_streams_of_the_old_token_end_and_others_go_on(table: Table) -> None:
    old, after = table.tokens[0], table.version
    with (
        Stream(table, old, after=after) as mine,
        Stream(table, table.tokens[1], after=after) as theirs,
    ):
        table.tokens[0] = renew(table, old).ok(201).json["token"]
        assert mine.ended()
        table.play(0, "rd@2,0").ok(201)
        assert [message.event for message in theirs.take(1)] == ["played"]
