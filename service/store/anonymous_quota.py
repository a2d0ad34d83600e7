"""How many tables with bots were made without an API key of late.

Bots cost time that all games share, so those whom nobody answers for get only so much, and one
address only a part of that.
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
    """The tables with bots that guests have made in the last hour."""

    def __init__(self, client: redis.Redis, most: int, most_per_address: int) -> None:
        self._executor = executor_for(client)
        self.most = most
        self.most_per_address = most_per_address

    def admit(self, game_id: str, address: str, now_ms: int) -> tuple[Full, int] | None:
        """Count this table, once, if there is room; else whose quota is used up, and for how long.

        That is in milliseconds.
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
        """No longer count a table, because it was not made."""
        for key in _keys(address):
            self._executor.call("ZREM", key, game_id)


def _keys(address: str) -> tuple[str, str]:
    return keys.anonymous_games_key(), keys.anonymous_games_key(address)
