"""Load a game, commit what a rule made of it.

Nothing here knows of HTTP. Time and randomness are passed in. Every write names the state it
was based on; if another event came first, the operation runs again on the newer state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from service.games.announcer import Announcer, earliest
from service.games.autoplay import REQUEST_POLICY, BotPolicy
from service.games.codec import pack_entry, pack_session, unpack_entry, unpack_session
from service.games.idempotency_key import IdempotencyKey
from service.games.join_codes import hold_join_code
from service.games.keyring import Keyring, Viewer
from service.games.metrics import count_event
from service.games.session import (
    UPDATABLE,
    GameOptions,
    GameSession,
    LogEntry,
    after,
    replayed,
    with_metadata,
)
from service.rules.actions import Step
from service.rules.yielding import Pause, no_pause, paced
from service.store.base import (
    NONCE_BYTES,
    Commit,
    IdempotencyEntry,
    LoggedEvent,
    StateUpdate,
    StoreDamaged,
    StoredGame,
    VersionConflict,
)
from service.store.due_queue import DueQueue
from service.store.redis_store import RedisGameStore
from service.telemetry import metrics

MOST_ATTEMPTS = 8
GENERATION_BYTES = 6


class GameNotFound(Exception):
    """No game has this id, or it no longer exists."""


class TooBusy(Exception):
    """Other requests kept changing the game during every attempt."""


class LoadedGame(NamedTuple):
    """A session as loaded, the nonce of its newest event, and the saved request, if any."""

    session: GameSession
    nonce: bytes
    retry: IdempotencyEntry | None = None

    @property
    def stamp(self) -> bytes:
        """What identifies this state; every write to the game names the stamp it was based on."""
        return self.nonce + self.session.update_nonce


class LoggedEntry(NamedTuple):
    """An entry of a game's log, and the nonce of its event."""

    entry: LogEntry
    nonce: bytes


class CommitResult(NamedTuple):
    """The outcome of an action: the session right after it, its nonce, its entry in the log."""

    session: GameSession
    nonce: bytes
    entry: LogEntry


@dataclass(frozen=True)
class Games:
    """All games of a store. ``clock`` gives Unix milliseconds, ``entropy`` random bytes."""

    store: RedisGameStore
    keyring: Keyring
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    ttl_active_ms: int
    ttl_finished_ms: int
    bot_policy: BotPolicy = REQUEST_POLICY
    scheduler: DueQueue | None = None
    pause: Pause = no_pause
    tenant_webhooks: Mapping[str, str] = field(default_factory=dict)

    def load(self, game_id: str, retry_key: bytes | None = None) -> LoadedGame:
        """The game as stored, with the request saved under the key; one round trip."""
        stored = self.store.load(game_id, retry_key, now_ms=self.clock())
        if stored is None:
            raise GameNotFound(game_id)
        return _loaded(game_id, stored)

    def load_to_delete(self, game_id: str) -> LoadedGame:
        """The game as stored. GameNotFound is raised only once its absence is durable."""
        try:
            return self.load(game_id)
        except GameNotFound:
            self.store.confirm_deleted(game_id)
            raise

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[LoadedGame, list[LoggedEntry]]:
        """The game as stored and its log after an event; one round trip."""
        found = self.store.load_with_log(game_id, after, limit)
        if found is None:
            raise GameNotFound(game_id)
        stored, log = found
        entries = self.unpack_log(log)
        return _loaded(game_id, stored), [
            LoggedEntry(entry, each.nonce) for entry, each in zip(entries, log, strict=True)
        ]

    def entries_up_to(self, loaded: LoadedGame, version: int) -> list[LogEntry]:
        """The entries of the game's log up to and including event number ``version``.

        VersionConflict if the log no longer belongs to the game as loaded.
        """
        return self.unpack_log(self.log_of(loaded)[:version])

    def log_of(self, loaded: LoadedGame, after: int = 0) -> list[LoggedEvent]:
        """The log after an event, up to the newest one that was loaded.

        VersionConflict if that event is no longer there: the game was deleted or rolled back,
        and a different one may have its id now.
        """
        newest = loaded.session.game.version
        log = self.store.load_log(loaded.session.id, after, newest - after)
        if not log or (log[-1].n, log[-1].nonce) != (newest, loaded.nonce):
            raise VersionConflict(log[-1].n if log else 0)
        return log

    def unpack_log(self, log: Sequence[LoggedEvent]) -> list[LogEntry]:
        """The entries that these stored events hold."""
        return [unpack_entry(logged.event, logged.n) for logged in paced(log, self.pause)]

    def create(
        self, step: Step, options: GameOptions, retry: IdempotencyKey | None, *, id_: str
    ) -> CommitResult:
        """Commit a new game under an id of ``new_game_id``; VersionConflict if it is taken."""
        entry = LogEntry(self.clock(), step.event, options)
        return self.create_with_log([entry], retry, id_=id_)

    def create_with_log(
        self,
        entries: Sequence[LogEntry],
        retry: IdempotencyKey | None,
        *,
        id_: str,
        not_after_ms: int | None = None,
    ) -> CommitResult:
        """Commit a new game with all of these entries; VersionConflict if ``id_`` is taken.

        The same if it is later than ``not_after_ms`` by the store's clock.

        Its token generation is random: no token of another game is valid here, even if that game
        had the same id. A waiting game gets a join code that no other has.
        """
        created, *others = entries
        while True:
            generation = int.from_bytes(self.entropy(GENERATION_BYTES), "big")
            options = replace(created.options or GameOptions(), generation=generation)
            entries = [replace(created, options=options), *others]
            session = replayed(id_, entries, pause=self.pause)
            if session.game.phase != "waiting" or self.hold_join_code(session):
                return self._commit(None, session, entries, retry, not_after_ms)

    def commit_step(
        self,
        loaded: LoadedGame,
        step: Step,
        retry: IdempotencyKey | None = None,
        *,
        ref: str | None = None,
        returning: bool = False,
        options: GameOptions | None = None,
    ) -> CommitResult:
        """Commit the step of an action; VersionConflict if the game has changed since loading.

        ``ref`` and ``returning`` belong to the entry of a player who joins; ``options`` are those
        after an update.
        """
        # A clock that was set back must not make the times in the log run backwards.
        now = max(self.clock(), loaded.session.updated_ms)
        changes = {name: getattr(options, name) for name in UPDATABLE} if options else None
        entry = LogEntry(now, step.event, ref=ref, returning=returning, changes=changes)
        session = after(loaded.session, entry, loaded.session.id, step.game)
        if options:
            session = with_metadata(session, options.metadata)
        return self._commit(loaded, session, [entry], retry)

    def update_state(
        self,
        loaded: LoadedGame,
        session: GameSession,
        retry: IdempotencyKey | None = None,
        number: int = 0,
    ) -> LoadedGame:
        """Replace the session without an event: by one with a new token, metadata or offer.

        The request is saved with ``number`` in place of a version. VersionConflict if the game has
        changed since loading.
        """
        nonce = self.entropy(NONCE_BYTES)
        entry = retry.entry(number, self.clock()) if retry else None
        update = StateUpdate(session.id, loaded.stamp, pack_session(session), nonce, entry)
        self.store.update_state(update)
        return LoadedGame(replace(session, update_nonce=nonce), loaded.nonce)

    def token(self, session: GameSession, viewer: Viewer) -> str:
        """The valid token of the host or a player."""
        return self.keyring.token(session.id, viewer, session.token_generations[viewer.place])

    def hold_join_code(self, session: GameSession) -> bool:
        """Let the game be found by its join code; False if another game has that code."""
        return hold_join_code(self.store, self.keyring, session, self.ttl_active_ms)

    def delete(self, loaded: LoadedGame) -> None:
        """Delete the game; VersionConflict if it has changed since loading."""
        not_after = self.announcer.deletion(loaded.session, loaded.nonce)
        if not self.store.delete(loaded.session.id, loaded.stamp, not_after):
            raise GameNotFound(loaded.session.id)
        self.announcer.clean_up_deleted(loaded.session)
        metrics.GAMES_DELETED.inc()

    def confirm(self, loaded: LoadedGame) -> None:
        """Return once the game as loaded is as durable as one just committed.

        VersionConflict if it has changed since loading.
        """
        self.store.confirm(loaded.session.id, loaded.stamp)

    def expires_ms(self, session: GameSession) -> int:
        """When the game expires if nothing more happens."""
        return session.updated_ms + self._ttl(session)

    def _ttl(self, session: GameSession) -> int:
        return self.ttl_finished_ms if session.game.phase == "finished" else self.ttl_active_ms

    @property
    def announcer(self) -> Announcer:
        """What tells others of a change to a game."""
        return Announcer(
            self.store, self.keyring, self.scheduler, self.tenant_webhooks, self.clock()
        )

    def _commit(
        self,
        loaded: LoadedGame | None,
        session: GameSession,
        entries: Sequence[LogEntry],
        retry: IdempotencyKey | None,
        not_after_ms: int | None = None,
    ) -> CommitResult:
        """Commit the session after the entries; unless it is new, ``loaded`` is the one before."""
        before = loaded.session if loaded else None
        events = tuple(
            LoggedEvent(entry.event.n, self.entropy(NONCE_BYTES), pack_entry(entry))
            for entry in paced(entries, self.pause)
        )
        nonce, version = events[-1].nonce, session.game.version
        ttl_ms = self._ttl(session)
        announced = self.announcer.event(before, session, entries[-1], nonce, ttl_ms)
        not_after = earliest(announced, not_after_ms)
        if before and session.game.phase == "waiting":
            self.hold_join_code(session)
        self.store.commit(
            Commit(
                session.id,
                loaded.stamp if loaded else b"",
                pack_session(session),
                events,
                ttl_ms,
                retry.entry(version, session.updated_ms) if retry else None,
                not_after,
            )
        )
        if before:
            self.announcer.clean_up(before, session)
        count_event(before, session, entries[0].event)
        return CommitResult(session, nonce, entries[-1])


def _loaded(game_id: str, stored: StoredGame) -> LoadedGame:
    session = unpack_session(game_id, stored.state, stored.update_nonce)
    if session.game.version != stored.version:
        raise StoreDamaged(game_id)
    return LoadedGame(session, stored.nonce, stored.idempotency)
