"""Brings reports to webhooks: each at least once, and again for days if need be."""

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from service.games.tokens import Keyring
from service.games.webhook_urls import Targets
from service.store.base import GameStore, StoreUnavailable
from service.store.webhook_queue import Report, WebhookQueue
from service.webhooks.client import NotDelivered, post, signed_headers
from service.webhooks.keyed_executor import KeyedExecutor

log = logging.getLogger("qwirkle")

BACK_OFF_SECONDS: Final = (5, 30, 120, 600, 3600, 21_600)
"""From a failed try to the next one; after the last of them the report is dropped."""

MOST_HELD: Final = 2048
FULL_MS: Final = 50
TEND_SECONDS: Final = 10.0
"""How often to show that we are busy with what we hold, and to look for what others left."""

COMMIT_SECONDS: Final = 0.5
COMMIT_STEP_SECONDS: Final = 0.01
NEVER_CAME_MS: Final = 60_000
GONE: Final = 410


class NotYet(Exception):
    """The event is not in the log, or not there yet."""


class Dispatcher:
    """Collects reports and sends each in a lane of its host."""

    def __init__(
        self,
        store: GameStore,
        reports: WebhookQueue,
        keyring: Keyring,
        targets: Targets,
        clock: Callable[[], int],
    ) -> None:
        self._store = store
        self._reports = reports
        self._keyring = keyring
        self._targets = targets
        self._clock = clock
        self._lanes = KeyedExecutor()
        self._held: set[str] = set()
        self._tended = -TEND_SECONDS
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def collect(self) -> int | None:
        """Take what is to be sent now; returns when the next report is due, if one waits."""
        with self._lock:
            held = set(self._held)
        now, room = self._clock(), MOST_HELD - len(held)
        tending = monotonic() - self._tended > TEND_SECONDS
        found, following = self._reports.collect(now, room, held if tending else None)
        if tending:
            self._tended = monotonic()
        for report in found:
            if report.id not in held:
                self._give(report)
        # With no room left there may be more that does not say so.
        return now + FULL_MS if len(found) >= room else following

    def close(self) -> None:
        """Finish what is being sent, and leave the rest to others at once."""
        self._stopping.set()
        self._lanes.close()

    def _give(self, report: Report) -> None:
        with self._lock:
            self._held.add(report.id)
        if not self._lanes.give(report.message.host, report.game_id, lambda: self._bring(report)):
            self._later(report, BACK_OFF_SECONDS[0], failed=False)
            self._let_go(report)

    def _bring(self, report: Report) -> None:
        try:
            if self._stopping.is_set():
                self._later(report, 0, failed=False)
            else:
                self._send(report)
        except StoreUnavailable as error:
            # The report is still in the stream, and comes back when it counts as left.
            log.warning("a report waits for the store: %s", error.reason)
        finally:
            self._let_go(report)

    def _let_go(self, report: Report) -> None:
        with self._lock:
            self._held.discard(report.id)

    def _send(self, report: Report) -> None:
        try:
            self._tell(report)
        except StoreUnavailable:
            raise
        except Exception:  # one report must not stop its lane
            log.exception(
                "the report of event %d of game %s could not be sent", report.n, report.game_id
            )
            self._try_again(report)

    def _tell(self, report: Report) -> None:
        try:
            happened = self._happened(report)
        except NotYet:
            if self._clock() - report.noted_ms < NEVER_CAME_MS:
                self._later(report, 1, failed=False)
            else:
                # The commit that the report was noted for failed: nothing has happened.
                self._reports.finish(report, "void")
        else:
            if happened:
                self._deliver(report)
            else:
                self._reports.finish(report, "void")

    def _deliver(self, report: Report) -> None:
        failure = self._post(report)
        if failure is None:
            self._reports.finish(report, "delivered")
        elif failure == GONE:
            log.warning("%s was dropped: its receiver wants no more", report.message_id)
            self._reports.finish(report, "dropped")
        else:
            self._try_again(report)

    def _try_again(self, report: Report) -> None:
        if report.tries < len(BACK_OFF_SECONDS):
            self._later(report, BACK_OFF_SECONDS[report.tries], failed=True)
        else:
            log.warning(
                "the report of event %d of game %s was dropped after %d tries",
                report.n,
                report.game_id,
                report.tries + 1,
            )
            self._reports.finish(report, "dropped")

    def _happened(self, report: Report) -> bool:
        """Whether it is this event that came; it is waited for for a moment. NotYet if none did."""
        patience = monotonic() + COMMIT_SECONDS
        while True:
            log = self._store.load_log(report.game_id, report.n - 1, 1)
            if log:
                return log[0].nonce == report.message.nonce
            if monotonic() > patience or self._stopping.wait(COMMIT_STEP_SECONDS):
                raise NotYet

    def _post(self, report: Report) -> int | str | None:
        """Why the message was not accepted, or None if it was."""
        now, message, id_ = self._clock() // 1000, report.message, report.message_id
        keys = self._keyring.webhook_keys(report.game_id)
        try:
            status = post(
                message.url,
                signed_headers(id_, now, message.body, keys),
                message.body,
                self._targets,
            )
        except NotDelivered as error:
            log.info("%s was not delivered: %s", id_, error)
            return str(error)
        if 200 <= status < 300:
            return None
        log.info("%s was not accepted: status %d", id_, status)
        return status

    def _later(self, report: Report, seconds: float, *, failed: bool) -> None:
        self._reports.put_off(report, self._clock() + int(seconds * 1000), failed=failed)
