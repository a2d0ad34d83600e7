"""Who sits at a waiting table: the host seats bots and removes players."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.api.client import Answer, Client, client_of
from tests.api.concurrent_calls import at_once
from tests.api.positions import waiting
from tests.api.test_host_table import KEY, events_of, types_of
from tests.servers import QwirkleServer


def test_a_bot_takes_the_lowest_open_seat(client: Client) -> None:
    table = waiting(client, seats=4)
    seated = table.add_bot("random").ok(201).json
    named = table.act(None, "bots", {"bot": "greedy", "name": "Robo"}, token=table.host).ok(201)
    assert (seated["seat"], named.json["seat"]) == (2, 3)
    assert seated["game"]["host"] is not None
    assert [(player["name"], player["bot"]) for player in table.view()["players"][2:]] == [
        ("Random", "random"),
        ("Robo", "greedy"),
    ]
    table.add_bot().refused(409, "table_full")
    assert table.deal().ok(200).json["status"] == "bidding"


def test_a_bot_sits_down_once_however_often_it_is_asked(client: Client) -> None:
    table = waiting(client, seats=4)
    first, again = (table.add_bot(key=KEY).ok(201) for _ in range(2))
    assert again.replayed
    assert again.body == first.body
    assert len(table.view()["players"]) == 3


def test_guests_tables_get_as_many_bots_as_their_creation_could_have(
    kept_qwirkle: Callable[..., QwirkleServer],
) -> None:
    guests = client_of(kept_qwirkle(QWIRKLE_ANONYMOUS_BOTS="1"))
    table = waiting(guests, seats=4, players=1)
    table.add_bot().ok(201)
    table.add_bot().refused(400, "malformed_request")
    table.remove(1).ok(204)
    table.add_bot().ok(201)


def test_a_bot_that_comes_later_counts_like_one_of_the_creation(
    start_qwirkle: Callable[..., QwirkleServer],
) -> None:
    guests = client_of(start_qwirkle(workers=1, QWIRKLE_ANONYMOUS_BOT_TABLES="1"))
    table, other = waiting(guests, seats=4), waiting(guests, seats=4)
    table.add_bot().ok(201)
    table.add_bot().ok(201)  # a table counts once
    other.add_bot().refused(429, "rate_limited")
    assert len(other.view()["players"]) == 2


def test_a_removed_player_is_out_and_the_seat_is_open(client: Client) -> None:
    table = waiting(client, seats=2, private=True)
    removed, kept = table.tokens[1], table.tokens[0]
    table.remove(1).ok(204)
    table.look(token=removed).refused(401, "token_invalid")
    table.act(None, "resignations", token=removed).refused(401, "token_invalid")
    assert table.view(token=kept)["you"]["seat"] == 0
    last = events_of(table)[-1]
    assert (last["type"], last["seat"], last["removed"], last["timeout"]) == (
        "resigned",
        1,
        True,
        False,
    )
    assert table.join("Eve", body={"join_code": table.join_code}).ok(201).json["seat"] == 1


def test_who_leaves_by_themselves_was_not_removed(client: Client) -> None:
    table = waiting(client)
    table.resign(1).ok(201)
    assert events_of(table)[-1]["removed"] is False


def test_a_bot_is_removed_like_a_player(client: Client) -> None:
    table = waiting(client, seats=3)
    table.add_bot().ok(201)
    table.remove(2).ok(204)
    assert [player["seat"] for player in table.view()["players"]] == [0, 1]


@pytest.mark.parametrize("seat", [2, 3, 99, 10**20])
def test_a_seat_that_nobody_has_is_not_found(seat: int, client: Client) -> None:
    table = waiting(client)
    answer = table.remove(seat).refused(404, "not_found")
    assert str(seat) in answer.json["detail"]
    assert table.version == 1


def test_the_ref_of_a_joiner_leaves_with_them(client: Client) -> None:
    table = waiting(client, seats=3, players=1)
    table.join("Ben", body={"ref": "user-2"}).ok(201)
    table.join("Cleo").ok(201)
    refs = [player["ref"] for player in table.view(token=table.host)["host"]["players"]]
    assert refs == [None, "user-2", None]
    table.remove(1).ok(204)
    table.join("Dan").ok(201)
    refs = [player["ref"] for player in table.view(token=table.host)["host"]["players"]]
    assert refs == [None, None, None]


# All at once


def test_players_are_removed_before_the_deal_or_not_at_all(client: Client) -> None:
    for _ in range(5):
        table = waiting(client, seats=3, players=3)
        calls: list[Callable[[], Answer]] = [table.deal]
        calls += [partial(table.remove, seat) for seat in (1, 2)]
        deal, *removals = at_once(calls)
        view, happened = table.view(), types_of(table)
        if deal.status == 200:
            assert {answer.code for answer in removals} == {"wrong_phase"}
            assert happened == ["created", "dealt"]
        else:
            deal.refused(409, "seats_open")
            assert {answer.status for answer in removals} == {204}
            assert happened == ["created", "resigned", "resigned"]
            assert [player["seat"] for player in view["players"]] == [0]


def test_a_player_removed_twenty_times_at_once_is_removed_once(client: Client) -> None:
    table = waiting(client, seats=3, players=3)
    answers = at_once([partial(table.remove, 1)] * 20)
    assert Counter(answer.status for answer in answers) == {204: 1, 404: 19}
    assert types_of(table) == ["created", "resigned"]


def test_joining_leaving_removing_and_resizing_at_once_leave_one_table(client: Client) -> None:
    table = waiting(client, seats=4, players=2)
    calls: list[Callable[[], Answer]] = [
        partial(table.update, seats=3),
        partial(table.update, seats=4),
        partial(table.remove, 1),
        table.add_bot,
        partial(table.resign, 0),
    ]
    calls += [partial(table.act, None, "players", {"name": f"P{n}"}) for n in range(4)]
    answers = at_once(calls)
    assert {answer.status for answer in answers} <= {200, 201, 204, 401, 404, 409, 422}
    view = table.view()
    changes = sum(answer.status < 300 for answer in answers)
    assert len(events_of(table)) == view["version"] <= 1 + changes
    assert all(player["seat"] < view["seats"] for player in view["players"])
    record = table.look(rest="/record").ok(200).json
    assert client.post("/v1/records/verify", record).ok(200).json["ok"]
