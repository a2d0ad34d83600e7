"""Open tables: which ones the lobby has, and what it shows of them.

The store's lobby is a hint. A table is shown only if the game, as loaded, is open; others are
dropped.
"""

from contextlib import suppress

from service.games.session import GameSession
from service.rules.state import MOST_WAITING_EVENTS
from service.store.base import StoreUnavailable
from service.store.lobby_index import (
    ANY_TIME,
    NOT_MATCHED,
    OPEN_WITHIN_MS,
    LobbyIndex,
    OpenTable,
    Room,
)


def room_of(session: GameSession) -> Room:
    """The part of the lobby that such a table belongs to."""
    return Room(session.options.tenant, len(session.game.players), session.game.edition)


def turn_name(turn_seconds: int | None) -> str:
    """How the lobby names a turn time."""
    return ANY_TIME if turn_seconds is None else str(turn_seconds)


def table_of(session: GameSession) -> OpenTable | None:
    """The table if it is listed and somebody may take a seat, else None.

    Nobody is matched to a table whose creator can know the tiles to come. A table whose last
    person has left is not open to strangers until something else happens at it.
    """
    game, options = session.game, session.options
    if not options.listed or options.private or game.phase != "waiting" or _deserted(session):
        return None
    if not session.free_seats or game.version >= MOST_WAITING_EVENTS:
        return None
    fair = not (game.seeded or game.positioned)
    turn = turn_name(options.turn_seconds) if fair else NOT_MATCHED
    return OpenTable(room_of(session), session.id, session.created_ms, game.version, turn)


def _deserted(session: GameSession) -> bool:
    people = any(player.bot is None for player in session.game.seated.values())
    return session.newest == "resigned" and not people


def add_to_lobby(
    lobby: LobbyIndex, session: GameSession, ttl_ms: int, *, created: bool
) -> int | None:
    """Add a table that the next commit leaves open; returns when that must have happened.

    ``created`` if that commit creates the game.
    """
    table = table_of(session)
    return lobby.add(table, ttl_ms, opening=created) + OPEN_WITHIN_MS if table else None


def keep_in_lobby(lobby: LobbyIndex, session: GameSession, ttl_ms: int) -> None:
    """Keep an open table, or bring it back, because one of its people was seen."""
    table = table_of(session)
    if table:
        with suppress(StoreUnavailable):  # the next sign of life comes soon
            lobby.keep(table, ttl_ms)


def leave_lobby(lobby: LobbyIndex, before: GameSession, session: GameSession | None) -> None:
    """Remove a table that was open before, and is not, or is deleted."""
    was = table_of(before)
    now = table_of(session) if session else None
    if was and (now is None or now.room != was.room):
        lobby.drop(was.room, was.game_id, (session or before).game.version)
