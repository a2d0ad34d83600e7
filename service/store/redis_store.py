"""Games in Redis or Valkey: a read is one round trip, a play two."""

from itertools import chain
from secrets import token_bytes
from time import time_ns

import redis

from service.store import keys
from service.store.base import (
    FINGERPRINT_BYTES,
    IDEMPOTENCY_WINDOW_MS,
    MAX_IDEMPOTENCY_ENTRIES,
    NEVER_ROTATED,
    NONCE_BYTES,
    STAMP_BYTES,
    Commit,
    Fork,
    IdempotencyEntry,
    IdempotencyFull,
    LoggedEvent,
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
    DELETE,
    FORK,
    LOAD,
    RECONFIRM_EVENT,
    RECONFIRM_IDEMPOTENCY,
    ROTATE_TOKEN,
    SAVE_IDEMPOTENCY,
)
from service.store.server_checks import memory, persistence, read_info

VERSION_BYTES, SECONDS_BYTES = 3, 4
WRITTEN = -1
NO_ROOM = -2
LOST = "the store has lost what it had a moment ago"


class RedisGameStore:
    """The `GameStore` of a client made by `service.store.client.connect`.

    Every command is repeated once if its connection drops. That is harmless: a read changes
    nothing, and a write that has already happened is recognised by its nonce.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self._executor = executor_for(client)
        self._replicas = pool_of(client).replicas

    def load(
        self, game_id: str, idempotency_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """See `GameStore.load`."""
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), idempotency_key or b"")
        if found is None:
            return None
        state, version, newest, packed, _ = found
        entry = None if packed is None else _unpack_entry(game_id, packed, now_ms)
        return _game(game_id, state, version, newest, entry)

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """See `GameStore.load_log`."""
        if after < 0:
            raise ValueError("events are counted from 1")
        if limit is not None and limit <= 0:
            return []
        found = self.load_with_log(game_id, after, limit)
        return [] if found is None else found[1]

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """See `GameStore.load_with_log`."""
        last = -1 if limit is None else after + limit - 1
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), b"", after, last)
        if found is None:
            return None
        state, version, newest, _, events = found
        return _game(game_id, state, version, newest), _events(game_id, events, after)

    def commit(self, commit: Commit) -> None:
        """See `GameStore.commit`."""
        version = commit.expected_version + 1
        rotation_nonce = commit.expected_stamp[NONCE_BYTES:] or NEVER_ROTATED
        current = self._executor.run_confirmed(
            COMMIT,
            3,
            *keys.game_keys(commit.game_id),
            commit.expected_version,
            commit.expected_stamp,
            seal(commit.nonce + rotation_nonce, commit.state),
            seal(commit.nonce, commit.event, version),
            commit.ttl_ms,
            keys.game_channel(commit.game_id),
            *_key_and_entry(commit, version),
        )
        if current != WRITTEN:
            raise VersionConflict(current)

    def fork(self, fork: Fork) -> None:
        """See `GameStore.fork`."""
        current = self._executor.run_confirmed(
            FORK,
            3,
            *keys.game_keys(fork.game_id),
            seal(fork.log[-1].nonce + NEVER_ROTATED, fork.state),
            fork.ttl_ms,
            keys.game_channel(fork.game_id),
            *(_key_and_entry(fork, len(fork.log)) or (b"", b"")),
            *(seal(logged.nonce, logged.event, logged.n) for logged in fork.log),
        )
        if current != WRITTEN:
            raise VersionConflict(current)

    def rotate_token(self, rotation: TokenRotation) -> None:
        """See `GameStore.rotate_token`."""
        entry: tuple[bytes | int, ...] = ()
        if rotation.idempotency_key is not None and rotation.idempotency is not None:
            packed = _pack_entry(rotation.idempotency)
            entry = (rotation.idempotency_key, packed, MAX_IDEMPOTENCY_ENTRIES)
        current = self._executor.run_confirmed(
            ROTATE_TOKEN,
            3,
            *keys.game_keys(rotation.game_id),
            rotation.expected_stamp,
            seal(rotation.expected_stamp[:NONCE_BYTES] + rotation.nonce, rotation.state),
            keys.game_channel(rotation.game_id),
            *entry,
        )
        if current == NO_ROOM:
            raise IdempotencyFull
        if current != WRITTEN:
            raise VersionConflict(current)

    def save_idempotency(
        self, game_id: str, idempotency_key: bytes, entry: IdempotencyEntry
    ) -> None:
        """See `GameStore.save_idempotency`."""
        self._executor.run_confirmed(
            SAVE_IDEMPOTENCY,
            3,
            *keys.game_keys(game_id),
            idempotency_key,
            _pack_entry(entry),
            MAX_IDEMPOTENCY_ENTRIES,
        )

    def delete(self, game_id: str, expected_stamp: bytes) -> bool:
        """See `GameStore.delete`."""
        return self._delete(game_id, expected_stamp, token_bytes(NONCE_BYTES))

    def _delete(self, game_id: str, expected_stamp: bytes, nonce: bytes) -> bool:
        current = self._executor.run_confirmed(
            DELETE,
            4,
            *keys.game_keys(game_id),
            keys.deletion_key(game_id),
            keys.game_channel(game_id),
            nonce,
            expected_stamp,
        )
        if current > 0:
            raise VersionConflict(current)
        return bool(current == WRITTEN)

    def confirm_event(self, game_id: str, n: int, nonce: bytes) -> None:
        """See `GameStore.confirm_event`; costs no round trip if no replicas have to confirm."""
        if self._replicas and not self._executor.run_confirmed(
            RECONFIRM_EVENT, 1, keys.log_key(game_id), n, nonce
        ):
            raise StoreUnavailable(LOST)

    def confirm_idempotency(self, game_id: str, idempotency_key: bytes, fingerprint: bytes) -> None:
        """See `GameStore.confirm_idempotency`."""
        entries = keys.idempotency_entries_key(game_id)
        if self._replicas and not self._executor.run_confirmed(
            RECONFIRM_IDEMPOTENCY, 1, entries, idempotency_key, fingerprint
        ):
            raise StoreUnavailable(LOST)

    def confirm_deleted(self, game_id: str) -> None:
        """See `GameStore.confirm_deleted`."""
        # Anybody may ask for this, so it leaves nothing behind unless replicas must confirm it.
        nonce = token_bytes(NONCE_BYTES) if self._replicas else b""
        try:
            self._delete(game_id, b"", nonce)
        except VersionConflict:
            raise StoreUnavailable(LOST) from None

    def ping(self) -> None:
        """Return if the store answers."""
        self._executor.call("PING")

    def warnings(self) -> list[str]:
        """See `GameStore.warnings`."""
        try:
            answers = self._executor.call_all_nodes("INFO", "persistence", "memory", "stats")
        except StoreUnavailable as error:
            if error.reason == NOT_PERMITTED:
                return ["The store does not permit us to see whether it keeps an append-only file."]
            raise
        # Nodes of a Cluster that have the same fault are one warning.
        return list(dict.fromkeys(chain.from_iterable(map(_warnings, answers))))


def _warnings(answer: bytes) -> list[str]:
    info = read_info(answer)
    found = (persistence(info), memory(info))
    return [each.detail for each in found if each.status == "problem"]


def _game(
    game_id: str, stored: bytes, version: int, newest: bytes, entry: IdempotencyEntry | None = None
) -> StoredGame:
    """A state that is undamaged and belongs to the newest event of the log."""
    stamp, state = unseal(game_id, stored, STAMP_BYTES)
    if stamp[:NONCE_BYTES] != newest:
        raise StoreDamaged(game_id)
    return StoredGame(state, stamp, version, entry)


def _events(game_id: str, stored: list[bytes], after: int) -> list[LoggedEvent]:
    return [
        LoggedEvent(n, *unseal(game_id, event, NONCE_BYTES, n))
        for n, event in enumerate(stored, after + 1)
    ]


def _key_and_entry(write: Commit | Fork, version: int) -> tuple[bytes, ...]:
    if write.idempotency_key is None or write.fingerprint is None:
        return ()
    entry = IdempotencyEntry(write.fingerprint, version, write.now_ms)
    return write.idempotency_key, _pack_entry(entry)


def _pack_entry(entry: IdempotencyEntry) -> bytes:
    # Rounded up: the entry must be found for a full day after the request.
    seconds = -(-entry.at_ms // 1000)
    end = entry.version.to_bytes(VERSION_BYTES, "big") + seconds.to_bytes(SECONDS_BYTES, "big")
    return seal(entry.fingerprint, end)


def _unpack_entry(game_id: str, packed: bytes, now_ms: int | None) -> IdempotencyEntry | None:
    fingerprint, end = unseal(game_id, packed, FINGERPRINT_BYTES)
    version = int.from_bytes(end[:VERSION_BYTES], "big")
    at_ms = int.from_bytes(end[VERSION_BYTES:], "big") * 1000
    now_ms = time_ns() // 1_000_000 if now_ms is None else now_ms
    if at_ms < now_ms - IDEMPOTENCY_WINDOW_MS:
        return None
    return IdempotencyEntry(fingerprint, version, at_ms)
