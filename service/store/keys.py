"""The names of everything kept for a game. They share one hash slot, so one script may touch all.

| key            | type   | content                                                              |
|----------------|--------|----------------------------------------------------------------------|
| `qw:{<id>}:s`  | string | nonce of the newest event (8 bytes), then the state                  |
| `qw:{<id>}:e`  | list   | index n-1 holds event n: its nonce (8 bytes), then the event         |
| `qw:{<id>}:i`  | hash   | retry key (16 bytes) to fingerprint (16), version (4), unix ms (6)   |
| `qw:{<id>}:d`  | string | for a minute after a deletion: its nonce (8 bytes)                   |
| `qw:{<id>}:n`  | shard channel | the version after every commit, or `deleted`                  |

Numbers are big-endian and unsigned.
"""


def state_key(game_id: str) -> str:
    """The newest state."""
    return f"qw:{{{game_id}}}:s"


def log_key(game_id: str) -> str:
    """The events, oldest first."""
    return f"qw:{{{game_id}}}:e"


def retries_key(game_id: str) -> str:
    """The requests that succeeded under an idempotency key."""
    return f"qw:{{{game_id}}}:i"


def removal_key(game_id: str) -> str:
    """The deletion, remembered until no lost answer can be asked for again."""
    return f"qw:{{{game_id}}}:d"


def news_channel(game_id: str) -> str:
    """The channel that wakes whoever watches the game."""
    return f"qw:{{{game_id}}}:n"
