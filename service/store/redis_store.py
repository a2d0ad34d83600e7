"""Games in Redis or Valkey: a read is one round trip, a play two."""

import struct
from secrets import token_bytes
from time import time_ns

import redis

from service.store import keys
from service.store.condition import memory, persistence, read_report
from service.store.connect import line_to, pool_of
from service.store.games import (
    FINGERPRINT_BYTES,
    NONCE_BYTES,
    RETRY_WINDOW_MS,
    Commit,
    Fork,
    LoggedEvent,
    Renewal,
    Retry,
    StoredGame,
    StoreUnavailable,
    VersionConflict,
)
from service.store.line import NOT_PERMITTED
from service.store.scripts import (
    COMMIT,
    CONFIRM,
    CONFIRM_RETRY,
    DELETE,
    FORK,
    LOAD_LOG,
    LOAD_RETRY,
    REMEMBER,
    RENEW,
)

RETRY_END = struct.Struct(">IHI")
WRITTEN = -1
UNDONE = "the store has lost what it had a moment ago"


class RedisGameStore:
    """The `GameStore` of a client made by `service.store.connect.connect`.

    Every command is repeated once if its connection drops. That is harmless: a read changes
    nothing, and a commit or a deletion that has already happened is recognised by its nonce.
    """

    def __init__(self, client: redis.Redis) -> None:
        self.client = client
        self._line = line_to(client)
        self._replicas = pool_of(client).replicas

    def load(
        self, game_id: str, retry_key: bytes | None = None, *, now_ms: int | None = None
    ) -> StoredGame | None:
        """The game, or None; with `retry_key`, also what was committed under it in the last 24 h.

        The window is counted back from `now_ms`, by default from this machine's clock.
        """
        if retry_key is None:
            names = keys.state_key(game_id), keys.renewals_key(game_id)
            state, renewals = self._line.call("MGET", *names)
            return _game(state, renewals, None)
        state, renewals, entry = self._line.run(
            LOAD_RETRY,
            3,
            keys.state_key(game_id),
            keys.renewals_key(game_id),
            keys.retries_key(game_id),
            retry_key,
        )
        now_ms = time_ns() // 1_000_000 if now_ms is None else now_ms
        return _game(state, renewals, _retry(entry, now_ms))

    def load_log(self, game_id: str, after: int = 0, limit: int | None = None) -> list[LoggedEvent]:
        """The events after number `after`, oldest first, at most `limit`; none for no game."""
        if after < 0:
            raise ValueError("events are counted from 1")
        if limit is not None and limit <= 0:
            return []
        last = -1 if limit is None else after + limit - 1
        return _events(self._line.call("LRANGE", keys.log_key(game_id), after, last), after)

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[StoredGame, list[LoggedEvent]] | None:
        """The state and the events after number `after`, at most `limit`, as of one moment."""
        last = -1 if limit is None else after + limit - 1
        state, renewals, log = self._line.run(
            LOAD_LOG,
            3,
            keys.state_key(game_id),
            keys.renewals_key(game_id),
            keys.log_key(game_id),
            after,
            last,
        )
        game = _game(state, renewals, None)
        return None if game is None else (game, _events(log, after))

    def commit(self, commit: Commit) -> None:
        """Write all of `commit` or nothing of it; returns once the store has it.

        Raises `VersionConflict` if the game is not at the expected version. Sending the same
        commit again is harmless: what has already happened counts as success.
        """
        game_id, expected = commit.game_id, commit.expected_version
        retry: tuple[bytes, ...] = ()
        if commit.retry_key is not None and commit.fingerprint is not None:
            entry = _entry(Retry(commit.fingerprint, expected + 1, commit.now_ms))
            retry = (commit.retry_key, entry)
        version = self._line.confirmed(
            COMMIT,
            4,
            keys.state_key(game_id),
            keys.log_key(game_id),
            keys.retries_key(game_id),
            keys.renewals_key(game_id),
            expected,
            commit.nonce + commit.state,
            commit.nonce + commit.event,
            commit.ttl_ms,
            keys.news_channel(game_id),
            commit.now_ms,
            *retry,
        )
        if version != WRITTEN:
            raise VersionConflict(version)

    def fork(self, fork: Fork) -> None:
        """Write all of `fork` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if there is a game under its id.
        """
        game_id = fork.game_id
        retry = (b"", b"")
        if fork.retry_key is not None and fork.fingerprint is not None:
            entry = _entry(Retry(fork.fingerprint, len(fork.log), fork.now_ms))
            retry = (fork.retry_key, entry)
        version = self._line.confirmed(
            FORK,
            3,
            keys.state_key(game_id),
            keys.log_key(game_id),
            keys.retries_key(game_id),
            fork.log[-1].nonce + fork.state,
            fork.ttl_ms,
            keys.news_channel(game_id),
            *retry,
            *(logged.nonce + logged.event for logged in fork.log),
        )
        if version != WRITTEN:
            raise VersionConflict(version)

    def renew(self, renewal: Renewal) -> None:
        """Write all of `renewal` or nothing of it; harmless when sent again, like `commit`.

        Raises `VersionConflict` if another renewal came first, or the game is gone.
        """
        game_id = renewal.game_id
        retry: tuple[bytes, ...] = ()
        if renewal.retry_key is not None and renewal.retry is not None:
            retry = (renewal.retry_key, _entry(renewal.retry))
        version = self._line.confirmed(
            RENEW,
            4,
            keys.state_key(game_id),
            keys.log_key(game_id),
            keys.renewals_key(game_id),
            keys.retries_key(game_id),
            renewal.before,
            renewal.nonce + renewal.renewals,
            keys.news_channel(game_id),
            *retry,
        )
        if version != WRITTEN:
            raise VersionConflict(version)

    def remember(self, game_id: str, retry_key: bytes, retry: Retry) -> None:
        """Keep what tells a repetition of a request that had no event of its own."""
        self._line.confirmed(
            REMEMBER,
            2,
            keys.state_key(game_id),
            keys.retries_key(game_id),
            retry_key,
            _entry(retry),
        )

    def delete(self, game_id: str, expected_version: int | None = None) -> bool:
        """Remove the game with its log; False if there was none.

        Raises `VersionConflict` if the game is not at the expected version.
        """
        version = self._line.confirmed(
            DELETE,
            5,
            keys.state_key(game_id),
            keys.log_key(game_id),
            keys.retries_key(game_id),
            keys.removal_key(game_id),
            keys.renewals_key(game_id),
            keys.news_channel(game_id),
            token_bytes(NONCE_BYTES),
            -1 if expected_version is None else expected_version,
        )
        if version > 0:
            raise VersionConflict(version)
        return bool(version == WRITTEN)

    def confirm(self, game_id: str, n: int, nonce: bytes) -> None:
        """Return once event n of this nonce is as safe as one whose commit has returned.

        Needs no round trip where no replicas have to confirm anything.
        """
        if self._replicas and not self._line.confirmed(CONFIRM, 1, keys.log_key(game_id), n, nonce):
            raise StoreUnavailable(UNDONE)

    def confirm_retry(self, game_id: str, retry_key: bytes, fingerprint: bytes) -> None:
        """The same for what a request has written that is remembered under this key."""
        if self._replicas and not self._line.confirmed(
            CONFIRM_RETRY, 1, keys.retries_key(game_id), retry_key, fingerprint
        ):
            raise StoreUnavailable(UNDONE)

    def confirm_gone(self, game_id: str) -> None:
        """Return once it is safe that there is no such game."""
        if self._replicas:
            try:
                self.delete(game_id, 0)
            except VersionConflict:
                raise StoreUnavailable(UNDONE) from None

    def ping(self) -> None:
        """Return if the store answers."""
        self._line.call("PING")

    def durability_warning(self) -> str | None:
        """A sentence for the operator if the store would lose committed games in a crash."""
        try:
            reports = self._line.everywhere("INFO", "persistence", "memory")
        except StoreUnavailable as error:
            if error.reason == NOT_PERMITTED:
                return "The store does not permit us to see whether it keeps an append-only file."
            raise
        return next((warning for report in reports if (warning := _warning(report))), None)


def _warning(report: bytes) -> str | None:
    """What the operator of this server should know."""
    read = read_report(report)
    found = (persistence(read), memory(read))
    return next((each.detail for each in found if each.status == "problem"), None)


def _game(stored: bytes | None, renewals: bytes | None, retry: Retry | None) -> StoredGame | None:
    if stored is None:
        return None
    renewed = renewals[NONCE_BYTES:] if renewals else b""
    return StoredGame(stored[NONCE_BYTES:], stored[:NONCE_BYTES], retry, renewed)


def _events(stored: list[bytes], after: int) -> list[LoggedEvent]:
    return [
        LoggedEvent(n, event[:NONCE_BYTES], event[NONCE_BYTES:])
        for n, event in enumerate(stored, after + 1)
    ]


def _entry(retry: Retry) -> bytes:
    high, low = divmod(retry.at_ms, 1 << 32)
    return retry.fingerprint + RETRY_END.pack(retry.version, high, low)


def _retry(entry: bytes | None, now_ms: int) -> Retry | None:
    if entry is None:
        return None
    # From the end, and only as much of the fingerprint as is kept now: there were longer ones.
    version, high, low = RETRY_END.unpack_from(entry, len(entry) - RETRY_END.size)
    at_ms = (high << 32) + low
    if at_ms < now_ms - RETRY_WINDOW_MS:
        return None
    return Retry(entry[:FINGERPRINT_BYTES], version, at_ms)
