"""Counters of requests for the library `limits`, stored with the games.

A request whose connection drops may be counted twice, which is better than refusing it.
"""

from time import time

import redis
from limits.storage import Storage

from service.store import keys
from service.store.base import StoreUnavailable
from service.store.client import executor_for
from service.store.scripts import script

RATE_INCR = script("rate_incr")


class RateLimitStorage(Storage):
    """A storage for fixed windows; raises `StorageError` if the store fails."""

    def __init__(self, client: redis.Redis) -> None:
        super().__init__(wrap_exceptions=True)
        self._executor = executor_for(client)

    @property
    def base_exceptions(self) -> type[Exception]:
        """What the store raises."""
        return StoreUnavailable

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add ``amount`` to the counter of a window of ``expiry`` seconds; returns the count."""
        return int(self._executor.run(RATE_INCR, 1, keys.rate_key(key), expiry, amount))

    def get(self, key: str) -> int:
        """The count in the current window."""
        return int(self._executor.call("GET", keys.rate_key(key)) or 0)

    def get_expiry(self, key: str) -> float:
        """When the window ends, in unix seconds; the current time if there is no window."""
        left_ms = int(self._executor.call("PTTL", keys.rate_key(key)))
        return time() + max(0, left_ms) / 1000

    def check(self) -> bool:
        """Whether the store answers."""
        try:
            self._executor.call("PING")
        except StoreUnavailable:
            return False
        return True

    def reset(self) -> None:
        """Not offered: windows end by themselves, and a Cluster cannot be searched for them."""
        raise NotImplementedError

    def clear(self, key: str) -> None:
        """End this window now."""
        self._executor.call("DEL", keys.rate_key(key))
