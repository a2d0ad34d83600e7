"""Forks: a game goes on from one of its events, a second time and otherwise."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from tests.api.client import Client, Table, client_of, tiles_of
from tests.servers import QwirkleServer


@pytest.fixture
def client(qwirkle_server: QwirkleServer) -> Client:
    """On either kind of store: the forks' script is the store's."""
    return client_of(qwirkle_server)


def opened(client: Client, **choices: Any) -> Table:
    """A seeded game in which a few turns have been played."""
    table = client.create(**{"seed": "fork me", "auto_bid": True, "metadata": {"a": 1}, **choices})
    table.deal().ok()
    for _ in range(4):
        move(table, Random(0))
    return table


def move(table: Table, chance: Random) -> None:
    """A legal play chosen by chance, or an exchange of one tile, for whoever is in turn."""
    seat = table.view()["turn"]["seat"]
    plays = table.plays(seat, "?limit=5000")["plays"]
    if plays:
        body = {"placements": chance.choice(plays)["placements"]}
        table.act(seat, "plays", body).ok(201)
    else:
        table.act(seat, "exchanges", {"tiles": table.hand(seat)[:1]}).ok(201)


def fork(table: Table, after: object, **rest: Any) -> Any:
    return table.act(None, "forks", {"after": after}, **{"token": table.host, **rest})


def log_of(table: Table) -> list[dict[str, Any]]:
    """The log without what differs in a fork: ids and times."""
    events = table.look(rest="/events").ok(200).json["events"]
    return [{k: v for k, v in each.items() if k not in {"id", "at"}} for each in events]


def test_a_fork_begins_with_the_same_events_under_the_same_numbers(client: Client) -> None:
    table = opened(client)
    answer = fork(table, 4).ok(201)
    other = Table.of(client, answer)
    assert other.id != table.id
    assert answer.headers["location"] == other.path()
    assert log_of(other) == log_of(table)[:4]
    assert other.view()["version"] == 4
    assert {table.host, *table.tokens}.isdisjoint({other.host, *other.tokens})
    assert other.client.get(other.path(), token=other.host).json["host"]["metadata"] == {"a": 1}


def test_a_fork_after_every_event_has_the_state_that_the_game_had(client: Client) -> None:
    table = client.create(seed="each", seats=3, players=1)
    views = [table.view()]
    for name in ("Eve", "Fay"):
        table.join(name).ok(201)
        views.append(table.view())
    table.deal().ok()
    views.append(table.view())
    for seat in range(3):
        hand = [tile.split("-") for tile in set(table.hand(seat))]
        parts = [part for tile in hand for part in tile]
        table.bid(seat, max(map(parts.count, parts))).ok(201)
        views.append(table.view())
    move(table, Random(1))
    views.append(table.view())
    differs = {"id", "created_at", "updated_at", "expires_at"}
    for after, view in enumerate(views, 1):
        forked = Table.of(client, fork(table, after).ok(201)).view()
        assert {k: v for k, v in forked.items() if k not in differs} == {
            k: v for k, v in view.items() if k not in differs
        }


def test_the_same_actions_bring_the_same_draws_and_others_go_their_own_way(
    client: Client,
) -> None:
    table = opened(client)
    same, again, other = (Table.of(client, fork(table, 5).ok(201)) for _ in range(3))
    for each, luck in ((same, 1), (again, 1), (other, 2)):
        chance = Random(luck)
        while each.version < 11:
            move(each, chance)
        seat = each.view()["turn"]["seat"]
        each.act(seat, "exchanges", {"tiles": each.hand(seat)}).ok(201)
    assert [again.hand(seat) for seat in (0, 1)] == [same.hand(seat) for seat in (0, 1)]
    assert log_of(again) == log_of(same)
    assert log_of(other) != log_of(same)


def test_the_game_forked_is_not_touched(client: Client) -> None:
    table = opened(client)
    before = table.look().etag
    other = Table.of(client, fork(table, 3).ok(201))
    move(other, Random(3))
    other.delete().ok(204)
    assert table.look().etag == before


def test_the_copied_events_get_the_time_of_the_fork(client: Client) -> None:
    table = opened(client)
    other = Table.of(client, fork(table, 5).ok(201))
    times = {each["at"] for each in other.look(rest="/events").json["events"]}
    assert times == {other.view()["created_at"]} == {other.view()["updated_at"]}
    assert min(times) > table.view()["updated_at"]


def test_a_fork_under_a_key_is_made_once(client: Client) -> None:
    table = opened(client)
    first = fork(table, 4, key="a-key").ok(201)
    assert not first.replayed
    move(Table.of(client, first), Random(4))
    again = fork(table, 4, key="a-key").ok(201)
    assert again.replayed
    assert again.body == first.body
    fork(table, 3, key="a-key").refused(422, "idempotency_key_reused")
    seat = table.view()["turn"]["seat"]
    other = {"tiles": table.hand(seat)[:1]}
    table.act(None, "deal", token=table.host, key="a-key").refused(422, "idempotency_key_reused")
    assert table.act(seat, "exchanges", other, key="a-key").status == 201  # keys are a token's own


def test_forks_under_one_key_at_the_same_moment_are_one(client: Client) -> None:
    table = opened(client)
    with ThreadPoolExecutor(12) as crowd:
        answers = list(crowd.map(lambda _: fork(table, 4, key="all-at-once"), range(12)))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == 1


def test_only_the_host_forks(client: Client) -> None:
    table = opened(client)
    fork(table, 1, token=None).refused(401, "token_missing")
    fork(table, 1, token="nonsense").refused(401, "token_invalid")
    fork(table, 1, token=table.tokens[0]).refused(403, "host_only")


@pytest.mark.parametrize("after", [0, -1, 7, 10**9, 10**30, "1", 1.5, True, None])
def test_a_number_that_is_no_event_is_refused(client: Client, after: object) -> None:
    table = opened(client)
    errors = fork(table, after).refused(400, "malformed_request").json["errors"]
    assert [error["pointer"] for error in errors] == ["/after"]


def test_a_stale_fork_is_refused(client: Client) -> None:
    table = opened(client)
    etag = client.get(table.path(), token=table.host).etag
    fork(table, 2, match=etag).ok(201)
    move(table, Random(5))
    fork(table, 2, match=etag).refused(412, "stale_version")


def test_a_game_with_secrets_is_not_forked(client: Client) -> None:
    secret = client.create(auto_bid=True)
    secret.deal().ok()
    fork(secret, 1).refused(409, "not_forkable")
    half = {"board": [{"tile": "red-circle", "x": 0, "y": 0}], "turn": 0}
    fork(client.create(setup=half), 1).refused(409, "not_forkable")


def test_a_game_whose_tiles_were_all_given_is_forked_without_a_seed(client: Client) -> None:
    table = client.position("ro rs", "rd r* rc rx bo bs", "gd g* gc gx go gs", bag="yd y* yc")
    table.play(0, "rd@2,0").ok(201)
    other = Table.of(client, fork(table, 2).ok(201))
    for each in (table, other):
        each.exchange(1, "gd g*").ok(201)
    assert table.hand(1) == other.hand(1)


def test_no_fork_tells_the_seed_of_a_game_that_goes_on(client: Client) -> None:
    """Where the tiles were given but not the seed, it still decides every later mixing."""
    table = client.position("ro rs", "rd r* rc rx bo bs", "gd g* gc gx go gs", bag="yd y* yc")
    table.play(0, "rd@2,0").ok(201)
    other = Table.of(client, fork(table, 2).ok(201))
    other.exchange(1, "gd g*").ok(201)
    other.resign(0).ok(201)
    view = other.view()
    assert view["seed"] is not None
    assert table.view()["commitment"] not in {view["commitment"], commitment_of(view["seed"])}
    record = other.look(rest="/record").ok(200).json
    report = client.post("/v1/records/verify", record).ok(200).json
    assert report == {"ok": True, "complete": True, "checked_events": 4, "problem": None}


@pytest.mark.parametrize("seed", [None, "given"])
def test_the_lots_of_a_fork_are_those_of_the_game(client: Client, seed: str | None) -> None:
    """The lot depends on the secret, and the fork has another one unless the seed was given."""
    hands = ("ro rs b* gc", "bo bs r* yc", "go gs y* pc", "po ps o* rc")
    openers = set()
    for number in range(6):
        players = [{"name": f"P{seat}"} for seat in range(3)]
        setup = {"hands": [tiles_of(hand) for hand in hands], "bag": []}
        choices = {"seed": seed and f"{seed} {number}", "seats": 4, "auto_bid": True}
        table = client.create(players=players, setup=setup, **choices)
        table.join(body={"entropy": f"dice {number}"}).ok(201)
        first = table.view()["turn"]["seat"]
        table.resign(first).ok(201)
        second = table.view()["turn"]["seat"]
        other = Table.of(client, fork(table, 3).ok(201))
        assert log_of(other) == log_of(table)
        assert other.view()["turn"]["seat"] == second
        assert (other.view()["commitment"] == table.view()["commitment"]) == bool(seed)
        move(other, Random(number))
        for seat in sorted({0, 1, 2, 3} - {first})[:2]:
            other.resign(seat).ok(201)
        record = other.look(rest="/record").ok(200).json
        report = client.post("/v1/records/verify", record).ok(200).json
        assert (report["ok"], report["complete"]) == (True, True), report
        openers |= {first, second}
    assert len(openers) > 1


@pytest.mark.parametrize("seed", [None, "given"])
def test_what_a_secret_seed_has_mixed_is_not_forked(client: Client, seed: str | None) -> None:
    hands = ("rd r* rc rx bo bs", "gd g* gc gx go gs", "pd p* pc px po ps")
    table = client.position("ro rs", *hands, bag="yd y* yc", seed=seed)
    table.play(0, "rd@2,0").ok(201)
    exchanged = table.exchange(1, "gd g*").ok(201).json["game"]["version"]
    fork(table, exchanged - 1).ok(201)
    table.resign(2).ok(201)
    for after in (exchanged, exchanged + 1):
        answer = fork(table, after)
        if seed is None:
            assert "shuffled" in answer.refused(409, "not_forkable").json["detail"]
        else:
            answer.ok(201)


def test_a_resignation_is_forked_only_if_it_mixed_no_bag(client: Client) -> None:
    hands = ("rd r* rc rx bo bs", "gd g* gc gx go gs", "pd p* pc px po ps")
    mixed, empty = (client.position("ro rs", *hands, bag=bag) for bag in ("yd y* yc", ""))
    for table in (mixed, empty):
        table.resign(2).ok(201)
    fork(mixed, 2).refused(409, "not_forkable")
    assert Table.of(client, fork(empty, 2).ok(201)).view()["removed_count"] == 6


def commitment_of(seed: str) -> str:
    return f"sha256:{sha256(bytes.fromhex(seed)).hexdigest()}"


def test_a_finished_game_is_forked_at_its_end_and_before(client: Client) -> None:
    table = opened(client)
    table.resign(0).ok(201)
    last = table.version
    assert Table.of(client, fork(table, last).ok(201)).view()["status"] == "finished"
    assert Table.of(client, fork(table, last - 1).ok(201)).view()["status"] == "playing"


def test_the_record_of_a_fork_is_right(client: Client) -> None:
    table = opened(client)
    other = Table.of(client, fork(table, 4).ok(201))
    move(other, Random(6))
    other.resign(1).ok(201)
    record = other.look(rest="/record").ok(200).json
    report = client.post("/v1/records/verify", record).ok(200).json
    assert report == {"ok": True, "complete": True, "checked_events": 6, "problem": None}


def test_a_fork_of_a_game_of_bots_runs_to_the_same_end_by_itself(client: Client) -> None:
    bots = [{"name": "Robo", "bot": "greedy"}, {"name": "Rando", "bot": "random"}]
    table = client.create(seed="bots alone", players=bots)
    table.deal().ok()
    ended(table)
    other = Table.of(client, fork(table, 9).ok(201))
    ended(other)
    assert log_of(other) == log_of(table)
    assert other.look(rest="/record").json == table.look(rest="/record").json


def ended(table: Table) -> None:
    """Returns when the game is finished, waiting for each of its events."""
    last = 0
    while table.view()["status"] != "finished":
        news = table.look(rest=f"/events?after={last}&wait=20&limit=1000").ok(200).json
        assert news["events"], "nothing has happened for twenty seconds"
        last = news["last"]
