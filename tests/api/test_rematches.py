"""Once more with the same players: each of them has a seat, and takes it by asking."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import redis

from service.store import keys
from service.store.hourly_limits import MOST_JOINS
from tests.api.client import Answer, Client, Table
from tests.api.concurrent_calls import at_once
from tests.api.positions import in_play
from tests.servers import QwirkleServer

PLAYERS = [{"name": "Ada", "age": 9, "ref": "a"}, {"name": "Ben", "age": 30}, {"name": "Cleo"}]


@pytest.fixture
def finished(client: Client) -> Table:
    """A game of three that all have played to its end."""
    return to_its_end(client)


def to_its_end(client: Client, **choices: Any) -> Table:
    """A game that ends when Ada, on seat 0, lays her last tile."""
    setup = {
        "board": [{"tile": "red-circle", "x": 0, "y": 0}],
        "hands": [["red-square"], ["blue-star"], ["green-clover"]],
        "bag": [],
        "turn": 0,
    }
    chosen = {"edition": "polish", "hints": False, "metadata": {"club": 7}, **choices}
    table = client.create(players=PLAYERS, setup=setup, **chosen)
    table.play(0, "rs@1,0").ok(201)
    return table


@pytest.fixture
def deserted(client: Client) -> Table:
    """A game of three that Ben has won, since Cleo and Ada left it."""
    table = client.create(players=PLAYERS, auto_bid=True)
    table.deal().ok(200)
    table.resign(2).ok(201)
    table.resign(0).ok(201)
    return table


def ask(table: Table, seat: int | None, **rest: Any) -> Answer:
    """Asks for the rematch; nobody's seat is the host's."""
    token = table.host if seat is None else table.tokens[seat]
    return table.act(None, "rematch", token=token, **rest)


def rematch_of(table: Table, *seats: int) -> Table:
    """The rematch, once the host and these players have asked for it."""
    host = ask(table, None).ok(201).json
    rematch = Table(table.client, host["game"]["id"], host["token"], [""] * host["game"]["seats"])
    for seat in seats:
        mine = ask(table, seat).ok(201).json
        rematch.tokens[mine["seat"]] = mine["token"]
    return rematch


def require_begun(rematch: Table) -> None:
    """Everybody has come, so it was dealt by itself."""
    assert rematch.view()["status"] != "waiting"
    rematch.deal().refused(409, "wrong_phase")


def names(game: dict[str, Any]) -> dict[int, str]:
    return {player["seat"]: player["name"] for player in game["players"]}


def test_nobody_is_seated_without_asking(finished: Table) -> None:
    """The first who asks opens the table, one seat further down, and sits at it alone."""
    game = ask(finished, 1).ok(201).json["game"]
    assert names(game) == {0: "Ben"}
    assert (game["seats"], game["reserved"]) == (3, [1, 2])
    assert (game["status"], game["edition"], game["hints"]) == ("waiting", "polish", False)
    assert (game["seeded"], game["setup"]) == (False, False)
    game = ask(finished, 0).ok(201).json["game"]
    assert (names(game), game["reserved"]) == ({0: "Ben", 2: "Ada"}, [1])


def test_the_host_alone_opens_an_empty_table(finished: Table) -> None:
    rematch = rematch_of(finished)
    view = rematch.view(token=rematch.host)
    assert (view["players"], view["reserved"]) == ([], [0, 1, 2])
    assert view["host"]["metadata"] == {"club": 7}
    rematch.deal().refused(409, "seats_open")


def test_whoever_asks_gets_the_same_game_and_only_the_own_token(finished: Table) -> None:
    answers = [ask(finished, seat).ok(201) for seat in range(3)]
    host = ask(finished, None).ok(201)
    ids = {answer.json["game"]["id"] for answer in [*answers, host]}
    assert len(ids) == 1
    assert [answer.json["seat"] for answer in answers] == [2, 0, 1]
    assert host.json["seat"] is None
    tokens = [answer.json["token"] for answer in answers]
    table = Table(finished.client, ids.pop(), host.json["token"], [tokens[1], tokens[2], tokens[0]])
    for answer in answers:
        others = {each for each in [*tokens, table.host] if each != answer.json["token"]}
        assert not any(each.encode() in answer.body for each in others)
    require_begun(table)
    for seat in range(3):
        assert len(table.hand(seat)) == 6
    refs = table.view(token=table.host)["host"]["players"]
    assert [player["ref"] for player in refs] == [None, None, "a"]


def test_askers_at_once_sit_down_once_each(finished: Table) -> None:
    askers = [partial(ask, finished, seat) for seat in (0, 1, 2, None)] * 5
    answers = [answer.ok(201).json for answer in at_once(askers)]
    assert len({answer["game"]["id"] for answer in answers}) == 1
    assert len({(answer["seat"], answer["token"]) for answer in answers}) == 4
    events = rematch_of(finished).look(rest="/events").ok(200).json["events"]
    assert [event["type"] for event in events] == ["created", "joined", "joined", "joined", "dealt"]


def test_bots_sit_down_by_themselves(client: Client) -> None:
    robo, rando = {"name": "Robo", "bot": "greedy"}, {"name": "Rando", "bot": "random"}
    table = client.create(players=[robo, {"name": "Ada"}, rando], auto_bid=True)
    table.deal().ok(200)
    table.resign(1).ok(201)
    while table.view()["status"] != "finished":
        table.look(rest=f"/events?after={table.version}&wait=20").ok(200)
    rematch = rematch_of(table, 1)
    assert names(rematch.view()) == {0: "Ada", 1: "Rando", 2: "Robo"}
    assert [player["bot"] for player in rematch.view()["players"]] == [None, "random", "greedy"]
    require_begun(rematch)


def test_who_asks_again_has_the_same_seat(finished: Table) -> None:
    first = ask(finished, 0, key="one").ok(201).json
    for key in (None, "two", "three"):
        again = ask(finished, 0, key=key).ok(201)
        assert not again.replayed
        assert again.json == first
    rematch = rematch_of(finished, 1, 2)
    assert ask(finished, 0).ok(201).json["token"] == first["token"]
    assert rematch.version == 5


def test_who_asks_again_later_sees_the_game_as_it_is(finished: Table) -> None:
    rematch = rematch_of(finished, 0, 1, 2)
    require_begun(rematch)
    for seat in range(3):
        game = ask(finished, seat).ok(201).json["game"]
        assert game == rematch.view((seat - 1) % 3)
    assert ask(finished, None).ok(201).json["game"] == rematch.view(token=rematch.host)


def test_a_repeated_request_is_answered_as_the_first_time(finished: Table) -> None:
    firsts = {seat: ask(finished, seat, key="again-please").ok(201) for seat in (None, 0, 2, 1)}
    require_begun(rematch_of(finished))
    for seat, first in firsts.items():
        second = ask(finished, seat, key="again-please").ok(201)
        assert not first.replayed
        assert second.replayed
        assert second.body == first.body
    other = finished.act(0, "rematch?x=1", key="again-please")
    other.refused(400, "malformed_request")
    ask(finished, 0, body={}, key="again-please").refused(422, "idempotency_key_reused")


def test_repetitions_at_once_have_one_effect(finished: Table) -> None:
    askers = [partial(ask, finished, 1, key="all-at-once")] * 12
    answers = [answer.ok(201) for answer in at_once(askers)]
    assert len({answer.body for answer in answers}) == 1
    assert rematch_of(finished).version == 2


def test_keyed_requests_leave_nothing_with_a_finished_game(
    kept_qwirkle: Callable[..., QwirkleServer],
) -> None:
    server = kept_qwirkle()
    table = to_its_end(Client(server.base_url))
    for number in range(40):
        for seat in (0, 1, None):
            ask(table, seat, key=f"key-{number}").ok(201)
    rematch = rematch_of(table)
    with redis.Redis.from_url(server.redis_url) as store:
        # Every game has an entry that is no request's, so that a lost hash is noticed.
        assert store.hlen(keys.idempotency_entries_key(table.id)) == 1
        assert store.hlen(keys.idempotency_entries_key(rematch.id)) == 1 + 2


def test_who_takes_the_seat_adds_to_the_draws_once(finished: Table) -> None:
    """Neither asking again adds anything, nor the host, who takes no seat."""
    ask(finished, None, body={"entropy": "of the host"}).ok(201)
    assert added_to(rematch_of(finished)) == []
    for text in ("of Ada", "more of Ada"):
        ask(finished, 0, body={"entropy": text}).ok(201)
    assert added_to(rematch_of(finished)) == [None]
    ask(finished, 2, body={"entropy": ""}).ok(201)
    ask(finished, 1).ok(201)
    for text in ("too late", None):
        ask(finished, 1, body={"entropy": text}).ok(201)
    rematch = rematch_of(finished, 0, 1, 2)
    require_begun(rematch)
    assert added_to(rematch) == ["of Ada", "", None]
    for seat in (0, 1):
        rematch.resign(seat).ok(201)
    record = rematch.look(rest="/record").ok(200).json
    report = rematch.client.post("/v1/records/verify", record).ok(200).json
    assert (report["ok"], report["complete"]) == (True, True)
    record["events"][1]["entropy"] = "of somebody else"
    assert not rematch.client.post("/v1/records/verify", record).ok(200).json["ok"]


def test_who_opens_the_rematch_adds_to_the_draws(finished: Table) -> None:
    ask(finished, 1, body={"entropy": "of Ben"}).ok(201)
    rematch = rematch_of(finished, 0, 2)
    assert added_to(rematch) == ["of Ben", None, None]
    too_long = ask(finished, 1, body={"entropy": "x" * 65})
    too_long.refused(400, "malformed_request")


def added_to(rematch: Table) -> list[str | None]:
    """What those who joined have added, as far as the log shows it."""
    events = rematch.look(rest="/events").ok(200).json["events"]
    return [event["entropy"] for event in events if event["type"] == "joined"]


def test_a_seat_is_kept_for_whoever_may_still_ask(finished: Table) -> None:
    rematch = rematch_of(finished, 0)
    rematch.join("Eve").refused(409, "table_full")
    ask(finished, 1).ok(201)
    rematch.join("Eve").refused(409, "table_full")
    ask(finished, 2).ok(201)
    assert names(rematch.view()) == {0: "Ben", 1: "Cleo", 2: "Ada"}
    rematch.join("Eve").refused(409, "table_full")


def test_nobody_has_to_wait_for_those_who_left(deserted: Table) -> None:
    rematch = rematch_of(deserted, 1)
    assert rematch.view()["reserved"] == []
    assert rematch.join("Eve").ok(201).json["seat"] == 1
    ask(deserted, 2).refused(409, "table_full")
    assert rematch.view()["players"][1]["name"] == "Eve"
    assert ask(deserted, 0).ok(201).json["seat"] == 2
    require_begun(rematch)
    ask(deserted, 2).refused(409, "table_full")
    assert len(ask(deserted, 0).ok(201).json["game"]["you"]["hand"]) == 6


def test_who_had_left_may_be_the_first_to_ask(deserted: Table) -> None:
    asked = ask(deserted, 0).ok(201).json
    assert (asked["seat"], names(asked["game"]), asked["game"]["reserved"]) == (2, {2: "Ada"}, [0])


def test_who_leaves_the_rematch_and_asks_again_sits_on_the_own_seat(finished: Table) -> None:
    rematch = rematch_of(finished, 0, 1)
    left = rematch.tokens[2]
    rematch.resign(2).ok(201)
    asked = ask(finished, 0).ok(201).json
    assert asked["seat"] == 2
    assert asked["token"] != left
    rematch.client.get(rematch.path(), token=left).refused(401, "token_invalid")
    refs = rematch.view(token=rematch.host)["host"]["players"]
    assert {player["seat"]: player["ref"] for player in refs} == {0: None, 2: "a"}


def test_nobody_uses_up_the_rematch_of_the_others_by_coming_and_going(finished: Table) -> None:
    """One finished game has one rematch: were it too long to be joined, there would be none."""
    rematch = rematch_of(finished)
    for _ in range(MOST_JOINS):
        mine = ask(finished, 0).ok(201).json
        rematch.act(None, "resignations", token=mine["token"]).ok(201)
    grown = rematch.version
    refused = ask(finished, 0).refused(429, "rate_limited")
    assert 0 < int(refused.headers["retry-after"]) <= 3600
    assert rematch.version == grown == 1 + 2 * MOST_JOINS
    # From the same address, the others' seats are still theirs.
    for seat in (1, 2):
        ask(finished, seat).ok(201)


def test_a_seat_that_was_left_is_anybodys_and_stays_theirs(finished: Table) -> None:
    rematch = rematch_of(finished, 0, 1)
    rematch.resign(2).ok(201)
    taken = rematch.join("Eve").ok(201).json
    assert taken["seat"] == 2
    refused = ask(finished, 0).refused(409, "table_full")
    assert taken["token"].encode() not in refused.body
    host = rematch.view(token=rematch.host)["host"]
    assert host["players"] == [{"seat": 0, "ref": None}, {"seat": 2, "ref": None}]


def test_a_token_renewed_in_the_rematch_is_not_had_by_asking_again(finished: Table) -> None:
    """Whoever knows only the token of the finished game sees no hand, nor what is the host's."""
    rematch = rematch_of(finished, 0, 1, 2)
    require_begun(rematch)
    renewed = rematch.act(0, "tokens").ok(201).json["token"]
    again = ask(finished, 1).ok(201).json
    assert (again["seat"], again["game"]["you"]) == (0, None)
    assert again["token"] != renewed
    rematch.client.get(rematch.path(), token=again["token"]).refused(401, "token_invalid")
    rematch.act(None, "tokens", token=rematch.host).ok(201)
    assert ask(finished, None).ok(201).json["game"]["host"] is None


@pytest.mark.parametrize("choices", [{"seed": "known"}, {}])
def test_no_host_gets_into_anybodys_seat_by_renewing_the_token_of_the_finished_game(
    client: Client, choices: dict[str, Any]
) -> None:
    """Nothing was secret there, so that the host could renew it while the game went on."""
    finished = to_its_end(client, **choices)
    require_begun(rematch_of(finished, 0, 1, 2))
    for body in ({"seat": 1}, {"seat": 0}):
        asked = finished.act(None, "tokens", body, token=finished.host)
        assert "rematch" in asked.refused(403, "player_only").json["detail"]
    assert finished.act(1, "tokens").ok(201).json["seat"] == 1


def test_a_game_that_goes_on_has_no_rematch(client: Client) -> None:
    in_play(client).act(0, "rematch").refused(409, "wrong_phase")


def test_a_rematch_needs_a_token(finished: Table) -> None:
    finished.act(None, "rematch").refused(401, "token_missing")


def test_a_stale_rematch_makes_nothing(finished: Table) -> None:
    stale = finished.client.create().client.create().created["game"]["id"]
    finished.act(0, "rematch", match=f'"{stale}"').refused(412, "stale_version")
    finished.act(0, "rematch", match=finished.look(0).etag).ok(201)
    finished.act(1, "rematch", match=f'"{stale}"').refused(412, "stale_version")
    assert rematch_of(finished).version == 2


def test_a_rematch_has_a_rematch_of_its_own(finished: Table) -> None:
    second = rematch_of(finished, 0, 1, 2)
    require_begun(second)
    for seat in (0, 1):
        second.resign(seat).ok(201)
    third = rematch_of(second, 0, 1, 2)
    assert third.id not in {finished.id, second.id}
    assert names(third.view()) == {0: "Cleo", 1: "Ada", 2: "Ben"}


def test_the_record_of_a_rematch_is_right(finished: Table) -> None:
    rematch = rematch_of(finished, 2, 0, 1)
    require_begun(rematch)
    for seat in (0, 1):
        rematch.resign(seat).ok(201)
    record = rematch.look(rest="/record").ok(200).json
    assert [event["seat"] for event in record["events"][:4]] == [None, 1, 2, 0]
    report = rematch.client.post("/v1/records/verify", record).ok(200).json
    assert (report["ok"], report["complete"]) == (True, True)
