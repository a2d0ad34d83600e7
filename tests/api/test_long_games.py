"""The longest game there can be: it ends, and nobody who asks about it holds others up."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from service.api.context import Context
from service.app import create_app
from service.config import Settings
from service.games.service import Games
from service.rules.state import MOST_EVENTS
from service.store.embedded import EmbeddedStore
from tests.api.client import Client, Table
from tests.api.long_games import games_of_shared_servers, write_long_game
from tests.servers import SHARED, NewDir
from tests.work import Work

# Others may go on after every fifty entries. Folding them takes most, up to 700 calls each.
MOST_CALLS = 10_000
MOST_CALLS_FOLDING = 50_000


@pytest.fixture(scope="module")
def games(store_server: EmbeddedStore) -> Games:
    return games_of_shared_servers(store_server.url)


@pytest.fixture
def longest(games: Games, client: Client) -> Table:
    return write_long_game(games, client)


def ended(table: Table) -> dict[str, Any]:
    """The finished game, once it is finished; each look waits for the next event."""
    while (view := table.view())["status"] != "finished":
        after = view["version"]
        news = table.look(rest=f"/events?after={after}&wait=20").ok(200).json
        assert news["events"], "nothing has happened for twenty seconds"
    return view


def test_at_2000_events_a_game_takes_nothing_but_resignations(longest: Table) -> None:
    view = longest.view()
    seat = view["turn"]["seat"]
    assert view["version"] == MOST_EVENTS
    assert [longest.view(each)["you"]["actions"] for each in (0, 1)] == [[], []]
    play = {"placements": longest.plays(seat, "?limit=1")["plays"][0]["placements"]}
    exchange = {"tiles": longest.hand(seat)[:1]}
    for what, body in (("plays", play), ("exchanges", exchange), ("passes", None)):
        longest.act(seat, what, body).refused(409, "game_too_long")
        longest.act(1 - seat, what, body).refused(409, "game_too_long")
    longest.act(seat, "plays/preview", play).ok(200)
    longest.resign(seat).ok(201)
    assert longest.view()["winners"] == [1 - seat]
    longest.act(seat, "exchanges", exchange).refused(409, "wrong_phase")
    record = longest.look(rest="/record").ok(200).json
    report = longest.client.post("/v1/records/verify", record).ok(200).json
    assert (report["ok"], report["checked_events"]) == (True, MOST_EVENTS + 1)


def test_a_deadline_at_the_limit_ends_the_game(games: Games, client: Client) -> None:
    long_ago = replace(games, clock=lambda: games.clock() - 60_000)
    late = write_long_game(long_ago, client, turn_seconds=10)
    view = ended(late)
    assert (view["version"], view["end"]) == (MOST_EVENTS + 1, "last_player")
    last = late.look(rest=f"/events?after={MOST_EVENTS}").json["events"][0]
    assert (last["type"], last["timeout"]) == ("resigned", True)


@pytest.mark.parametrize("bots", [("greedy", "expert", "random"), (None, "expert", "greedy")])
def test_bots_at_the_limit_leave_and_keep_nobody_waiting(
    games: Games, client: Client, bots: tuple[str | None, ...]
) -> None:
    table = write_long_game(games, client, bots=bots)
    if bots[0] is None:
        # It is the turn of the one person, so the bots wait.
        table.resign(0).ok(201)
    view = ended(table)
    assert view["version"] == MOST_EVENTS + 2
    assert view["end"] == "last_player"


# Work is counted in calls of functions, between one pause and the next.


@pytest.fixture(scope="module")
def app(store_server: EmbeddedStore, new_dir: NewDir) -> Flask:
    settings = Settings(
        redis_url=store_server.url, data_dir=new_dir(), secrets=(SHARED["QWIRKLE_SECRET"],)
    )
    return create_app(settings)


def work_of(app: Flask, send: Callable[[], Any]) -> tuple[Work, Any]:
    """What it costs the application to answer a request, and the answer."""
    work = Work()
    context: Context = app.extensions["qwirkle"]
    app.extensions["qwirkle"] = replace(context, games=replace(context.games, pause=work.rest))
    return work, work.of(send)


def test_no_request_about_the_longest_game_works_for_long_without_a_pause(
    app: Flask, games: Games, client: Client
) -> None:
    asker = app.test_client()
    # An exchange under a key comes two events before the end, so that its repetition is folded.
    table = write_long_game(games, client, MOST_EVENTS - 2)
    seat = table.view()["turn"]["seat"]
    exchange = {"tiles": table.hand(seat)[:1]}
    host = {"Authorization": f"Bearer {table.host}"}
    keyed = {"Authorization": f"Bearer {table.tokens[seat]}", "Idempotency-Key": "k" * 16}

    def post(what: str, body: object, headers: dict[str, str]) -> Any:
        return asker.post(table.path(what), json=body, headers=headers)

    assert post("/exchanges", exchange, keyed).status_code == 201
    table.act(1 - seat, "exchanges", {"tiles": table.hand(1 - seat)[:1]}).ok(201)
    requests: list[tuple[int, Callable[[], Any]]] = [
        (MOST_CALLS, lambda: asker.get(table.path("/record"))),
        (MOST_CALLS, lambda: asker.get(table.path("/score?limit=1000"))),
        (MOST_CALLS, lambda: asker.get(table.path("/events?limit=1000"))),
        (MOST_CALLS_FOLDING, lambda: post("/forks", {"after": MOST_EVENTS}, host)),
        (MOST_CALLS_FOLDING, lambda: post("/exchanges", exchange, keyed)),
        (MOST_CALLS, lambda: post("/tokens", {"seat": 0}, host)),
    ]
    for most, send in requests:
        work, answer = work_of(app, send)
        assert answer.status_code in {200, 201}, answer.json
        assert work.most < most, answer.request.path


# The score sheet


def sheet_of(table: Table, query: str = "") -> dict[str, Any]:
    return table.look(rest=f"/score{query}").ok(200).json


def test_the_score_sheet_of_the_longest_game_comes_in_pages(longest: Table) -> None:
    first = sheet_of(longest)
    assert (len(first["turns"]), first["next"]) == (200, 200)
    turns, after = [], 0
    while after is not None:
        page = sheet_of(longest, f"?after={after}&limit=700")
        assert page | {"turns": 0, "next": 0} == first | {"turns": 0, "next": 0}
        turns += page["turns"]
        after = page["next"]
    # All but the creation and the deal.
    assert [turn["number"] for turn in turns] == list(range(1, MOST_EVENTS - 1))
    assert turns[:200] == first["turns"]
    assert sheet_of(longest, f"?after={MOST_EVENTS}")["turns"] == []


def test_the_score_sheet_of_a_long_honest_game_is_one_page(games: Games, client: Client) -> None:
    sheet = sheet_of(write_long_game(games, client, 152))
    assert (len(sheet["turns"]), sheet["next"]) == (150, None)


def test_the_last_page_of_a_score_sheet_says_so(games: Games, client: Client) -> None:
    table = write_long_game(games, client, 12)
    pages = {limit: sheet_of(table, f"?limit={limit}")["next"] for limit in (1, 9, 10, 11)}
    assert pages == {1: 1, 9: 9, 10: None, 11: None}


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=1001", "next=3"])
def test_a_page_of_the_score_sheet_that_makes_no_sense_is_refused(
    longest: Table, query: str
) -> None:
    longest.look(rest=f"/score?{query}").refused(400, "malformed_request")
