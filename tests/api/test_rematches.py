"""Once more with the same players."""

from functools import partial

import pytest

from tests.api.client import Client, Table
from tests.api.crowd import at_once
from tests.api.positions import in_play

PLAYERS = [{"name": "Ada", "age": 9, "ref": "a"}, {"name": "Ben", "age": 30}, {"name": "Cleo"}]


@pytest.fixture
def finished(client: Client) -> Table:
    """A game of three that is over, since two of them have left."""
    table = client.create(
        players=PLAYERS, edition="polish", auto_bid=True, hints=False, metadata={"club": 7}
    )
    table.deal().ok(200)
    table.resign(2).ok(201)
    table.resign(0).ok(201)
    return table


def test_everybody_moves_down_one_seat(finished: Table) -> None:
    again = finished.act(1, "rematch").ok(201).json
    assert [player["name"] for player in again["game"]["players"]] == ["Ben", "Cleo", "Ada"]
    assert again["seat"] == 0
    assert again["game"]["status"] == "waiting"
    assert again["game"]["edition"] == "polish"
    assert again["game"]["hints"] is False
    assert again["game"]["seeded"] is False


def test_whoever_asks_gets_the_same_game_and_only_the_own_token(finished: Table) -> None:
    answers = [finished.act(seat, "rematch").ok(201) for seat in range(3)]
    host = finished.act(None, "rematch", token=finished.host).ok(201)
    ids = {answer.json["game"]["id"] for answer in [*answers, host]}
    assert len(ids) == 1
    assert [answer.json["seat"] for answer in answers] == [2, 0, 1]
    assert host.json["seat"] is None
    tokens = [answer.json["token"] for answer in answers]
    table = Table(finished.client, ids.pop(), host.json["token"], [tokens[1], tokens[2], tokens[0]])
    for answer in answers:
        others = {each for each in [*tokens, table.host] if each != answer.json["token"]}
        assert not any(each.encode() in answer.body for each in others)
    table.deal().ok(200)
    for seat in range(3):
        assert len(table.hand(seat)) == 6
    refs = table.view(token=table.host)["host"]["players"]
    assert [player["ref"] for player in refs] == [None, None, "a"]


def test_askers_at_once_make_one_game(finished: Table) -> None:
    askers = [partial(finished.act, seat, "rematch") for seat in (0, 1, 2)] * 6
    made = {answer.ok(201).json["game"]["id"] for answer in at_once(askers)}
    assert len(made) == 1


def test_a_repeated_request_is_answered_as_the_first_time(finished: Table) -> None:
    first = finished.act(0, "rematch", key="again-please").ok(201)
    table = Table(finished.client, first.json["game"]["id"], "", [])
    host = finished.act(None, "rematch", token=finished.host).ok(201).json["token"]
    table.deal(token=host).ok(200)
    second = finished.act(0, "rematch", key="again-please").ok(201)
    assert second.replayed
    assert not first.replayed
    assert second.body == first.body
    other = finished.act(0, "rematch?x=1", key="again-please")
    other.refused(400, "malformed_request")
    finished.act(0, "rematch", {}, key="again-please").refused(422, "idempotency_key_reused")


def test_a_game_that_goes_on_has_no_rematch(client: Client) -> None:
    in_play(client).act(0, "rematch").refused(409, "wrong_phase")


def test_a_rematch_needs_a_token(finished: Table) -> None:
    finished.act(None, "rematch").refused(401, "token_missing")


def test_a_stale_rematch_makes_nothing(finished: Table) -> None:
    stale = finished.client.create().client.create().created["game"]["id"]
    finished.act(0, "rematch", match=f'"{stale}"').refused(412, "stale_version")
    finished.act(0, "rematch", match=finished.look(0).etag).ok(201)


def test_a_rematch_has_a_rematch_of_its_own(finished: Table) -> None:
    first = finished.act(None, "rematch", token=finished.host).ok(201).json
    tokens = [finished.act(seat, "rematch").ok(201).json["token"] for seat in (1, 2, 0)]
    second = Table(finished.client, first["game"]["id"], first["token"], tokens)
    second.deal().ok(200)
    second.resign(0).ok(201)
    second.resign(1).ok(201)
    third = second.act(2, "rematch").ok(201).json["game"]
    assert third["id"] not in {finished.id, second.id}
    assert [player["name"] for player in third["players"]] == ["Cleo", "Ada", "Ben"]
