"""Delivers reports to webhooks at least once, with retries over hours."""

import logging
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

from service.games.tokens import Keyring
from service.games.webhook_urls import Targets
from service.store.base import StoreUnavailable
from service.store.redis_store import RedisGameStore
from service.store.webhook_queue import Report, WebhookQueue
from service.webhooks.client import NotDelivered, post, signed_headers
from service.webhooks.keyed_executor import KeyedExecutor

log = logging.getLogger("qwirkle")

BACK_OFF_SECONDS: Final = (5, 30, 120, 600, 3600, 21_600)
"""Delays between attempts; after the last one the report is dropped."""

MAX_CLAIMED: Final = 2048
FULL_MS: Final = 50
RENEW_SECONDS: Final = 10.0
"""How often to renew our claims, and to look for reports that other workers have abandoned."""

COMMIT_SECONDS: Final = 0.5
COMMIT_POLL_SECONDS: Final = 0.01
COMMIT_FAILED_MS: Final = 60_000
GONE: Final = 410


class NotYet(Exception):
    """The event is not in the game's log, or not yet."""


class Dispatcher:
    """Claims reports and sends them, those of each host by themselves."""

    def __init__(
        self,
        store: RedisGameStore,
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
        self._executor = KeyedExecutor()
        self._claimed: set[str] = set()
        self._renewed = -RENEW_SECONDS
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def collect(self) -> int | None:
        """Claim the reports that are due; returns when the next one is, if there is one."""
        with self._lock:
            claimed = set(self._claimed)
        now, room = self._clock(), MAX_CLAIMED - len(claimed)
        renewing = monotonic() - self._renewed > RENEW_SECONDS
        found, following = self._reports.collect(now, room, claimed if renewing else None)
        if renewing:
            self._renewed = monotonic()
        for report in found:
            if report.id not in claimed:
                self._start(report)
        # Without room for more there may be others that are due.
        return now + FULL_MS if len(found) >= room else following

    def close(self) -> None:
        """Finish what is being sent, and release the rest for other workers."""
        self._stopping.set()
        self._executor.close()

    def _start(self, report: Report) -> None:
        with self._lock:
            self._claimed.add(report.id)
        if not self._executor.submit(
            report.message.host, report.game_id, lambda: self._run(report)
        ):
            self._postpone(report, BACK_OFF_SECONDS[0], failed=False)
            self._release(report)

    def _run(self, report: Report) -> None:
        try:
            if self._stopping.is_set():
                self._postpone(report, 0, failed=False)
            else:
                self._send(report)
        except StoreUnavailable as error:
            # The report stays in the stream, and is claimed again when our claim expires.
            log.warning("A report is waiting for the store: %s", error.reason)
        finally:
            self._release(report)

    def _release(self, report: Report) -> None:
        with self._lock:
            self._claimed.discard(report.id)

    def _send(self, report: Report) -> None:
        try:
            self._send_if_committed(report)
        except StoreUnavailable:
            raise
        except Exception:  # one report must not stop the others of its host
            log.exception(
                "The report of event %d of game %s could not be sent", report.n, report.game_id
            )
            self._retry(report)

    def _send_if_committed(self, report: Report) -> None:
        try:
            committed = self._was_committed(report)
        except NotYet:
            if self._clock() - report.noted_ms < COMMIT_FAILED_MS:
                self._postpone(report, 1, failed=False)
            else:
                # The commit that this report was for has failed.
                self._reports.finish(report, "void")
        else:
            if committed:
                self._deliver(report)
            else:
                self._reports.finish(report, "void")

    def _deliver(self, report: Report) -> None:
        failure = self._post(report)
        if failure is None:
            self._reports.finish(report, "delivered")
        elif failure == GONE:
            log.warning("%s was dropped: its receiver is gone", report.message_id)
            self._reports.finish(report, "dropped")
        else:
            self._retry(report)

    def _retry(self, report: Report) -> None:
        if report.tries < len(BACK_OFF_SECONDS):
            self._postpone(report, BACK_OFF_SECONDS[report.tries], failed=True)
        else:
            log.warning(
                "The report of event %d of game %s was dropped after %d attempts",
                report.n,
                report.game_id,
                report.tries + 1,
            )
            self._reports.finish(report, "dropped")

    def _was_committed(self, report: Report) -> bool:
        """Whether this event was committed. Waits a moment for it; NotYet if there is none."""
        deadline = monotonic() + COMMIT_SECONDS
        while True:
            log = self._store.load_log(report.game_id, report.n - 1, 1)
            if log:
                return log[0].nonce == report.message.nonce
            if monotonic() > deadline or self._stopping.wait(COMMIT_POLL_SECONDS):
                raise NotYet

    def _post(self, report: Report) -> int | str | None:
        """Send the message; returns why it was not accepted, or None if it was."""
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

    def _postpone(self, report: Report, seconds: float, *, failed: bool) -> None:
        self._reports.put_off(report, self._clock() + int(seconds * 1000), failed=failed)
