"""The players of a finished game are told of its rematch: by its view, and by their streams."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Any

import pytest

from tests.api.client import Answer, Client, Table
from tests.api.concurrent_calls import at_once
from tests.api.playing import play_to_the_end
from tests.api.test_rematches import ask, to_its_end
from tests.live.streams import Stream

Open = Callable[..., Stream]


@pytest.fixture
def table(client: Client) -> Table:
    """Three players; Ada, on seat 0, lays the last tile."""
    return client.create(players=3, setup=POSITION)


POSITION = {
    "board": [{"tile": "red-circle", "x": 0, "y": 0}],
    "hands": [["red-square"], ["blue-star"], ["green-clover"]],
    "bag": [],
    "turn": 0,
}


@pytest.fixture
def follow() -> Iterator[Open]:
    """Opens streams from the newest event on; all are cut with the test."""
    with ExitStack() as opened:

        def start(table: Table, token: str | None, after: int = 1) -> Stream:
            return opened.enter_context(Stream(table, token, after=after))

        yield start


def offered(table: Table, seat: int | None = None) -> Any:
    return table.view(seat)["rematch"]


# The view


def test_the_view_tells_everybody_who_has_come(client: Client) -> None:
    table = to_its_end(client)
    assert offered(table) is None
    game = ask(table, 1).ok(201).json["game"]["id"]
    assert offered(table) == offered(table, 0) == {"game_id": game, "seats": [1]}
    ask(table, None).ok(201)
    assert offered(table)["seats"] == [1]
    ask(table, 0).ok(201)
    assert offered(table)["seats"] == [0, 1]
    ask(table, 2).ok(201)
    assert offered(table)["seats"] == [0, 1, 2]
    assert client.get(f"/v1/games/{game}").ok(200).json["status"] == "bidding"
    assert client.get(f"/v1/games/{game}").ok(200).json["rematch"] is None


def test_bots_have_come_as_soon_as_there_is_a_rematch(client: Client) -> None:
    robo = {"name": "Robo", "bot": "greedy"}
    table = client.create(players=[robo, {"name": "Ada"}, {"name": "Ben"}], auto_bid=True)
    table.deal().ok(200)
    table.resign(1).ok(201)
    table.resign(2).ok(201)
    ask(table, 1).ok(201)
    assert offered(table)["seats"] == [0, 1]


def test_an_offer_is_no_event_but_changes_what_is_shown(client: Client) -> None:
    table = to_its_end(client)
    before, record = table.look(1), table.look(rest="/record").ok(200).body
    ask(table, 0).ok(201)
    again = table.look(1, headers={"If-None-Match": before.etag}).ok(200)
    assert again.etag != before.etag
    assert again.json["version"] == before.json["version"]
    assert table.look(1, headers={"If-None-Match": again.etag}).status == 304
    assert table.look(rest="/record").ok(200).body == record
    ask(table, 0).ok(201)
    assert table.look(1).etag == again.etag


def test_of_players_who_come_at_once_none_is_forgotten(client: Client) -> None:
    for _ in range(4):
        table = to_its_end(client)
        calls: list[Callable[[], Answer]] = [partial(ask, table, seat) for seat in (0, 1, 2, None)]
        calls += [partial(table.update, metadata={"n": n}) for n in range(3)]
        assert {answer.status for answer in at_once(calls)} == {200, 201}
        assert offered(table)["seats"] == [0, 1, 2]
        assert table.view(token=table.host)["host"]["metadata"]["n"] in range(3)


def test_the_answer_to_the_last_play_is_repeated_without_the_offer(client: Client) -> None:
    table = client.create(players=3, setup=POSITION)
    first = table.play(0, "rs@1,0", key="last").ok(201)
    ask(table, 0).ok(201)
    again = table.play(0, "rs@1,0", key="last").ok(201)
    assert again.replayed
    assert (again.body, again.etag) == (first.body, first.etag)


def test_an_offer_does_not_let_a_finished_game_live_longer(client: Client) -> None:
    table = to_its_end(client)
    expires = table.view()["expires_at"]
    ask(table, 0).ok(201)
    assert table.view()["expires_at"] == expires


# Streams


def test_the_others_are_told_while_their_streams_are_open(table: Table, follow: Open) -> None:
    ben, cleo, host = (follow(table, token) for token in (*table.tokens[1:], table.host))
    spectator = follow(table, None)
    table.play(0, "rs@1,0").ok(201)
    game = ask(table, 0).ok(201).json["game"]["id"]
    assert [message.event for message in spectator.rest()] == ["played"]
    for stream in (ben, cleo, host):
        end, offer = stream.take(2)
        assert (end.event, offer.event) == ("played", "rematch")
        assert offer.data == {"game_id": game, "seats": [0]}
        assert offer.id != end.id
    ask(table, 2).ok(201)
    assert ben.take(1)[0].data["seats"] == [0, 2]
    ask(table, 1).ok(201)
    for stream in (ben, cleo, host):
        assert stream.rest()[-1].data["seats"] == [0, 1, 2]


def test_who_reconnects_after_the_end_is_told_to_stop(table: Table, follow: Open) -> None:
    stream = follow(table, table.tokens[1])
    table.play(0, "rs@1,0").ok(201)
    ask(table, 0).ok(201)
    end, offer = stream.take(2)
    for last in (end.id, offer.id):
        with Stream(table, table.tokens[1], last) as again:
            assert again.status == 204


def test_who_comes_after_the_end_is_told_all_and_not_kept(table: Table) -> None:
    table.play(0, "rs@1,0").ok(201)
    with Stream(table, table.tokens[1], after=0) as stream:
        assert [message.event for message in stream.rest()] == ["created", "played"]
    ask(table, 0).ok(201)
    with Stream(table, table.tokens[1], after=0) as stream:
        assert [message.event for message in stream.rest()] == ["created", "played", "rematch"]
    with Stream(table, after=0) as stream:
        assert [message.event for message in stream.rest()] == ["created", "played"]


def test_a_stream_that_waits_ends_with_its_token_or_its_game(table: Table, follow: Open) -> None:
    ben, cleo = (follow(table, token) for token in table.tokens[1:])
    table.play(0, "rs@1,0").ok(201)
    for stream in (ben, cleo):
        stream.take(1)
    table.act(1, "tokens").ok(201)
    assert ben.ended()
    table.delete().ok(204)
    assert [message.event for message in cleo.rest()] == ["deleted"]


def test_a_whole_game_is_played_again_by_those_who_were_told(client: Client, follow: Open) -> None:
    table = client.create(players=2)
    streams = [follow(table, token) for token in table.tokens]
    play_to_the_end(table, Random(3), counting=False)
    ask(table, 0).ok(201)
    heard = streams[1].to_the_end() + streams[1].take(1)
    assert heard[-1].event == "rematch"
    mine = ask(table, 1).ok(201).json
    assert mine["game"]["id"] == heard[-1].data["game_id"]
    view = client.get(f"/v1/games/{mine['game']['id']}", token=mine["token"]).ok(200).json
    assert (view["status"], len(view["you"]["hand"])) == ("bidding", 6)
