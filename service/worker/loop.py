"""The loop of the background worker: bots, absent players, webhooks, and tenants' lists.

It changes games through the same use cases as requests do, so any number of workers and requests
may find the same thing due, and it still happens only once.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

from service.games.advance import load_and_advance
from service.games.autoplay import due_ms
from service.games.service import GameNotFound, Games
from service.store import keys
from service.store.base import StoreUnavailable
from service.store.due_queue import DueQueue
from service.store.pubsub import PubSub
from service.telemetry import metrics
from service.webhooks.dispatcher import Dispatcher
from service.worker.list_sweep import ListSweep

log = logging.getLogger("qwirkle")

MIN_SLEEP_MS: Final = 5
MAX_SLEEP_MS: Final = 1000
EXTEND_EVERY_MS: Final = 5000
RETRY_AFTER_ERROR_MS: Final = 60_000
ANY_VERSION: Final = 1_000_000_000


class Worker:
    """One worker. If it is killed, another one takes over its claims when they expire."""

    def __init__(
        self,
        games: Games,
        due: DueQueue,
        dispatcher: Dispatcher,
        pubsub: PubSub,
        sweep: ListSweep | None = None,
    ) -> None:
        self._games = replace(games, pause=self._extend_claim)
        self._due = due
        self._claimed: str | None = None
        self._extended_ms = 0
        self._dispatcher = dispatcher
        self._pubsub = pubsub
        self._sweep = sweep
        self._set_ready(ready=False)

    @property
    def ready(self) -> bool:
        """Whether the store answered when the worker last looked for work."""
        return self._ready

    def run(self) -> None:
        """Work until `stop`; while the store is unavailable, keep trying."""
        unavailable = False
        with self._pubsub.watch(keys.WAKE_CHANNEL) as watch:
            while not watch.ended:
                try:
                    sleep_ms = self.run_due()
                    unavailable = False
                except StoreUnavailable as error:
                    if not unavailable:
                        log.warning("The worker is waiting for the store: %s", error.reason)
                    unavailable, sleep_ms = True, MAX_SLEEP_MS
                watch.wait(sleep_ms / 1000)
        self._dispatcher.close()

    def stop(self) -> None:
        """Make `run` return once the work in progress is done."""
        self._pubsub.close()

    def run_due(self) -> int:
        """Do everything that is due now; returns how many milliseconds to sleep.

        Games take turns: a game that needs more work waits until the others had theirs.
        """
        unavailable: StoreUnavailable | None = None
        while True:
            with self._reaching_store():
                next_message = self._dispatcher.collect()
                if self._pubsub.closed:
                    return 0
                if self._sweep:
                    self._sweep.run_due()
                id_, due = self._due.claim_next(self._games.clock())
            if id_ is None:
                break
            try:
                self._run_game(id_)
            except StoreUnavailable as error:
                # In a cluster perhaps only this game's server is down: go on with the others.
                unavailable = error
        if unavailable is not None:
            raise unavailable
        now = self._games.clock()
        sleeps = [when - now for when in (next_message, due) if when is not None]
        return max(MIN_SLEEP_MS, min([MAX_SLEEP_MS, *sleeps]))

    @contextmanager
    def _reaching_store(self) -> Iterator[None]:
        """Become ready if the store answers, and unready if it does not."""
        try:
            yield
        except StoreUnavailable:
            self._set_ready(ready=False)
            raise
        self._set_ready(ready=True)

    def _set_ready(self, *, ready: bool) -> None:
        self._ready = ready
        metrics.PROCESSES.labels("worker").set(int(ready))

    def _run_game(self, game_id: str) -> None:
        """Do what is due in a game, and reschedule it."""
        version, again = 0, None
        self._claimed, self._extended_ms = game_id, self._games.clock()
        try:
            session = load_and_advance(self._games, game_id).session
            version, again = session.game.version, due_ms(session, self._games.clock())
        except GameNotFound:
            pass
        except StoreUnavailable:
            raise
        except Exception:  # one broken game must not stop the others
            log.exception("The worker failed on game %s", game_id)
            version, again = ANY_VERSION, self._games.clock() + RETRY_AFTER_ERROR_MS
        finally:
            self._claimed = None
        self._due.reschedule(game_id, version, again, self._games.clock())

    def _extend_claim(self) -> None:
        """Extend the claim on the current game; called again and again while a bot thinks."""
        now = self._games.clock()
        if self._claimed is None or 0 <= now - self._extended_ms < EXTEND_EVERY_MS:
            return
        self._extended_ms = now
        # The bot goes on thinking while the store is unavailable.
        with suppress(StoreUnavailable):
            self._due.extend_claim(self._claimed)
