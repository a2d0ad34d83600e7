"""A match that is repeated while its first try may still be under way."""

from secrets import token_bytes

import pytest

from service.games.idempotency_key import IdempotencyKey
from service.games.matching import Wish, match
from service.games.service import Games
from service.games.session import GameSession
from service.rules.actions import Step
from service.rules.events import Entrant
from service.store.lobby_index import Room
from tests.api.lobbies import kind


@pytest.fixture
def wish() -> Wish:
    turn_seconds = kind()["turn_seconds"]
    return Wish(Room(None, 4, "schmidt"), turn_seconds, Entrant("Ada"), None, None)


def welcome(session: GameSession, step: Step) -> bool:
    return True


def refuse(session: GameSession, step: Step) -> bool:
    return False


def fresh_key() -> IdempotencyKey:
    return IdempotencyKey(token_bytes(32), token_bytes(16))


def test_a_step_that_was_admitted_is_not_refused_when_it_is_repeated(
    games: Games, wish: Wish
) -> None:
    """The first try may still be committed: a seat elsewhere could be a second one."""
    there = match(games, wish, None, welcome).session
    key = fresh_key()
    assert games.store.lobby.note_match(key.key, None, there.id, there.game.version + 1)
    assert match(games, wish, key, refuse).session.id == there.id


def test_a_step_that_came_too_late_is_refused_and_the_table_passed_over(
    games: Games, wish: Wish
) -> None:
    there = match(games, wish, None, welcome).session
    key = fresh_key()
    assert games.store.lobby.note_match(key.key, None, there.id, there.game.version + 1)
    assert match(games, wish, None, welcome).session.id == there.id
    assert match(games, wish, key, refuse).session.id != there.id
