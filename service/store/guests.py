"""How many tables with bots were made without an API key of late.

Bots cost time that all games share, so those whom nobody answers for get only so much.
"""

import redis

from service.store import keys
from service.store.connect import line_to
from service.store.scripts import ADMIT

WINDOW_MS = 60 * 60 * 1000


class GuestTables:
    """The tables with bots that guests have made in the last hour."""

    def __init__(self, client: redis.Redis, most: int) -> None:
        self._line = line_to(client)
        self.most = most

    def admit(self, game_id: str, now_ms: int) -> bool:
        """Whether there is room for this table; it is then counted, once."""
        counted = self._line.run(
            ADMIT, 1, keys.guest_tables_key(), now_ms, WINDOW_MS, self.most, game_id
        )
        return bool(counted)
