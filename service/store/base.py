"""What the service asks of its store, and how the store may fail.

A game is kept as its newest state and the log of its events. The version of a game is the length
of that log: creation is event 1. States and events are opaque bytes here; whoever writes them
gives them their format. A game that has lost a part of what is kept of it does not exist any more.

A state has a stamp: the nonce of the newest event and that of the newest renewal of a token (zeros
before the first). Every write names the stamp that it has seen, and happens only if that is still
the state's: after a rollback, or under an id that was used before, versions repeat, stamps do not.
"""

from dataclasses import dataclass
from typing import Protocol

NONCE_BYTES = 8
STAMP_BYTES = 2 * NONCE_BYTES
NEVER_RENEWED = bytes(NONCE_BYTES)
RETRY_KEY_BYTES = 16
FINGERPRINT_BYTES = 8
RETRY_WINDOW_MS = 24 * 60 * 60 * 1000
# Twice as many as a game may have events; what has no event of its own has the rest.
MOST_IDEMPOTENCY_KEYS = 4096


class StoreError(Exception):
    """Anything that keeps the store from doing what it was asked."""


class StoreUnavailable(StoreError):
    """The store is away, full, read-only or too slow.

    A commit that ends so may or may not have happened, or has, without as many replicas as wanted:
    the caller finds out by trying again with the same retry key. `reason` is fit for a log: it
    holds no password and no address.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class StoreDamaged(StoreError):
    """What the store holds of a game is not what was written there."""

    def __init__(self, game_id: str) -> None:
        super().__init__(f"what the store holds of game {game_id} is damaged")
        self.game_id = game_id


class IdempotencyFull(StoreError):
    """A game remembers as many requests as it may, and nothing was written."""


class VersionConflict(StoreError):
    """The game is not as the writer has seen it, and nothing was written.

    `current` is the version the game has now, 0 if there is no such game (any more).
    """

    def __init__(self, current: int) -> None:
        super().__init__(f"the game is at version {current}")
        self.current = current


@dataclass(frozen=True, slots=True)
class Retry:
    """What is remembered of a request that succeeded under an idempotency key.

    Its time is kept to the second.
    """

    fingerprint: bytes
    version: int
    at_ms: int


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game's newest state, its stamp, the length of its log, and the retry asked for."""

    state: bytes
    stamp: bytes
    version: int
    retry: Retry | None = None

    @property
    def nonce(self) -> bytes:
        """The nonce of the newest event."""
        return self.stamp[:NONCE_BYTES]

    @property
    def renewal_nonce(self) -> bytes:
        """The nonce of the newest renewal."""
        return self.stamp[NONCE_BYTES:]


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """Event number `n` of a game (the first is 1)."""

    n: int
    nonce: bytes
    event: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """One event and the state it leads to, to be written if the game is as it was seen.

    `expected_version` 0 and an empty `expected_stamp` create the game. `nonce` (8 random bytes,
    fresh for every commit) tells this commit from any other. `retry_key` (16 bytes) and
    `fingerprint` (8; both or neither) let a later request find that this one has succeeded. The
    game expires `ttl_ms` after `now_ms`.
    """

    game_id: str
    expected_version: int
    expected_stamp: bytes
    state: bytes
    event: bytes
    ttl_ms: int
    nonce: bytes
    now_ms: int
    retry_key: bytes | None = None
    fingerprint: bytes | None = None

    def __post_init__(self) -> None:
        if len(self.nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes")
        if (self.retry_key is None) != (self.fingerprint is None):
            raise ValueError("a retry key and its fingerprint come together")
        if self.retry_key is not None and len(self.retry_key) != RETRY_KEY_BYTES:
            raise ValueError(f"a retry key has {RETRY_KEY_BYTES} bytes")
        if self.fingerprint is not None and len(self.fingerprint) != FINGERPRINT_BYTES:
            raise ValueError(f"a fingerprint has {FINGERPRINT_BYTES} bytes")
        if len(self.expected_stamp) != (STAMP_BYTES if self.expected_version else 0):
            raise ValueError(f"a stamp has {STAMP_BYTES} bytes, and a creation expects none")
        if self.expected_version < 0 or self.ttl_ms <= 0:
            raise ValueError("a commit needs a version from 0 up and a time to live")


@dataclass(frozen=True, slots=True)
class Fork:
    """A new game that begins with a whole log, to be written if its id is free.

    `log` numbers its events from 1; each nonce (8 random bytes) is fresh. `retry_key` and
    `fingerprint` come together, as in `Commit`.
    """

    game_id: str
    state: bytes
    log: tuple[LoggedEvent, ...]
    ttl_ms: int
    now_ms: int
    retry_key: bytes | None = None
    fingerprint: bytes | None = None


@dataclass(frozen=True, slots=True)
class TokenRotation:
    """A state with one more renewal of a token, to be written if the game is as it was seen.

    It is no event: the log stays as it is. `nonce`, `retry_key` and `retry` are as in `Commit`;
    the last two come together.
    """

    game_id: str
    expected_stamp: bytes
    state: bytes
    nonce: bytes
    retry_key: bytes | None = None
    retry: Retry | None = None


class GameStore(Protocol):
    """Games by id. Every method may raise `StoreUnavailable`; those that load, `StoreDamaged`."""

    def load(
        self, game_id: str, retry_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """The game, or None; with `retry_key`, also what was committed under it in the last 24 h.

        The window is counted back from `now_ms`, by default from this machine's clock.
        """

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """The events after number `after`, oldest first, at most `limit`; none for no game."""

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """The state and the events after number `after`, at most `limit`, as of one moment."""

    def commit(self, commit: Commit) -> None:
        """Write all of `commit` or nothing of it; returns once the store has it.

        Raises `VersionConflict` if the game is not as it was seen. Sending the same commit again
        is harmless: what has already happened counts as success.
        """

    def fork(self, fork: Fork) -> None:
        """Write all of `fork` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if there is a game under its id.
        """

    def renew(self, renewal: TokenRotation) -> None:
        """Write all of `renewal` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if the game is not as it was seen, and `IdempotencyFull` if it has
        a retry key that there is no room for.
        """

    def remember(self, game_id: str, retry_key: bytes, retry: Retry) -> None:
        """Keep what tells a repetition of a request without an event, while there is room."""

    def delete(self, game_id: str, expected_stamp: bytes) -> bool:
        """Remove the game with its log; False if there was none.

        Raises `VersionConflict` if the game is not as it was seen.
        """

    def confirm(self, game_id: str, n: int, nonce: bytes) -> None:
        """Return once event n of this nonce is as safe as one whose commit has returned.

        Whoever was refused the certainty of a commit must not get it from a mere look at it.
        """

    def confirm_retry(self, game_id: str, retry_key: bytes, fingerprint: bytes) -> None:
        """The same for what a request has written that is remembered under this key."""

    def confirm_gone(self, game_id: str) -> None:
        """Return once it is safe that there is no such game, nor anything left of one."""

    def ping(self) -> None:
        """Return if the store answers."""

    def warnings(self) -> list[str]:
        """Sentences for the operator if the store would lose committed games."""
