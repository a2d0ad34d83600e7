"""Webhook messages to send: a stream, read by all workers as one consumer group.

A message stays in the stream until it is acknowledged, so one that a killed worker had claimed goes
to another worker after a while. Messages that failed wait in a sorted set and return to the stream
when they are due.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import script
from service.telemetry import metrics

CLAIM_WEBHOOKS = script("claim_webhooks")
ACK_WEBHOOK = script("ack_webhook")

ABANDONED_MS = 30_000

log = logging.getLogger("qwirkle")


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """The message about a game's event number ``n``, after ``tries`` failed attempts.

    ``id`` is its id in the stream, ``queued_ms`` the time just before the event was committed.
    ``tenant`` and ``news`` are as in `WebhookMessage`.
    """

    id: str
    game_id: str
    n: int
    nonce: bytes
    queued_ms: int
    tries: int
    url: str
    body: bytes
    tenant: str | None = None
    news: str = ""

    @property
    def message_id(self) -> str:
        """Unique to the message, even if a rollback makes event numbers repeat."""
        of_feed = "" if self.tenant is None else "_feed"
        news = f"_{self.news}" if self.news else ""
        return f"msg_{self.game_id}_{self.n}_{self.nonce.hex()}{of_feed}{news}"


class WebhookQueue:
    """The messages of a store, as seen by one worker."""

    def __init__(
        self, client: redis.Redis, worker: str, *, abandoned_ms: int = ABANDONED_MS
    ) -> None:
        """``abandoned_ms``: a claimed message that is idle this long counts as abandoned."""
        self._executor = executor_for(client)
        self._worker = worker
        self._abandoned_ms = abandoned_ms

    def claim(
        self, now_ms: int, most: int, held: Iterable[str] | None = None
    ) -> tuple[list[QueuedMessage], int | None]:
        """Claim messages for this worker; also returns when the next delayed one is due.

        ``held`` are the ids of those that it is still working on: their claims are extended, and
        messages that other workers abandoned are claimed too.
        """
        found, following = self._executor.run(
            CLAIM_WEBHOOKS,
            2,
            keys.WEBHOOKS,
            keys.DELAYED_WEBHOOKS,
            self._worker,
            now_ms,
            most,
            "" if held is None else self._abandoned_ms,
            " ".join(held or ()),
        )
        messages = [message for each in found if (message := self._read(*each))]
        return messages, None if following is None else int(float(following))

    def ack(self, id_: str) -> None:
        """Acknowledge the message with this id: it is done."""
        self._executor.run(ACK_WEBHOOK, 2, keys.WEBHOOKS, keys.DELAYED_WEBHOOKS, id_)

    def put_off(self, message: QueuedMessage, until_ms: int, *, failed: bool) -> None:
        """Have the message claimed again at ``until_ms``; ``failed`` counts as an attempt."""
        queue, tries = (keys.WEBHOOKS, keys.DELAYED_WEBHOOKS), message.tries + failed
        self._executor.run(ACK_WEBHOOK, 2, *queue, message.id, until_ms, tries)

    def _read(self, id_: bytes, fields: list[Any]) -> QueuedMessage | None:
        """The message that was claimed; None if it is damaged, which also acknowledges it."""
        try:
            read = {key.decode(): value for key, value in zip(*[iter(fields)] * 2, strict=True)}
            return QueuedMessage(
                id_.decode(),
                read["game"].decode(),
                int(read["n"]),
                bytes.fromhex(read["nonce"].decode()),
                int(read["at"]),
                int(read["tries"]),
                read["url"].decode(),
                read["body"],
                read["tenant"].decode() or None,
                read["news"].decode(),
            )
        except (KeyError, ValueError):
            log.warning("a webhook message in the store is damaged and was dropped")
            self.ack(id_.decode())
            metrics.WEBHOOK_MESSAGES.labels("dropped").inc()
            return None
