"""A slow walk through all games of a store, by one worker at a time."""

from collections.abc import Iterator
from typing import Final

import redis

from service.store import keys
from service.store.client import executor_for

BATCH_KEYS: Final = 300
"""About how many keys of the store one batch looks at; a game has three or more."""

LEASE_MS: Final = 60_000
"""How long nobody else begins a sweep after the last batch of a worker that has died."""


class Sweep:
    """The games of a store, and the lease that keeps a second worker from sweeping them."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)

    def begin(self) -> bool:
        """Take the lease; False if a sweep is under way, or the last one was not long ago."""
        return self._executor.call("SET", keys.SWEEP, "", "NX", "PX", LEASE_MS) is not None

    def extend(self, lease_ms: int = LEASE_MS) -> None:
        """Let nobody begin another sweep for so long."""
        self._executor.call("SET", keys.SWEEP, "", "PX", lease_ms)

    def batches(self) -> Iterator[list[str]]:
        """The ids of all games that exist meanwhile, a few at a time; some may come twice."""
        for node in self._executor.nodes():
            cursor = b"0"
            while True:
                command = ("SCAN", cursor, "MATCH", keys.state_key("*"), "COUNT", BATCH_KEYS)
                cursor, found = node.call(*command)
                yield [keys.game_of_state_key(key.decode()) for key in found]
                if cursor == b"0":
                    break
