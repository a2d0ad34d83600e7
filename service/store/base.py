"""The interface of the store, and how the store may fail.

A game is stored as its newest state and the log of its events. The version of a game is the length
of that log: creation is event 1. States and events are opaque bytes here. A game that has lost a
part of its data no longer exists.

A state has a stamp: the nonce of the newest event and that of the newest token rotation (zeros
before the first). Every write names the stamp that it expects, and happens only if the state still
has it: after a rollback, or under an id that was used before, versions repeat, stamps do not.
"""

from dataclasses import dataclass
from typing import Protocol

NONCE_BYTES = 8
STAMP_BYTES = 2 * NONCE_BYTES
NEVER_ROTATED = bytes(NONCE_BYTES)
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

    Its time is stored in whole seconds.
    """

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
    def rotation_nonce(self) -> bytes:
        """The nonce of the newest token rotation."""
        return self.stamp[NONCE_BYTES:]


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """Event number `n` of a game (the first is 1)."""

    n: int
    nonce: bytes
    event: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """One event and the state after it, to be written if the game has not changed.

    `expected_version` 0 and an empty `expected_stamp` create the game. `nonce` (8 random bytes,
    new for every commit) identifies this commit. `idempotency_key` (16 bytes) and `fingerprint`
    (8; both or neither) let a retry find out that this request has succeeded. The game expires
    `ttl_ms` after `now_ms`.
    """

    game_id: str
    expected_version: int
    expected_stamp: bytes
    state: bytes
    event: bytes
    ttl_ms: int
    nonce: bytes
    now_ms: int
    idempotency_key: bytes | None = None
    fingerprint: bytes | None = None

    def __post_init__(self) -> None:
        if len(self.nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes")
        if (self.idempotency_key is None) != (self.fingerprint is None):
            raise ValueError("an idempotency key and its fingerprint come together")
        if self.idempotency_key is not None and len(self.idempotency_key) != IDEMPOTENCY_KEY_BYTES:
            raise ValueError(f"an idempotency key has {IDEMPOTENCY_KEY_BYTES} bytes")
        if self.fingerprint is not None and len(self.fingerprint) != FINGERPRINT_BYTES:
            raise ValueError(f"a fingerprint has {FINGERPRINT_BYTES} bytes")
        if len(self.expected_stamp) != (STAMP_BYTES if self.expected_version else 0):
            raise ValueError(f"a stamp has {STAMP_BYTES} bytes, and a creation expects none")
        if self.expected_version < 0 or self.ttl_ms <= 0:
            raise ValueError("a commit needs a version from 0 up and a time to live")


@dataclass(frozen=True, slots=True)
class Fork:
    """A new game with a complete log, to be written if its id is free.

    The events in `log` are numbered from 1, and each has a new nonce (8 random bytes).
    `idempotency_key` and `fingerprint` are as in `Commit`.
    """

    game_id: str
    state: bytes
    log: tuple[LoggedEvent, ...]
    ttl_ms: int
    now_ms: int
    idempotency_key: bytes | None = None
    fingerprint: bytes | None = None


@dataclass(frozen=True, slots=True)
class TokenRotation:
    """A state with one more token rotation, to be written if the game has not changed.

    It is not an event: the log stays the same. `nonce` and `idempotency_key` are as in `Commit`;
    `idempotency` is the entry stored under that key (both or neither).
    """

    game_id: str
    expected_stamp: bytes
    state: bytes
    nonce: bytes
    idempotency_key: bytes | None = None
    idempotency: IdempotencyEntry | None = None


class GameStore(Protocol):
    """Games by id. Every method may raise `StoreUnavailable`; those that load, `StoreDamaged`."""

    def load(
        self, game_id: str, idempotency_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """The game, or None; with `idempotency_key`, also its entry of the last 24 hours.

        The window ends at `now_ms`, by default at this machine's time.
        """

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """The events after number `after`, oldest first, at most `limit`; empty without a game."""

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """The state and the events after number `after`, at most `limit`, read atomically."""

    def commit(self, commit: Commit) -> None:
        """Write all of `commit` or nothing; returns once the store has it.

        Raises `VersionConflict` if the game has changed. Sending the same commit again is
        harmless: if it has already happened, that counts as success.
        """

    def fork(self, fork: Fork) -> None:
        """Write all of `fork` or nothing; harmless when sent again, like `commit`.

        Raises `VersionConflict` if its id is taken.
        """

    def rotate_token(self, rotation: TokenRotation) -> None:
        """Write all of `rotation` or nothing; harmless when sent again, like `commit`.

        Raises `VersionConflict` if the game has changed, and `IdempotencyFull` if there is no
        room for its idempotency entry.
        """

    def save_idempotency(
        self, game_id: str, idempotency_key: bytes, entry: IdempotencyEntry
    ) -> None:
        """Store the entry of a request that has no event of its own, while there is room."""

    def delete(self, game_id: str, expected_stamp: bytes) -> bool:
        """Remove the game with its log; False if it does not exist.

        Raises `VersionConflict` if the game has changed.
        """

    def confirm_event(self, game_id: str, n: int, nonce: bytes) -> None:
        """Return once event n with this nonce is as safe as after a successful commit.

        A commit that was not confirmed must not count as safe just because it can be read.
        """

    def confirm_idempotency(self, game_id: str, idempotency_key: bytes, fingerprint: bytes) -> None:
        """The same for what was written with the entry under this key."""

    def confirm_deleted(self, game_id: str) -> None:
        """Return once it is safe that the game does not exist, not even in part."""

    def ping(self) -> None:
        """Return if the store answers."""

    def warnings(self) -> list[str]:
        """Sentences for the operator if the store could lose committed games."""
