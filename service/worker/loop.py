"""Looks at games when their time comes, and has reports sent: until it is told to stop.

Everything it does on a game goes through the use cases, so any number of workers, and
requests beside them, may notice the same thing: it happens once.
"""

import logging
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Final

from service.games.advance import load_and_advance
from service.games.autoplay import due_ms
from service.games.service import GameNotFound, Games
from service.store.base import StoreUnavailable
from service.store.due_queue import DueQueue
from service.store.wakeup import Wakeup
from service.webhooks.dispatcher import Dispatcher

log = logging.getLogger("qwirkle")

SHORTEST_NAP_MS: Final = 5
LONGEST_NAP_MS: Final = 1000
KEEP_MS: Final = 5000
AFTER_A_FAILURE_MS: Final = 60_000
ANY_VERSION: Final = 1_000_000_000


class Worker:
    """One worker. Whatever it has taken when it is killed, another one takes after a while."""

    def __init__(self, games: Games, due: DueQueue, dispatcher: Dispatcher, wakeup: Wakeup) -> None:
        self._games = replace(games, pause=self._keep)
        self._due = due
        self._held: str | None = None
        self._kept_ms = 0
        self._dispatcher = dispatcher
        self._wakeup = wakeup
        self._stopping = threading.Event()

    def run(self) -> None:
        """Work until `stop`; a store that is away is waited for."""
        self._wakeup.listen()
        away = False
        while not self._stopping.is_set():
            try:
                nap_ms = self.look_round()
                away = False
            except StoreUnavailable as error:
                if not away:
                    log.warning("the worker waits for the store: %s", error.reason)
                away, nap_ms = True, LONGEST_NAP_MS
            self._wakeup.wait(nap_ms / 1000)
        self._dispatcher.close()
        self._wakeup.close()

    def stop(self) -> None:
        """Have `run` return once what is under way is done."""
        self._stopping.set()
        self._wakeup.wake()

    def look_round(self) -> int:
        """Do all that is due now; returns the milliseconds until the next look.

        Games take turns: each gets its share, and comes again after all others that wait.
        """
        away: StoreUnavailable | None = None
        while True:
            reported = self._dispatcher.collect()
            if self._stopping.is_set():
                return 0
            id_, due = self._due.claim_next(self._games.clock())
            if id_ is None:
                break
            try:
                self._look_at(id_)
            except StoreUnavailable as error:
                # Of many servers perhaps this game's alone is away; the others' games go on.
                away = error
        if away is not None:
            raise away
        now = self._games.clock()
        naps = [when - now for when in (reported, due) if when is not None]
        return max(SHORTEST_NAP_MS, min([LONGEST_NAP_MS, *naps]))

    def _look_at(self, game_id: str) -> None:
        """Do what is overdue on a game, and say when to look at it again."""
        version, again = 0, None
        self._held, self._kept_ms = game_id, self._games.clock()
        try:
            session = load_and_advance(self._games, game_id).session
            version, again = session.game.version, due_ms(session, self._games.clock())
        except GameNotFound:
            pass
        except StoreUnavailable:
            raise
        except Exception:  # one game must not stop the others
            log.exception("game %s could not be looked at", game_id)
            version, again = ANY_VERSION, self._games.clock() + AFTER_A_FAILURE_MS
        finally:
            self._held = None
        self._due.reschedule(game_id, version, again, self._games.clock())

    def _keep(self) -> None:
        """Keep the game that a long thought is about, now and then; called in its course."""
        now = self._games.clock()
        if self._held is None or 0 <= now - self._kept_ms < KEEP_MS:
            return
        self._kept_ms = now
        # A store that is away for a moment is no reason to stop thinking.
        with suppress(StoreUnavailable):
            self._due.extend_claim(self._held)
