"""The names of everything kept.

What is kept for a game shares one hash slot, so one script may touch all of it:

| key            | type   | content                                                              |
|----------------|--------|----------------------------------------------------------------------|
| `qw:{<id>}:s`  | string | nonces of the newest event and renewal (8 each), checksum (4), state |
| `qw:{<id>}:e`  | list   | index n-1 holds event n: its nonce (8 bytes), checksum (4), event    |
| `qw:{<id>}:i`  | hash   | retry key (16 bytes) to fingerprint (8), checksum (4), version (3),  |
|                |        | unix seconds (4); an empty key keeps the hash in being               |
| `qw:{<id>}:d`  | string | for a minute after a deletion: its nonce (8 bytes)                   |
| `qw:{<id>}:j:<caller>` | sorted set | for an hour: numbers of its joins, by unix ms |
| `qw:{<id>}:n`  | shard channel | the version after every commit, or `deleted`                  |

Numbers are big-endian and unsigned. The first three exist as long as the game does: a game that
misses one of them is gone. What is left to workers shares another slot:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:{work}:due`             | sorted set | game id, by when to look at it: unix ms, or below  |
|                             |            | 10^12 its place among those that are due at once   |
| `qw:{work}:claims`           | hash       | game id to when its loan ends (unix ms), and whose |
| `qw:{work}:at-work`         | string     | lives while a worker does                          |
| `qw:{work}:awaited`         | hash       | game id to the version about to come, and since    |
| `qw:{work}:hooks`           | stream     | reports to webhooks, read by the group `workers`   |
| `qw:{work}:later`           | sorted set | reports put off, by when to try again (unix ms)    |
| `qw:{work}:tally`           | hash       | outcome of reports to how many had it              |
| `qw:{work}:h:<id>:<nonce>`  | string     | for half a minute: this event's report is noted    |
| `qw:{work}:wake`            | shard channel | something is to be done now                     |

What is counted lies wherever its name leads:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:rate:<limit and caller>` | string    | requests in the present window, which it lives for |
| `qw:{guests}:bots`          | sorted set | table with bots of a guest, by when (unix ms)      |
| `qw:{guests}:bots:<address>` | sorted set | the same, of one address (a digest of it)         |
"""

from typing import Final

DUE: Final = "qw:{work}:due"
CLAIMS: Final = "qw:{work}:claims"
WORKER_ALIVE: Final = "qw:{work}:at-work"
EXPECTED_VERSIONS: Final = "qw:{work}:awaited"
WEBHOOKS: Final = "qw:{work}:hooks"
DELAYED_WEBHOOKS: Final = "qw:{work}:later"
WEBHOOK_OUTCOMES: Final = "qw:{work}:tally"
WAKE_CHANNEL: Final = "qw:{work}:wake"


def game_keys(game_id: str) -> tuple[str, str, str]:
    """Everything that has to be there of a game: state, log, retries."""
    return state_key(game_id), log_key(game_id), idempotency_entries_key(game_id)


def state_key(game_id: str) -> str:
    """The newest state."""
    return f"qw:{{{game_id}}}:s"


def log_key(game_id: str) -> str:
    """The events, oldest first."""
    return f"qw:{{{game_id}}}:e"


def idempotency_entries_key(game_id: str) -> str:
    """The requests that succeeded under an idempotency key."""
    return f"qw:{{{game_id}}}:i"


def deletion_key(game_id: str) -> str:
    """The deletion, remembered until no lost answer can be asked for again."""
    return f"qw:{{{game_id}}}:d"


def joins_key(game_id: str, caller: str) -> str:
    """The joins of the game by this caller of late."""
    return f"qw:{{{game_id}}}:j:{caller}"


def game_channel(game_id: str) -> str:
    """The channel that wakes whoever watches the game."""
    return f"qw:{{{game_id}}}:n"


def webhook_seen_key(game_id: str, nonce: str) -> str:
    """That a report of the event with this nonce was noted a moment ago."""
    return f"qw:{{work}}:h:{game_id}:{nonce}"


def anonymous_games_key(address: str | None = None) -> str:
    """The tables with bots that guests, or those of one address, have made of late."""
    return "qw:{guests}:bots" + (f":{address}" if address is not None else "")


def rate_key(name: str) -> str:
    """How often something happened in the present window."""
    return f"qw:rate:{name}"
