"""What the store takes and gives, and how it may fail.

A game is stored as its newest state and the log of its events. The version of a game is the length
of that log: creation is event 1. States and events are opaque bytes here. A game that has lost a
part of its data no longer exists.

A state has a stamp: the nonce of the newest event and that of the newest update without an event
(zeros before the first). Every write names the stamp that it expects, and happens only if the state
still has it: after a rollback, or under an id that was used before, versions repeat, stamps do not.
"""

from dataclasses import dataclass

NONCE_BYTES = 8
STAMP_BYTES = 2 * NONCE_BYTES
NEVER_UPDATED = bytes(NONCE_BYTES)
IDEMPOTENCY_KEY_BYTES = 16
FINGERPRINT_BYTES = 8
IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000
# Twice as many as a game may have events; requests without an event share the rest.
MAX_IDEMPOTENCY_ENTRIES = 4096


class StoreError(Exception):
    """The base of all errors of the store."""


class StoreUnavailable(StoreError):
    """The store cannot be reached, or is full, read-only or too slow.

    A commit that raises this may have happened, perhaps without enough replicas: retrying it with
    the same idempotency key tells. `reason` contains no password and no address, so it may be
    logged.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StoreDamaged(StoreError):
    """The stored data of a game is not what was written."""

    def __init__(self, game_id: str) -> None:
        super().__init__(f"what the store holds of game {game_id} is damaged")
        self.game_id = game_id


class IdempotencyFull(StoreError):
    """The game has no room for another idempotency entry, and nothing was written."""


class VersionConflict(StoreError):
    """The game has changed since the writer loaded it, and nothing was written.

    `current` is the version that the game has now, 0 if it does not exist.
    """

    def __init__(self, current: int) -> None:
        super().__init__(f"the game is at version {current}")
        self.current = current


@dataclass(frozen=True, slots=True)
class IdempotencyEntry:
    """What is stored about a request that succeeded under an idempotency key.

    The key has 16 bytes, the fingerprint 8; the time is stored in whole seconds.
    """

    key: bytes
    fingerprint: bytes
    version: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game's newest state, its stamp, its version, and the idempotency entry asked for."""

    state: bytes
    stamp: bytes
    version: int
    idempotency: IdempotencyEntry | None = None

    @property
    def nonce(self) -> bytes:
        """The nonce of the newest event."""
        return self.stamp[:NONCE_BYTES]

    @property
    def update_nonce(self) -> bytes:
        """The nonce of the newest update without an event."""
        return self.stamp[NONCE_BYTES:]


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """Event number `n` of a game (the first is 1)."""

    n: int
    nonce: bytes
    event: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """Events and the state after them, to be written if the game has not changed.

    A game is created by its event 1 and an empty `expected_stamp`. The nonces (8 random bytes,
    new for every commit) identify this commit. `idempotency` lets a retry find out that this
    request has succeeded. The game expires after `ttl_ms`. A commit that reaches the store after
    `not_after_ms`, by the store's clock, does not happen.
    """

    game_id: str
    expected_stamp: bytes
    state: bytes
    events: tuple[LoggedEvent, ...]
    ttl_ms: int
    idempotency: IdempotencyEntry | None = None
    not_after_ms: int | None = None

    def __post_init__(self) -> None:
        if any(len(event.nonce) != NONCE_BYTES for event in self.events):
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes")
        if len(self.expected_stamp) != (STAMP_BYTES if self.events[0].n > 1 else 0):
            raise ValueError(f"a stamp has {STAMP_BYTES} bytes, and a creation expects none")


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """A state that changes without an event, to be written if the game has not changed.

    The log stays the same: what changes is not part of the game (a token, or metadata). `nonce`
    and `idempotency` are as in `Commit`.
    """

    game_id: str
    expected_stamp: bytes
    state: bytes
    nonce: bytes
    idempotency: IdempotencyEntry | None = None
