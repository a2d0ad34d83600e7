"""The course of every operation: load, apply the rules, commit.

Nothing here knows of HTTP. Time and randomness are handed in. Whoever writes states the
version it saw; where another event came first the operation is carried out anew on the
state that event left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import NamedTuple, TypeVar

from service.games.autoplay import REQUEST_POLICY, BotPolicy, due_ms, overdue_step, thinks
from service.games.metrics import count_event
from service.games.schedule import scheduled_work
from service.games.session import (
    GameOptions,
    GameSession,
    LogEntry,
    after,
    pack_entry,
    pack_session,
    replayed,
    unpack_entry,
    unpack_session,
    with_renewal,
)
from service.games.tokens import Keyring, game_id
from service.rules.actions import Step
from service.rules.pauses import Pause, no_pause, paced
from service.rules.state import Game
from service.store.base import (
    NONCE_BYTES,
    Commit,
    GameStore,
    LoggedEvent,
    Retry,
    StoreDamaged,
    StoredGame,
    StoreUnavailable,
    TokenRotation,
    VersionConflict,
)
from service.store.due_queue import Scheduler
from service.telemetry import metrics

MOST_ATTEMPTS = 8
MOST_OVERDUE = 16
GENERATION_BYTES = 6
LONGEST_OVERDUE = 0.1

T = TypeVar("T")


class GameNotFound(Exception):
    """There is no game of this id, or there is none any more."""


class KeyReused(Exception):
    """The idempotency key was used for another request before."""


class TooBusy(Exception):
    """Other requests kept changing the game while this one was carried out."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What tells a retried request: where its key is remembered, and what it asks for."""

    key: bytes
    fingerprint: bytes


class LoadedGame(NamedTuple):
    """A table as it was loaded, the mark of its newest event, and an earlier same request."""

    session: GameSession
    nonce: bytes
    retry: Retry | None = None

    @property
    def stamp(self) -> bytes:
        """What every write to the game states that it has seen."""
        return self.nonce + self.session.renewal_nonce


class LoggedEntry(NamedTuple):
    """An entry of a game's log, and its mark."""

    entry: LogEntry
    nonce: bytes


class CommitResult(NamedTuple):
    """What came of an action: the table right after it, its mark, its entry in the log."""

    session: GameSession
    nonce: bytes
    entry: LogEntry
    replayed: bool = False


@dataclass(frozen=True)
class Games:
    """All games of a store, for whoever brings a clock (unix milliseconds) and randomness."""

    store: GameStore
    keyring: Keyring
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    ttl_active_ms: int
    ttl_finished_ms: int
    bot_policy: BotPolicy = REQUEST_POLICY
    attempts: int = MOST_ATTEMPTS
    scheduler: Scheduler | None = None
    pause: Pause = no_pause

    def find(self, game_id: str, retry_key: bytes | None = None) -> LoadedGame:
        """The game, with what is remembered under the retry key; one round trip.

        What is overdue is done first.
        """
        return self._caught_up(self._load(game_id, retry_key), retry_key)

    def _load(self, game_id: str, retry_key: bytes | None) -> LoadedGame:
        stored = self.store.load(game_id, retry_key, now_ms=self.clock())
        if stored is None:
            raise GameNotFound(game_id)
        return _seen(game_id, stored)

    def find_to_delete(self, game_id: str) -> LoadedGame:
        """The game, whatever may be overdue; if there is none, that is safe."""
        try:
            return self._load(game_id, None)
        except GameNotFound:
            self.store.confirm_gone(game_id)
            raise

    def find_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[LoadedGame, list[LoggedEntry]]:
        """The game and its log after an event; one round trip. What is overdue is done first."""
        seen, log = self._load_with_log(game_id, after, limit)
        current = self._caught_up(seen, None)
        return (seen, log) if current is seen else self._load_with_log(game_id, after, limit)

    def _load_with_log(
        self, game_id: str, after: int, limit: int | None
    ) -> tuple[LoadedGame, list[LoggedEntry]]:
        found = self.store.load_with_log(game_id, after, limit)
        if found is None:
            raise GameNotFound(game_id)
        stored, log = found
        entries = self._entries(log)
        return _seen(game_id, stored), [
            LoggedEntry(entry, each.nonce) for entry, each in zip(entries, log, strict=True)
        ]

    def _caught_up(self, seen: LoadedGame, retry_key: bytes | None) -> LoadedGame:
        """The game once what is overdue is done, or as much of it as is one game's share.

        A step that was worked out is committed, however long it took. Only whether to begin
        another one depends on the time, and a thought is never begun after something else:
        the game is looked at again. Where several notice at once, one commit wins and the
        others look again. A store that takes no writes now gets a request answered with the
        game as it is.
        """
        began = monotonic()
        for steps in range(MOST_OVERDUE):
            if steps:
                self.pause()
                if thinks(seen.session.game) or monotonic() - began > LONGEST_OVERDUE:
                    break
            now = self.clock()
            due = due_ms(seen.session, now, self.bot_policy.patience_ms)
            if due is None or due > now:
                break
            try:
                stepped = self._stepped(seen, retry_key)
            except StoreUnavailable:
                if self.bot_policy.worker:
                    raise
                break
            if stepped is None:
                break
            seen = stepped
        return seen

    def _stepped(self, seen: LoadedGame, retry_key: bytes | None) -> LoadedGame | None:
        """The game after one more event, whoever's it is; None if it is left to a worker."""
        session = seen.session
        lender = self.scheduler if thinks(session.game) and not self.bot_policy.worker else None
        if lender and not lender.borrow(session.id):
            return None
        step = overdue_step(session.game, self.bot_policy.budget, self.pause)
        if step is None:
            return None
        try:
            done = self.change(seen, step)
            stepped = LoadedGame(done.session, done.nonce, seen.retry)
        except VersionConflict:
            stepped = self._load(session.id, retry_key)
        if lender:
            now, after = self.clock(), stepped.session
            lender.settle(after.id, after.game.version, due_ms(after, now), now)
        return stepped

    def change(
        self,
        seen: LoadedGame,
        step: Step,
        retry: IdempotencyKey | None = None,
        *,
        ref: str | None = None,
        returning: bool = False,
    ) -> CommitResult:
        """Commit what an action came to; VersionConflict if the game is not as seen any more.

        ``ref`` and ``returning`` are those of the entry of somebody who joins.
        """
        # A clock that stepped back must not make the log's times run backwards.
        now = max(self.clock(), seen.session.updated_ms)
        entry = LogEntry(now, step.event, ref=ref, returning=returning)
        return self._commit(seen, seen.session.id, entry, step.game, retry)

    def create(
        self, step: Step, options: GameOptions, retry: IdempotencyKey | None, *, id_: str
    ) -> CommitResult:
        """Commit a new game under an id of ``id_for``; VersionConflict if that is taken."""
        entry = LogEntry(self.clock(), step.event, self.unlike_any(options))
        return self._commit(None, id_, entry, step.game, retry)

    def unlike_any(self, options: GameOptions) -> GameOptions:
        """The particulars with tokens that no other game has had, even under the same id."""
        generation = int.from_bytes(self.entropy(GENERATION_BYTES), "big")
        return replace(options, generation=generation)

    def again(self, seen: LoadedGame, retry: IdempotencyKey) -> CommitResult | None:
        """What came of the same request before, rebuilt from the log; None if there was none.

        KeyReused if the key was used for another request.
        """
        if seen.retry is None:
            return None
        if seen.retry.fingerprint != retry.fingerprint:
            raise KeyReused
        version = seen.retry.version
        if version == seen.session.game.version:
            # Nearly always: nothing has happened since, so nothing has to be folded.
            (newest,) = self._log_of(seen, version - 1)
            entry = unpack_entry(newest.event, newest.n)
            # Whoever asks again is told the tokens of then, not those that came since.
            session = replace(seen.session, renewals=())
            return self._confirmed(CommitResult(session, newest.nonce, entry, replayed=True))
        log = self._log_of(seen)[:version]
        entries = self._entries(log)
        session = replayed(seen.session.id, entries, pause=self.pause)
        return self._confirmed(CommitResult(session, log[-1].nonce, entries[-1], replayed=True))

    def _confirmed(self, done: CommitResult) -> CommitResult:
        """What was done before, now as safe as if it had just been committed."""
        self.store.confirm(done.session.id, done.entry.event.n, done.nonce)
        return done

    def remember(self, seen: LoadedGame, retry: IdempotencyKey) -> bool:
        """Keep a request that has no event of its own; True if the same one came before.

        KeyReused if the key was used for another request.
        """
        if seen.retry is not None:
            if seen.retry.fingerprint != retry.fingerprint:
                raise KeyReused
            return True
        remembered = Retry(retry.fingerprint, seen.session.game.version, self.clock())
        self.store.remember(seen.session.id, retry.key, remembered)
        return False

    def renew(
        self, seen: LoadedGame, holder: int, retry: IdempotencyKey | None = None
    ) -> GameSession:
        """Make a token void and the next one count.

        It is remembered with the number of this renewal in place of a version. VersionConflict
        if the game is not as seen any more.
        """
        session = with_renewal(seen.session, holder, seen.session.renewed(holder) + 1)
        count = session.renewed(holder)
        self.store.renew(
            TokenRotation(
                session.id,
                seen.stamp,
                pack_session(session),
                self.entropy(NONCE_BYTES),
                retry.key if retry else None,
                Retry(retry.fingerprint, count, self.clock()) if retry else None,
            )
        )
        return session

    def renewed_before(
        self, seen: LoadedGame, holder: int, retry: IdempotencyKey
    ) -> GameSession | None:
        """The table right after the same renewal came before; None if it did not.

        KeyReused if the key was used for another request.
        """
        if seen.retry is None:
            return None
        if seen.retry.fingerprint != retry.fingerprint:
            raise KeyReused
        self.store.confirm_retry(seen.session.id, retry.key, retry.fingerprint)
        return with_renewal(seen.session, holder, seen.retry.version)

    def history(self, seen: LoadedGame, version: int) -> list[LogEntry]:
        """The entries of the game's log up to the event of this number.

        VersionConflict if the log is not that of the game as seen any more.
        """
        return self._entries(self._log_of(seen)[:version])

    def before_retry(self, seen: LoadedGame) -> GameSession | None:
        """The table as the same request found it before, if there was one.

        A token that was renewed since does not come to count again.
        """
        if seen.retry is None or seen.retry.version == 1:
            return None
        entries = self.history(seen, seen.retry.version - 1)
        before = replayed(seen.session.id, entries, pause=self.pause)
        return replace(before, renewals=seen.session.renewals)

    def delete(self, seen: LoadedGame) -> None:
        """Remove the game; VersionConflict if it is not as seen any more."""
        if not self.store.delete(seen.session.id, seen.stamp):
            raise GameNotFound(seen.session.id)
        metrics.GAMES_DELETED.inc()

    def id_for(self, retry: IdempotencyKey | None) -> tuple[str, LoadedGame | None]:
        """The id for a new game and, if the same creation came before, the game it made.

        Without a key the id is random. With one it follows from the key, so that one commit
        decides between requests that come at once; a key whose day is over, though its
        game still stands, leads on to another id.
        """
        if retry is None:
            return game_id(self.entropy(16)), None
        for attempt in range(self.attempts):
            ids = self.keyring.game_ids(retry.key, attempt)
            games = [found for id_ in ids if (found := self._find_or_none(id_, retry.key))]
            remembered = [seen for seen in games if seen.retry]
            if remembered:
                return remembered[0].session.id, remembered[0]
            if not games:
                return ids[0], None
        raise TooBusy

    def successor(self, old: GameSession, retry_key: bytes | None) -> tuple[str, LoadedGame | None]:
        """The id of this game's rematch and, if there is one already, the rematch."""
        ids = self.keyring.successors(old.id, old.options.generation)
        for id_ in ids:
            found = self._find_or_none(id_, retry_key)
            if found:
                return id_, found
        return ids[0], None

    def confirm(self, seen: LoadedGame) -> None:
        """Return once what was found is as safe as if it had just been committed."""
        self.store.confirm(seen.session.id, seen.session.game.version, seen.nonce)

    def expires_ms(self, session: GameSession) -> int:
        """When the table is forgotten if nothing more happens."""
        return session.updated_ms + self._ttl(session)

    def _find_or_none(self, id_: str, retry_key: bytes | None) -> LoadedGame | None:
        try:
            return self.find(id_, retry_key)
        except GameNotFound:
            return None

    def _log_of(self, seen: LoadedGame, after: int = 0) -> list[LoggedEvent]:
        """The log after an event, up to the newest one that was seen.

        VersionConflict if that is not in its place any more: the game was deleted or rolled back,
        and what is there now may be another one.
        """
        newest = seen.session.game.version
        log = self.store.load_log(seen.session.id, after, newest - after)
        if not log or (log[-1].n, log[-1].nonce) != (newest, seen.nonce):
            raise VersionConflict(log[-1].n if log else 0)
        return log

    def _entries(self, log: Sequence[LoggedEvent]) -> list[LogEntry]:
        return [unpack_entry(logged.event, logged.n) for logged in paced(log, self.pause)]

    def _ttl(self, session: GameSession) -> int:
        return self.ttl_finished_ms if session.game.phase == "finished" else self.ttl_active_ms

    def _commit(
        self,
        seen: LoadedGame | None,
        id_: str,
        entry: LogEntry,
        game: Game,
        retry: IdempotencyKey | None,
    ) -> CommitResult:
        before = seen.session if seen else None
        session = after(before, entry, id_, game)
        nonce = self.entropy(NONCE_BYTES)
        duty = scheduled_work(before, session, self.clock(), nonce)
        if self.scheduler and duty:
            # Before the commit: a look in vain is harmless, a look forgotten is not.
            self.scheduler.note(duty)
        self.store.commit(
            Commit(
                id_,
                entry.event.n - 1,
                seen.stamp if seen else b"",
                pack_session(session),
                pack_entry(entry),
                self._ttl(session),
                nonce,
                entry.at_ms,
                retry.key if retry else None,
                retry.fingerprint if retry else None,
            )
        )
        count_event(before, session, entry.event)
        return CommitResult(session, nonce, entry)


def _seen(game_id: str, stored: StoredGame) -> LoadedGame:
    session = unpack_session(game_id, stored.state, stored.renewal_nonce)
    if session.game.version != stored.version:
        raise StoreDamaged(game_id)
    return LoadedGame(session, stored.nonce, stored.retry)


def retry_on_conflict(attempt: Callable[[], T], attempts: int = MOST_ATTEMPTS) -> T:
    """Carry an operation out anew as often as another event comes first, within reason."""
    for _ in range(attempts):
        try:
            return attempt()
        except VersionConflict:
            continue
    raise TooBusy
