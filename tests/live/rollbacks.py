"""What happens when a store loses its newest events, as after a failover to a slow replica."""

import redis

from service.store import keys

Copies = dict[str, bytes]


def copies(store: redis.Redis, game_id: str) -> Copies:
    """Everything that the store has of a game."""
    return {name: dumped for name in keys.game_keys(game_id) if (dumped := store.dump(name))}  # type: ignore[misc]  # not awaitable


def roll_back(store: redis.Redis, before: Copies) -> None:
    """The store as it was."""
    for name, dumped in before.items():
        store.restore(name, 3_600_000, dumped, replace=True)
