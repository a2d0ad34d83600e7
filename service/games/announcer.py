"""Tells everybody whom it concerns what is about to happen to a game, before it is committed.

A message about something that does not happen is harmless, since whoever gets it looks at the game;
a missing one stalls the game, or leaves a gap. What a commit has made obsolete is removed after it,
and may be left behind: whoever finds it looks at the game.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from service.games.feed_events import deletion, feed_event, rematch_offer
from service.games.join_codes import hold_join_code
from service.games.keyring import Keyring
from service.games.listing import announce, remove_from_left_lists, remove_from_lists
from service.games.lobby import add_to_lobby, leave_lobby
from service.games.schedule import message_to_tenant, scheduled_work
from service.games.session import GameSession, LogEntry
from service.store.base import StoreUnavailable
from service.store.due_queue import DueQueue, ScheduledWork, WebhookMessage
from service.store.game_index import FeedEvent
from service.store.redis_store import RedisGameStore


@dataclass(frozen=True, slots=True)
class Announcer:
    """Reaches the workers, the lobby, and a tenant's lists, feed and webhook."""

    store: RedisGameStore
    keyring: Keyring
    scheduler: DueQueue | None
    tenant_webhooks: Mapping[str, str]
    now_ms: int

    def event(
        self,
        before: GameSession | None,
        session: GameSession,
        entry: LogEntry,
        nonce: bytes,
        ttl_ms: int,
    ) -> int | None:
        """Announce the event between these sessions, the last one of a commit.

        Returns when the commit must have happened, in Unix milliseconds by the store's clock, if
        anybody waits for it: the feed of a tenant, or those who look for an open table.
        """
        told = None
        if session.options.tenant is not None:
            event_id = self.keyring.event_id(session.game.version, nonce)
            told = feed_event(before, session, entry, nonce, event_id)
        message = self._to_tenant(session, told)
        work = scheduled_work(before, session, self.now_ms, nonce, message)
        if self.scheduler and work:
            self.scheduler.schedule(work)
        open_until = add_to_lobby(self.store.lobby, session, ttl_ms, created=before is None)
        told_until = announce(self.store.index, session, ttl_ms, told) if told else None
        return earliest(open_until, told_until)

    def deletion(self, session: GameSession, nonce: bytes) -> int | None:
        """Announce that a game, whose newest event has this nonce, is deleted.

        Returns when that must have happened, as for an event.
        """
        if session.options.tenant is None:
            return None
        event_id = self.keyring.event_id(session.game.version, nonce)
        told = deletion(session, nonce, event_id, self.now_ms)
        return self._news(session, told, None)

    def rematch(self, session: GameSession, nonce: bytes, ttl_ms: int) -> None:
        """Announce that somebody has come to the rematch of this finished game."""
        if session.options.tenant is not None:
            event_id = self.keyring.event_id(session.game.version, nonce)
            told = rematch_offer(session, nonce, event_id, self.now_ms)
            self._news(session, told, ttl_ms)

    def clean_up(self, before: GameSession, session: GameSession) -> None:
        """Remove a game from where it no longer belongs, after the commit between these."""
        remove_from_left_lists(self.store.index, before, session)
        with suppress(StoreUnavailable):
            leave_lobby(self.store.lobby, before, session)
            if before.game.phase == "waiting" and session.game.phase != "waiting":
                # Not before the commit: if that fails, the game waits on, and needs its code.
                hold_join_code(self.store, self.keyring, session, 0)

    def clean_up_deleted(self, session: GameSession) -> None:
        """Remove a game that was deleted."""
        with suppress(StoreUnavailable):
            remove_from_lists(self.store.index, session)
            leave_lobby(self.store.lobby, session, None)

    def _news(self, session: GameSession, told: FeedEvent, ttl_ms: int | None) -> int | None:
        """Announce what is no event of the game's log."""
        message = self._to_tenant(session, told)
        if self.scheduler and message:
            version = session.game.version
            work = ScheduledWork(session.id, version, self.now_ms, messages=(message,))
            self.scheduler.schedule(work)
        return announce(self.store.index, session, ttl_ms, told)

    def _to_tenant(self, session: GameSession, told: FeedEvent | None) -> WebhookMessage | None:
        """The message to the tenant's webhook, if it has one."""
        tenant = session.options.tenant
        url = self.tenant_webhooks.get(tenant) if tenant else None
        return message_to_tenant(told, tenant, url) if told and tenant and url else None


def earliest(*times_ms: int | None) -> int | None:
    """The first of these times, of those that are given."""
    return min((time for time in times_ms if time is not None), default=None)
