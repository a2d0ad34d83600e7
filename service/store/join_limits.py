"""Limits how often one address may join the same game.

A waiting game grows with everybody who joins and leaves again, and anybody may join.
"""

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import COUNT_IN_WINDOWS

MOST_JOINS = 10
WINDOW_MS = 60 * 60 * 1000


class JoinLimits:
    """The joins of every game by every caller in the last hour.

    A join is identified by the number that its event would have, which only one commit can get:
    concurrent attempts count once, and no more can succeed than are counted.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)

    def wait_ms(self, game_id: str, caller: str, n: int, now_ms: int) -> int:
        """Count a join as event ``n``; returns 0, or how long to wait if the limit is reached."""
        key = keys.joins_key(game_id, caller)
        _, wait_ms = self._executor.run(COUNT_IN_WINDOWS, 1, key, now_ms, WINDOW_MS, n, MOST_JOINS)
        return int(wait_ms)
