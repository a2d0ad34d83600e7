"""Join codes: short enough to be read aloud, and known until their game begins.

The store holds digests of them, each with the id of its game. An entry is written before the game's
commit and is only a hint: whether the game exists, still waits and has the code is decided by the
game.
"""

from service.games.keyring import Keyring
from service.games.session import GameSession
from service.store.redis_store import RedisGameStore

REST_MS = 24 * 60 * 60 * 1000
"""How long nobody else gets a code after its game has begun or expired."""


def join_code_of(keyring: Keyring, session: GameSession) -> str | None:
    """The code to join the game with; None once it has begun."""
    if session.game.phase != "waiting":
        return None
    return keyring.join_code(session.id, session.options.generation)


def is_join_code(keyring: Keyring, session: GameSession, code: str) -> bool:
    """Whether this is the game's join code, or was while it waited."""
    return keyring.is_join_code(code, session.id, session.options.generation)


def hold_join_code(
    store: RedisGameStore, keyring: Keyring, session: GameSession, ttl_active_ms: int
) -> bool:
    """Let the game be found by its join code; False if another game has that code."""
    digest = keyring.join_code_digests(keyring.join_code(session.id, session.options.generation))[0]
    waits_ms = ttl_active_ms if session.game.phase == "waiting" else 0
    return store.hold_join_code(digest, session.id, waits_ms + REST_MS)


def games_with_join_code(store: RedisGameStore, keyring: Keyring, code: str) -> list[str]:
    """The ids of games that may have this join code."""
    found = map(store.game_with_join_code, keyring.join_code_digests(code))
    return [game_id for game_id in found if game_id is not None]
