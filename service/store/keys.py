"""The keys of everything stored.

The keys of a game share one hash slot, so one script may use all of them:

| key            | type   | content                                                              |
|----------------|--------|----------------------------------------------------------------------|
| `qw:{<id>}:s`  | string | nonces of the newest event and of the newest update without one (8   |
|                |        | bytes each), checksum (4), state                                     |
| `qw:{<id>}:e`  | list   | index n-1 is event n: its nonce (8 bytes), checksum (4), event       |
| `qw:{<id>}:i`  | hash   | idempotency key (16 bytes) to fingerprint (8), checksum (4), version |
|                |        | (3), unix seconds (4); an empty field keeps the hash from vanishing  |
| `qw:{<id>}:d`  | string | the nonce of a deletion (8 bytes), for a minute after it             |
| `qw:{<id>}:j:<caller>` | sorted set | event numbers of its joins in the last hour, by unix ms |
| `qw:{<id>}:n`  | shard channel | the new version after every commit, or `deleted`              |

Numbers are big-endian and unsigned. The first three exist as long as the game does: a game without
one of them no longer exists. The keys of the workers share another slot:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:{work}:due`             | sorted set | game id, by when it is due: unix ms, or below 10^12|
|                             |            | its place among those that are due immediately     |
| `qw:{work}:claims`          | hash       | game id to when its claim ends (unix ms), and whose|
| `qw:{work}:at-work`         | string     | exists while a worker runs                         |
| `qw:{work}:awaited`         | hash       | game id to the version expected next, and since    |
| `qw:{work}:hooks`           | stream     | webhook messages, read by the group `workers`      |
| `qw:{work}:later`           | sorted set | webhook messages to retry, by when (unix ms)       |
| `qw:{work}:h:<id>:<nonce>…` | string     | this event's message is queued; for half a minute  |
| `qw:{work}:sweep`           | string     | nobody has to begin a sweep of all games now       |
| `qw:{work}:wake`            | shard channel | there is work to do now                         |

The lists of a tenant's games are in eight slots, by a hash of the game's id:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:{t:<tenant>:<shard>}:<status>` | sorted set | the games (16 bytes of the id each) that may|
|                             |            | have this status, by their newest event (unix ms)  |
| `qw:{t:<tenant>:<shard>}:<status>:<digest of a ref>` | sorted set | the same, of one player |
| `qw:{t:<tenant>:<shard>}:feed` | stream  | what happened in these games: `g` (16 bytes of the   |
|                             |            | id), `n`, `x` (nonce), `b` (JSON)                  |
| `qw:{t:<tenant>:<shard>}:n` | shard channel | there is something new in the feed              |

Each part of the lobby (the tables of one tenant or of guests, of one size and edition) has a slot:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:{lobby:<tenant>:<seats>:<edition>}:tables` | hash | game (16 bytes of the id) to the  |
|                             |            | version that is open, when somebody was seen at it |
|                             |            | (unix ms), its turn time for a match, or `-`, and  |
|                             |            | `opening` if it may not exist yet, else `open`     |
| `…:open`                    | sorted set | these games, by when they were created (unix ms)   |
| `…:match`                   | sorted set | turn time, when created, and game, of those to     |
|                             |            | which people are matched; in that order            |

Counters, codes and notes may be in any slot:

| key                         | type       | content                                            |
|-----------------------------|------------|----------------------------------------------------|
| `qw:code:<digest of a code>` | string    | the game with this join code, if it still has it;  |
|                             |            | for a day after its start, so that no other has it |
| `qw:match:<digest>`         | string     | 8 random bytes and the game that the match with    |
|                             |            | this idempotency key is, or was, about to join     |
| `qw:rate:<limit and caller>` | string    | requests in the current window; expires with it    |
| `qw:{guests}:bots`          | sorted set | games with bots made without an API key, by unix ms|
| `qw:{guests}:bots:<address>` | sorted set | the same, from one address (a digest of it)       |
"""

from typing import Final

DUE: Final = "qw:{work}:due"
CLAIMS: Final = "qw:{work}:claims"
WORKER_ALIVE: Final = "qw:{work}:at-work"
EXPECTED_VERSIONS: Final = "qw:{work}:awaited"
WEBHOOKS: Final = "qw:{work}:hooks"
DELAYED_WEBHOOKS: Final = "qw:{work}:later"
SWEEP: Final = "qw:{work}:sweep"
WAKE_CHANNEL: Final = "qw:{work}:wake"


def game_keys(game_id: str) -> tuple[str, str, str]:
    """The keys that every game has: state, log, idempotency entries."""
    return state_key(game_id), log_key(game_id), idempotency_entries_key(game_id)


def state_key(game_id: str) -> str:
    """The newest state."""
    return f"qw:{{{game_id}}}:s"


def game_of_state_key(key: str) -> str:
    """The id of the game whose newest state has this key."""
    return key.removeprefix("qw:{").removesuffix("}:s")


def log_key(game_id: str) -> str:
    """The events, oldest first."""
    return f"qw:{{{game_id}}}:e"


def idempotency_entries_key(game_id: str) -> str:
    """The entries of requests that succeeded under an idempotency key."""
    return f"qw:{{{game_id}}}:i"


def deletion_key(game_id: str) -> str:
    """The nonce of a deletion, kept while the request may be sent again."""
    return f"qw:{{{game_id}}}:d"


def joins_key(game_id: str, caller: str) -> str:
    """The caller's recent joins of the game."""
    return f"qw:{{{game_id}}}:j:{caller}"


def game_channel(game_id: str) -> str:
    """The channel that announces every change of the game."""
    return f"qw:{{{game_id}}}:n"


def webhook_seen_key(game_id: str, message: str) -> str:
    """Marks that this message about the game is queued."""
    return f"qw:{{work}}:h:{game_id}:{message}"


def list_key(tenant: str, shard: int, name: str) -> str:
    """A list of a tenant's games, or the part of it that is in this shard."""
    return f"qw:{{t:{tenant}:{shard}}}:{name}"


def feed_key(tenant: str, shard: int) -> str:
    """What happened in a tenant's games, those of this shard."""
    return f"qw:{{t:{tenant}:{shard}}}:feed"


def feed_channel(tenant: str, shard: int) -> str:
    """The channel that announces every entry of the feed."""
    return f"qw:{{t:{tenant}:{shard}}}:n"


def lobby_keys(tenant: str | None, seats: int, edition: str) -> tuple[str, str, str]:
    """A part of the lobby: its tables, all of them in order, and those to match."""
    slot = f"qw:{{lobby:{tenant or ''}:{seats}:{edition}}}"
    return f"{slot}:tables", f"{slot}:open", f"{slot}:match"


def match_note_key(digest: str) -> str:
    """Which table a repeatable match is about to join."""
    return f"qw:match:{digest}"


def anonymous_games_key(address: str | None = None) -> str:
    """Recent games with bots made without an API key, by all or from one address."""
    return "qw:{guests}:bots" + (f":{address}" if address is not None else "")


def join_code_key(digest: str) -> str:
    """The game that a join code belongs to."""
    return f"qw:code:{digest}"


def rate_key(name: str) -> str:
    """The counter of a rate limit in the current window."""
    return f"qw:rate:{name}"
