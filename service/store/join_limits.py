"""How often somebody has joined a game of late.

A waiting game grows by everybody who joins it and leaves again, and anybody may join. So only so
many joins of one game are taken from one address.
"""

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import COUNT_IN_WINDOWS

MOST_JOINS = 10
WINDOW_MS = 60 * 60 * 1000


class JoinLimits:
    """The joins of every game by every caller in the last hour.

    They are told apart by the number that their event would have, which one commit gets: many
    who try at the same moment count once, and no more can succeed than are counted.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)

    def wait_ms(self, game_id: str, caller: str, n: int, now_ms: int) -> int:
        """Count a join as event ``n``; 0 if there is room for it, else how long there is none."""
        key = keys.joins_key(game_id, caller)
        _, wait_ms = self._executor.run(COUNT_IN_WINDOWS, 1, key, now_ms, WINDOW_MS, n, MOST_JOINS)
        return int(wait_ms)
