"""Limits how many games with bots may be created without an API key.

Bots cost CPU time that all games share, so anonymous callers have a common quota, and one address
only a part of it.
"""

from typing import Literal

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import COUNT_IN_WINDOWS

WINDOW_MS = 60 * 60 * 1000

Full = Literal["all", "address"]
_FULL: tuple[Full | None, ...] = (None, "all", "address")


class AnonymousQuota:
    """Counts the games with bots that were created anonymously in the last hour."""

    def __init__(self, client: redis.Redis, most: int, most_per_address: int) -> None:
        self._executor = executor_for(client)
        self.most = most
        self.most_per_address = most_per_address

    def admit(self, game_id: str, address: str, now_ms: int) -> tuple[Full, int] | None:
        """Count this game, once, if there is room for it.

        Otherwise returns whose quota is used up, and for how many milliseconds.
        """
        full, wait_ms = self._executor.run(
            COUNT_IN_WINDOWS,
            2,
            *_keys(address),
            now_ms,
            WINDOW_MS,
            game_id,
            self.most,
            self.most_per_address,
        )
        whose = _FULL[int(full)]
        return whose and (whose, int(wait_ms))

    def give_back(self, game_id: str, address: str) -> None:
        """Stop counting a game because it was not created."""
        for key in _keys(address):
            self._executor.call("ZREM", key, game_id)


def _keys(address: str) -> tuple[str, str]:
    return keys.anonymous_games_key(), keys.anonymous_games_key(address)
