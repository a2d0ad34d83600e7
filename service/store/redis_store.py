"""Games in Redis or Valkey: a read is one round trip, a play two."""

from itertools import chain
from secrets import token_bytes
from time import time_ns

import redis

from service.store import keys
from service.store.base import (
    FINGERPRINT_BYTES,
    MOST_IDEMPOTENCY_KEYS,
    NEVER_RENEWED,
    NONCE_BYTES,
    RETRY_WINDOW_MS,
    STAMP_BYTES,
    Commit,
    Fork,
    IdempotencyFull,
    LoggedEvent,
    Retry,
    StoreDamaged,
    StoredGame,
    StoreUnavailable,
    TokenRotation,
    VersionConflict,
)
from service.store.checksums import seal, unseal
from service.store.client import executor_for, pool_of
from service.store.executor import NOT_PERMITTED
from service.store.scripts import (
    COMMIT,
    CONFIRM,
    CONFIRM_RETRY,
    DELETE,
    FORK,
    LOAD,
    REMEMBER,
    RENEW,
)
from service.store.server_checks import memory, persistence, read_report

VERSION_BYTES, SECONDS_BYTES = 3, 4
WRITTEN = -1
NO_ROOM = -2
UNDONE = "the store has lost what it had a moment ago"


class RedisGameStore:
    """The `GameStore` of a client made by `service.store.client.connect`.

    Every command is repeated once if its connection drops. That is harmless: a read changes
    nothing, and a commit or a deletion that has already happened is recognised by its nonce.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self._executor = executor_for(client)
        self._replicas = pool_of(client).replicas

    def load(
        self, game_id: str, retry_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """The game, or None; with `retry_key`, also what was committed under it in the last 24 h.

        The window is counted back from `now_ms`, by default from this machine's clock.
        """
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), retry_key or b"")
        if found is None:
            return None
        state, version, newest, entry, _ = found
        retry = None if entry is None else _retry(game_id, entry, now_ms)
        return _game(game_id, state, version, newest, retry)

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """The events after number `after`, oldest first, at most `limit`; none for no game."""
        if after < 0:
            raise ValueError("events are counted from 1")
        if limit is not None and limit <= 0:
            return []
        found = self.load_with_log(game_id, after, limit)
        return [] if found is None else found[1]

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """The state and the events after number `after`, at most `limit`, as of one moment."""
        last = -1 if limit is None else after + limit - 1
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), b"", after, last)
        if found is None:
            return None
        state, version, newest, _, events = found
        return _game(game_id, state, version, newest), _events(game_id, events, after)

    def commit(self, commit: Commit) -> None:
        """Write all of `commit` or nothing of it; returns once the store has it.

        Raises `VersionConflict` if the game is not as it was seen. Sending the same commit again
        is harmless: what has already happened counts as success.
        """
        expected = commit.expected_version
        renewal_nonce = commit.expected_stamp[NONCE_BYTES:] or NEVER_RENEWED
        retry: tuple[bytes, ...] = ()
        if commit.retry_key is not None and commit.fingerprint is not None:
            entry = _entry(Retry(commit.fingerprint, expected + 1, commit.now_ms))
            retry = (commit.retry_key, entry)
        version = self._executor.confirmed(
            COMMIT,
            3,
            *keys.game_keys(commit.game_id),
            expected,
            commit.expected_stamp,
            seal(commit.nonce + renewal_nonce, commit.state),
            seal(commit.nonce, commit.event, expected + 1),
            commit.ttl_ms,
            keys.news_channel(commit.game_id),
            *retry,
        )
        if version != WRITTEN:
            raise VersionConflict(version)

    def fork(self, fork: Fork) -> None:
        """Write all of `fork` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if there is a game under its id.
        """
        retry = (b"", b"")
        if fork.retry_key is not None and fork.fingerprint is not None:
            entry = _entry(Retry(fork.fingerprint, len(fork.log), fork.now_ms))
            retry = (fork.retry_key, entry)
        version = self._executor.confirmed(
            FORK,
            3,
            *keys.game_keys(fork.game_id),
            seal(fork.log[-1].nonce + NEVER_RENEWED, fork.state),
            fork.ttl_ms,
            keys.news_channel(fork.game_id),
            *retry,
            *(seal(logged.nonce, logged.event, logged.n) for logged in fork.log),
        )
        if version != WRITTEN:
            raise VersionConflict(version)

    def renew(self, renewal: TokenRotation) -> None:
        """Write all of `renewal` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if the game is not as it was seen, and `IdempotencyFull` if it has
        a retry key that there is no room for.
        """
        retry: tuple[bytes | int, ...] = ()
        if renewal.retry_key is not None and renewal.retry is not None:
            retry = (renewal.retry_key, _entry(renewal.retry), MOST_IDEMPOTENCY_KEYS)
        version = self._executor.confirmed(
            RENEW,
            3,
            *keys.game_keys(renewal.game_id),
            renewal.expected_stamp,
            seal(renewal.expected_stamp[:NONCE_BYTES] + renewal.nonce, renewal.state),
            keys.news_channel(renewal.game_id),
            *retry,
        )
        if version == NO_ROOM:
            raise IdempotencyFull
        if version != WRITTEN:
            raise VersionConflict(version)

    def remember(self, game_id: str, retry_key: bytes, retry: Retry) -> None:
        """Keep what tells a repetition of a request without an event, while there is room."""
        self._executor.confirmed(
            REMEMBER, 3, *keys.game_keys(game_id), retry_key, _entry(retry), MOST_IDEMPOTENCY_KEYS
        )

    def delete(self, game_id: str, expected_stamp: bytes) -> bool:
        """Remove the game with its log; False if there was none.

        Raises `VersionConflict` if the game is not as it was seen.
        """
        return self._delete(game_id, expected_stamp, token_bytes(NONCE_BYTES))

    def _delete(self, game_id: str, expected_stamp: bytes, nonce: bytes) -> bool:
        version = self._executor.confirmed(
            DELETE,
            4,
            *keys.game_keys(game_id),
            keys.removal_key(game_id),
            keys.news_channel(game_id),
            nonce,
            expected_stamp,
        )
        if version > 0:
            raise VersionConflict(version)
        return bool(version == WRITTEN)

    def confirm(self, game_id: str, n: int, nonce: bytes) -> None:
        """Return once event n of this nonce is as safe as one whose commit has returned.

        Needs no round trip where no replicas have to confirm anything.
        """
        if self._replicas and not self._executor.confirmed(
            CONFIRM, 1, keys.log_key(game_id), n, nonce
        ):
            raise StoreUnavailable(UNDONE)

    def confirm_retry(self, game_id: str, retry_key: bytes, fingerprint: bytes) -> None:
        """The same for what a request has written that is remembered under this key."""
        if self._replicas and not self._executor.confirmed(
            CONFIRM_RETRY, 1, keys.retries_key(game_id), retry_key, fingerprint
        ):
            raise StoreUnavailable(UNDONE)

    def confirm_gone(self, game_id: str) -> None:
        """Return once it is safe that there is no such game, nor anything left of one."""
        # Anybody may ask for it: unless replicas have to confirm it, it leaves nothing behind.
        nonce = token_bytes(NONCE_BYTES) if self._replicas else b""
        try:
            self._delete(game_id, b"", nonce)
        except VersionConflict:
            raise StoreUnavailable(UNDONE) from None

    def ping(self) -> None:
        """Return if the store answers."""
        self._executor.call("PING")

    def warnings(self) -> list[str]:
        """Sentences for the operator if the store would lose committed games."""
        try:
            reports = self._executor.call_all_nodes("INFO", "persistence", "memory", "stats")
        except StoreUnavailable as error:
            if error.reason == NOT_PERMITTED:
                return ["The store does not permit us to see whether it keeps an append-only file."]
            raise
        # Servers of a Cluster that have the same fault are one warning.
        return list(dict.fromkeys(chain.from_iterable(map(_warnings, reports))))


def _warnings(report: bytes) -> list[str]:
    """What the operator of this server should know."""
    read = read_report(report)
    found = (persistence(read), memory(read))
    return [each.detail for each in found if each.status == "problem"]


def _game(
    game_id: str, stored: bytes, version: int, newest: bytes, retry: Retry | None = None
) -> StoredGame:
    """A state that is whole and belongs to the newest event of the log."""
    stamp, state = unseal(game_id, stored, STAMP_BYTES)
    if stamp[:NONCE_BYTES] != newest:
        raise StoreDamaged(game_id)
    return StoredGame(state, stamp, version, retry)


def _events(game_id: str, stored: list[bytes], after: int) -> list[LoggedEvent]:
    return [
        LoggedEvent(n, *unseal(game_id, event, NONCE_BYTES, n))
        for n, event in enumerate(stored, after + 1)
    ]


def _entry(retry: Retry) -> bytes:
    # Rounded up: within a day of the request it must be there.
    seconds = -(-retry.at_ms // 1000)
    end = retry.version.to_bytes(VERSION_BYTES, "big") + seconds.to_bytes(SECONDS_BYTES, "big")
    return seal(retry.fingerprint, end)


def _retry(game_id: str, entry: bytes, now_ms: int | None) -> Retry | None:
    fingerprint, end = unseal(game_id, entry, FINGERPRINT_BYTES)
    version = int.from_bytes(end[:VERSION_BYTES], "big")
    at_ms = int.from_bytes(end[VERSION_BYTES:], "big") * 1000
    now_ms = time_ns() // 1_000_000 if now_ms is None else now_ms
    if at_ms < now_ms - RETRY_WINDOW_MS:
        return None
    return Retry(fingerprint, version, at_ms)
