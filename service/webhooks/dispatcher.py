"""Delivers webhook messages at least once, with retries over hours."""

import logging
import threading
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from typing import Final, Literal

from service.games.keyring import Keyring
from service.games.webhook_urls import Targets, host_of, only
from service.store.base import StoreUnavailable
from service.store.due_queue import DELETED
from service.store.redis_store import RedisGameStore
from service.store.webhook_queue import QueuedMessage, WebhookQueue
from service.telemetry import metrics
from service.webhooks.client import NotDelivered, post, signed_headers
from service.webhooks.keyed_executor import KeyedExecutor

log = logging.getLogger("qwirkle")

BACK_OFF_SECONDS: Final = (5, 30, 120, 600, 3600, 21_600)
"""Delays between attempts; after the last one the message is dropped."""

MAX_CLAIMED: Final = 2048
FULL_MS: Final = 50
EXTEND_SECONDS: Final = 10.0
"""How often to extend our claims, and to look for messages that other workers have abandoned."""

COMMIT_SECONDS: Final = 0.5
COMMIT_POLL_SECONDS: Final = 0.01
COMMIT_RETRY_SECONDS: Final = 1
COMMIT_FAILED_MS: Final = 60_000
GONE: Final = 410

Outcome = Literal["delivered", "failed", "dropped", "void"]
"""It arrived; an attempt failed; it was given up; or its event was never committed."""


class Dispatcher:
    """Claims messages and sends them, those of each host by themselves."""

    def __init__(
        self,
        store: RedisGameStore,
        queue: WebhookQueue,
        keyring: Keyring,
        targets: Targets,
        clock: Callable[[], int],
        *,
        tenant_urls: Mapping[str, str] | None = None,
    ) -> None:
        """``tenant_urls`` are the webhooks of tenants, which the operator has set."""
        self._store = store
        self._queue = queue
        self._keyring = keyring
        self._targets = targets
        self._clock = clock
        self._tenant_urls = tenant_urls or {}
        self._executor = KeyedExecutor()
        self._claimed: set[str] = set()
        self._extended = -EXTEND_SECONDS
        self._lock = threading.Lock()
        self._stopping = threading.Event()

    def collect(self) -> int | None:
        """Claim the messages that are due; returns when the next one is, if there is one."""
        with self._lock:
            claimed = set(self._claimed)
        now, room = self._clock(), MAX_CLAIMED - len(claimed)
        extending = monotonic() - self._extended > EXTEND_SECONDS
        found, following = self._queue.claim(now, room, claimed if extending else None)
        if extending:
            self._extended = monotonic()
        for message in found:
            if message.id not in claimed:
                self._start(message)
        # Without room for more there may be others that are due.
        return now + FULL_MS if len(found) >= room else following

    def close(self) -> None:
        """Finish what is being sent, and release the rest for other workers."""
        self._stopping.set()
        self._executor.close()

    def _start(self, message: QueuedMessage) -> None:
        with self._lock:
            self._claimed.add(message.id)
        task = partial(self._run, message)
        if not self._executor.submit(host_of(message.url), message.game_id, task):
            self._put_off(message, BACK_OFF_SECONDS[0])
            self._release(message)

    def _run(self, message: QueuedMessage) -> None:
        """Deliver the message, or put it off; never raises."""
        try:
            if self._stopping.is_set():
                self._put_off(message, 0)
            else:
                self._finish(message, self._deliver(message))
        except StoreUnavailable as error:
            # The message stays in the stream, and is claimed again when our claim expires.
            log.warning("A webhook message is waiting for the store: %s", error.reason)
        finally:
            self._release(message)

    def _release(self, message: QueuedMessage) -> None:
        with self._lock:
            self._claimed.discard(message.id)

    def _finish(self, message: QueuedMessage, outcome: Outcome | None) -> None:
        if outcome is None:
            self._put_off(message, COMMIT_RETRY_SECONDS)
            return
        if outcome == "failed" and message.tries < len(BACK_OFF_SECONDS):
            self._put_off(message, BACK_OFF_SECONDS[message.tries], failed=True)
        else:
            if outcome in ("failed", "dropped"):
                outcome = "dropped"
                log.warning(
                    "%s was dropped after %d attempts", message.message_id, message.tries + 1
                )
            self._queue.ack(message.id)
        metrics.WEBHOOK_MESSAGES.labels(outcome).inc()

    def _put_off(self, message: QueuedMessage, seconds: int, *, failed: bool = False) -> None:
        self._queue.put_off(message, self._clock() + seconds * 1000, failed=failed)

    def _deliver(self, message: QueuedMessage) -> Outcome | None:
        """Send the message if its event was committed; None if that may still happen."""
        try:
            committed = self._was_committed(message)
            if committed is None and self._clock() - message.queued_ms < COMMIT_FAILED_MS:
                return None
            return self._send(message) if committed else "void"
        except StoreUnavailable:
            raise
        except Exception:  # one message must not stop the others of its host
            log.exception("%s could not be sent", message.message_id)
            return "failed"

    def _was_committed(self, message: QueuedMessage) -> bool | None:
        """Whether this event was committed, or its game deleted; None if not after a moment."""
        deadline, deleted = monotonic() + COMMIT_SECONDS, message.news == DELETED
        while True:
            log = self._store.load_log(message.game_id, message.n - 1, 1)
            there = bool(log) and log[0].nonce == message.nonce
            if deleted and not there:
                return True
            if log and not deleted:
                return there
            if monotonic() > deadline or self._stopping.wait(COMMIT_POLL_SECONDS):
                return None

    def _send(self, message: QueuedMessage) -> Outcome:
        now, id_, tenant = self._clock() // 1000, message.message_id, message.tenant
        if tenant is None:
            signing, targets = self._keyring.webhook_keys(message.game_id), self._targets
        else:
            signing = self._keyring.tenant_webhook_keys(tenant)
            url = self._tenant_urls.get(tenant)
            if url != message.url:
                log.info("%s is not sent: its webhook is no longer set", id_)
                return "dropped"
            targets = only(url)
        headers = signed_headers(id_, now, message.body, signing)
        try:
            status = post(message.url, headers, message.body, targets)
        except NotDelivered as error:
            log.info("%s was not delivered: %s", id_, error)
            return "failed"
        if 200 <= status < 300:
            return "delivered"
        log.info("%s was not accepted: status %d", id_, status)
        return "dropped" if status == GONE else "failed"
