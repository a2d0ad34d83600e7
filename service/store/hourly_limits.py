"""What one caller, or all of them, may do in an hour.

Bots cost CPU time that all games share, so callers without an API key have a common quota of games
with bots, and one address only a part of it. A waiting game grows with everybody who joins and
leaves again, and anybody may join, so an address may join the same game only so often.
"""

from typing import Literal

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import script

COUNT_IN_WINDOWS = script("count_in_windows")
SETTLE_MEMBER = script("settle_member")

MOST_JOINS = 10
HOUR_MS = 60 * 60 * 1000

Full = Literal["all", "address"]
_FULL: tuple[Full | None, ...] = (None, "all", "address")


class HourlyLimits:
    """Counts what happened in the last hour, if there is room for it."""

    def __init__(self, client: redis.Redis, most_bot_games: int, most_per_address: int) -> None:
        self._executor = executor_for(client)
        self.most_bot_games = most_bot_games
        self.most_per_address = most_per_address

    def count_join(self, game_id: str, caller: str, n: int, now_ms: int) -> int:
        """Count a join as event ``n``; returns 0, or the milliseconds to wait if there is no room.

        Only one commit can get that number: concurrent attempts count once, and no more can
        succeed than are counted.
        """
        key = keys.joins_key(game_id, caller)
        _, wait_ms = self._executor.run(COUNT_IN_WINDOWS, 1, key, now_ms, HOUR_MS, n, MOST_JOINS)
        return int(wait_ms)

    def count_bot_game(self, game_id: str, address: str, now_ms: int) -> tuple[Full, int] | None:
        """Count a game, once; or whose quota is used up, and for how many milliseconds."""
        quotas = (self.most_bot_games, self.most_per_address)
        full, wait_ms = self._executor.run(
            COUNT_IN_WINDOWS, 2, *_bot_game_keys(address), now_ms, HOUR_MS, game_id, *quotas
        )
        whose = _FULL[int(full)]
        return whose and (whose, int(wait_ms))

    def settle_bot_game(self, game_id: str) -> None:
        """Keep counting a game that is about to be deleted, also if its id is used again."""
        self._executor.run(SETTLE_MEMBER, 1, keys.anonymous_games_key(), game_id)

    def uncount_bot_game(self, game_id: str, address: str) -> None:
        """Stop counting a game because it was not created."""
        for key in _bot_game_keys(address):
            self._executor.call("ZREM", key, game_id)


def _bot_game_keys(address: str) -> tuple[str, str]:
    return keys.anonymous_games_key(), keys.anonymous_games_key(address)
