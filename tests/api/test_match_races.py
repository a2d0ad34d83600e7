"""What happens to a match while others change, delete or open tables of the same kind."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
import redis

from service.games import matching
from service.games.matching import MOST_PASSED, OPENED_VERSION, Wish, match
from service.games.service import Games
from service.rules import actions
from service.rules.events import Entrant
from service.store import keys
from service.store.base import VersionConflict
from service.store.embedded import EmbeddedStore
from service.store.lobby_index import Room
from tests.api.client import Client
from tests.api.lobbies import ask, kind, lobby, shown
from tests.api.positions import waiting
from tests.api.test_match_notes import fresh_key, welcome
from tests.store.writing import fresh_id

ROOM = Room(None, 2, "schmidt")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for another one's table."""

    def refuse(seconds: float) -> None:
        raise AssertionError(f"waited for {seconds} s")

    monkeypatch.setattr(matching, "sleep", refuse)


def wish_for(turn_seconds: int) -> Wish:
    return Wish(ROOM, turn_seconds, Entrant("Ada"), None, None)


def interrupted(games: Games, call: int, do: Callable[[], object]) -> Games:
    """The games, with something that happens when the clock is read for the nth time."""
    calls = 0

    def clock() -> int:
        nonlocal calls
        calls += 1
        if calls == call:
            do()
        return games.clock()

    return replace(games, clock=clock)


@pytest.mark.usefixtures("impatient")
def test_nobody_waits_for_a_change_to_a_deleted_table(games: Games) -> None:
    wish = replace(wish_for(kind()["turn_seconds"]), room=ROOM._replace(seats=3))
    opened = match(games, wish, None, welcome).session
    loaded = games.load(opened.id)
    games.delete(loaded)
    late = actions.join(loaded.session.game, Entrant("Ben"), 1, None)  # and one seat is open
    with pytest.raises(VersionConflict):
        games.commit_step(loaded, late)
    assert match(games, wish, None, welcome).session.id != opened.id


@pytest.mark.usefixtures("impatient")
def test_nobody_waits_for_a_table_that_a_repeated_request_gave_up(games: Games) -> None:
    wish, noted, key = wish_for(kind()["turn_seconds"]), fresh_id(), fresh_key()
    note = partial(games.store.lobby.note_match, key.key, None, noted, OPENED_VERSION)
    busy = interrupted(games, 1, note)
    assert match(busy, wish, key, welcome).session.id == noted


def test_a_table_whose_turn_time_changes_during_a_match_stays_in_the_lobby(
    client: Client, games: Games
) -> None:
    wish, other = kind(), kind()
    table = waiting(client, players=1, listed=True, **wish)
    # The second time is just before the table is loaded.
    busy = interrupted(games, 2, lambda: table.update(**other).ok(200))
    assert match(busy, wish_for(wish["turn_seconds"]), None, welcome).session.id != table.id
    assert shown(client, table.id)
    assert ask(client, other).ok(201).json["game"]["id"] == table.id


def test_a_damaged_table_is_passed_over(client: Client, store_server: EmbeddedStore) -> None:
    wish = kind()
    damaged = ask(client, wish).ok(201).json["game"]["id"]
    with redis.Redis.from_url(store_server.url) as store:
        store.set(keys.state_key(damaged), b"\0")
    second, third = (ask(client, wish).ok(201).json["game"]["id"] for _ in range(2))
    assert second == third != damaged


def test_who_has_passed_over_many_tables_opens_one(client: Client) -> None:
    wish = kind()
    mine = [{"name": "Ada", "ref": "user-1"}]
    for _ in range(MOST_PASSED):
        waiting(client, players=mine, listed=True, **wish)
    last = waiting(client, players=1, listed=True, **wish).id
    opened = ask(client, wish | {"ref": "user-1"}).ok(201).json
    assert (opened["seat"], opened["game"]["id"] != last) == (0, True)
    kinds = [each["turn_seconds"] for each in lobby(client, seats=2)]
    assert kinds.count(wish["turn_seconds"]) == MOST_PASSED + 2
