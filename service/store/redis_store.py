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
    NEVER_UPDATED,
    NONCE_BYTES,
    STAMP_BYTES,
    Commit,
    IdempotencyEntry,
    IdempotencyFull,
    LoggedEvent,
    StateUpdate,
    StoreDamaged,
    StoredGame,
    StoreUnavailable,
    VersionConflict,
)
from service.store.checksums import seal, unseal
from service.store.client import executor_for, pool_of
from service.store.executor import NOT_PERMITTED
from service.store.game_index import GameIndex
from service.store.lobby_index import LobbyIndex
from service.store.scripts import script
from service.store.server_checks import Info, memory, persistence, read_info, version
from service.store.tenant_feed import TenantFeed

LOAD = script("load")
COMMIT = script("commit", after="save_entry_function")
UPDATE_STATE = script("update_state", after="save_entry_function")
SAVE_IDEMPOTENCY = script("save_idempotency", after="save_entry_function")
REWRITE_FOR_WAIT = script("rewrite_for_wait")
DELETE = script("delete")
HOLD_JOIN_CODE = script("hold_join_code")

VERSION_BYTES, SECONDS_BYTES = 3, 4
WRITTEN = -1
NO_ROOM = -2


class RedisGameStore:
    """The games of a client made by `service.store.client.connect`.

    `index` lists tenants' games, `feed` has what happened in them.

    Every method may raise `StoreUnavailable`; those that load, `StoreDamaged`. Every command is
    repeated once if its connection drops. That is harmless: a read changes nothing, and a write
    that has already happened is recognised by its nonce.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self._executor = executor_for(client)
        self._replicas = pool_of(client).replicas
        self.index = GameIndex(client)
        self.lobby = LobbyIndex(client)
        self.feed = TenantFeed(client)

    def load(
        self, game_id: str, idempotency_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """The game, or None; with `idempotency_key`, also its entry of the last 24 hours.

        The window ends at `now_ms`, by default at this machine's time.
        """
        key = idempotency_key or b""
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), key)
        if found is None:
            return None
        state, version, newest, packed, _ = found
        entry = None if packed is None else _unpack_entry(game_id, key, packed, now_ms)
        return _game(game_id, state, version, newest, entry)

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """The events after number `after`, oldest first, at most `limit`; empty without a game."""
        if after < 0:
            raise ValueError("events are counted from 1")
        if limit is not None and limit <= 0:
            return []
        found = self.load_with_log(game_id, after, limit)
        return [] if found is None else found[1]

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """The state and the events after number `after`, at most `limit`, read atomically."""
        last = -1 if limit is None else after + limit - 1
        found = self._executor.run(LOAD, 3, *keys.game_keys(game_id), b"", after, last)
        if found is None:
            return None
        state, version, newest, _, events = found
        return _game(game_id, state, version, newest), _events(game_id, events, after)

    def commit(self, commit: Commit) -> None:
        """Write all of `commit` or nothing; returns once the store has it.

        Raises `VersionConflict` if the game has changed. Sending the same commit again is
        harmless: if it has already happened, that counts as success.
        """
        update_nonce = commit.expected_stamp[NONCE_BYTES:] or NEVER_UPDATED
        current = self._executor.run_confirmed(
            COMMIT,
            3,
            *keys.game_keys(commit.game_id),
            commit.events[0].n - 1,
            commit.expected_stamp,
            seal(commit.events[-1].nonce + update_nonce, commit.state),
            commit.ttl_ms,
            keys.game_channel(commit.game_id),
            *_key_and_entry(commit.idempotency),
            "" if commit.not_after_ms is None else commit.not_after_ms,
            *[seal(event.nonce, event.event, event.n) for event in commit.events],
        )
        _require_written(current)

    def update_state(self, update: StateUpdate) -> None:
        """Write all of `update` or nothing; harmless when sent again, like `commit`.

        Raises `VersionConflict` if the game has changed, and `IdempotencyFull` if there is no
        room for its idempotency entry.
        """
        current = self._executor.run_confirmed(
            UPDATE_STATE,
            3,
            *keys.game_keys(update.game_id),
            update.expected_stamp,
            seal(update.expected_stamp[:NONCE_BYTES] + update.nonce, update.state),
            keys.game_channel(update.game_id),
            *_key_and_entry(update.idempotency),
            MAX_IDEMPOTENCY_ENTRIES,
        )
        if current == NO_ROOM:
            raise IdempotencyFull
        _require_written(current)

    def save_idempotency(self, game_id: str, entry: IdempotencyEntry) -> None:
        """Store the entry of a request that has no event of its own, while there is room."""
        self._executor.run_confirmed(
            SAVE_IDEMPOTENCY,
            3,
            *keys.game_keys(game_id),
            *_key_and_entry(entry),
            MAX_IDEMPOTENCY_ENTRIES,
        )

    def delete(self, game_id: str, expected_stamp: bytes, not_after_ms: int | None = None) -> bool:
        """Remove the game with its log; False if it does not exist.

        Raises `VersionConflict` if the game has changed. A deletion that reaches the store after
        `not_after_ms`, by the store's clock, does not happen; that raises it too.
        """
        return self._delete(game_id, expected_stamp, token_bytes(NONCE_BYTES), not_after_ms)

    def _delete(
        self, game_id: str, expected_stamp: bytes, nonce: bytes, not_after_ms: int | None = None
    ) -> bool:
        current = self._executor.run_confirmed(
            DELETE,
            4,
            *keys.game_keys(game_id),
            keys.deletion_key(game_id),
            keys.game_channel(game_id),
            nonce,
            expected_stamp,
            "" if not_after_ms is None else not_after_ms,
        )
        if current > 0:
            raise VersionConflict(current)
        return bool(current == WRITTEN)

    def confirm(self, game_id: str, stamp: bytes) -> None:
        """Return once the game with this stamp is as safe as after a successful commit.

        A commit that was not confirmed must not count as safe just because it can be read.
        `VersionConflict` if the game has changed. Costs no round trip if no replicas have to
        confirm.
        """
        if self._replicas:
            game_keys = keys.state_key(game_id), keys.log_key(game_id)
            _require_written(self._executor.run_confirmed(REWRITE_FOR_WAIT, 2, *game_keys, stamp))

    def confirm_deleted(self, game_id: str) -> None:
        """Return once it is safe that the game does not exist, not even in part.

        `VersionConflict` if it exists.
        """
        # Anybody may ask for this, so it leaves nothing behind unless replicas must confirm it.
        self._delete(game_id, b"", token_bytes(NONCE_BYTES) if self._replicas else b"")

    def hold_join_code(self, digest: str, game_id: str, ttl_ms: int) -> bool:
        """Let a game have a join code for so long; False if another game has it."""
        key = keys.join_code_key(digest)
        return bool(self._executor.run_confirmed(HOLD_JOIN_CODE, 1, key, game_id, ttl_ms))

    def game_with_join_code(self, digest: str) -> str | None:
        """The id of the game that had this join code last; it may be gone, or begun."""
        found: bytes | None = self._executor.call("GET", keys.join_code_key(digest))
        return None if found is None else found.decode()

    def ping(self) -> None:
        """Return if the store answers."""
        self._executor.call("PING")

    def warnings(self) -> list[str]:
        """Sentences for the operator if the store could lose committed games.

        `StoreUnavailable` if it is too old to store any.
        """
        try:
            answers = self._executor.call_all_nodes("INFO")
        except StoreUnavailable as error:
            if error.reason == NOT_PERMITTED:
                return ["The store does not permit us to see whether it keeps an append-only file."]
            raise
        servers = [read_info(answer) for answer in answers.values()]
        for info in servers:
            if (age := version(info)).status == "problem":
                raise StoreUnavailable(age.detail)
        # Nodes of a Cluster that have the same fault are one warning.
        return list(dict.fromkeys(chain.from_iterable(map(_warnings, servers))))


def _warnings(info: Info) -> list[str]:
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


def _require_written(current: int) -> None:
    if current != WRITTEN:
        raise VersionConflict(current)


def _key_and_entry(entry: IdempotencyEntry | None) -> tuple[bytes, bytes]:
    """What scripts are sent about a request; both are empty if it has no idempotency key."""
    if entry is None:
        return b"", b""
    # Rounded up: the entry must be found for a full day after the request.
    seconds = -(-entry.at_ms // 1000)
    end = entry.version.to_bytes(VERSION_BYTES, "big") + seconds.to_bytes(SECONDS_BYTES, "big")
    return entry.key, seal(entry.fingerprint, end)


def _unpack_entry(
    game_id: str, key: bytes, packed: bytes, now_ms: int | None
) -> IdempotencyEntry | None:
    fingerprint, end = unseal(game_id, packed, FINGERPRINT_BYTES)
    version = int.from_bytes(end[:VERSION_BYTES], "big")
    at_ms = int.from_bytes(end[VERSION_BYTES:], "big") * 1000
    now_ms = time_ns() // 1_000_000 if now_ms is None else now_ms
    if at_ms < now_ms - IDEMPOTENCY_WINDOW_MS:
        return None
    return IdempotencyEntry(key, fingerprint, version, at_ms)
