"""Reports to webhooks: a stream, read by all workers as one consumer group.

A report stays in the stream until it is acknowledged, so one that a killed worker had claimed goes
to another worker after a while. Reports that failed wait in a sorted set and return to the stream
when they are due.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import orjson
import redis

from service.store import keys
from service.store.client import executor_for
from service.store.due_queue import WebhookMessage
from service.store.scripts import script
from service.telemetry import metrics

CLAIM_WEBHOOKS = script("claim_webhooks")
ACK_WEBHOOK = script("ack_webhook")

ABANDONED_MS = 30_000

log = logging.getLogger("qwirkle")

Outcome = Literal["delivered", "dropped", "void"]
"""It arrived; it was given up; or the event that it was queued for was never committed."""


@dataclass(frozen=True, slots=True)
class Report:
    """The message about a game's event number ``n``, after ``tries`` failed attempts.

    ``id`` is its id in the stream, ``noted_ms`` the time just before the event was committed.
    """

    id: str
    game_id: str
    n: int
    noted_ms: int
    tries: int
    message: WebhookMessage

    @property
    def message_id(self) -> str:
        """Unique to the message, even if a rollback makes event numbers repeat."""
        return f"msg_{self.game_id}_{self.n}_{self.message.nonce.hex()}"


class WebhookQueue:
    """The reports of a store, as seen by one worker."""

    def __init__(
        self, client: redis.Redis, worker: str, *, abandoned_ms: int = ABANDONED_MS
    ) -> None:
        """``abandoned_ms``: a claimed report that is idle this long counts as abandoned."""
        self._executor = executor_for(client)
        self._worker = worker
        self._abandoned_ms = abandoned_ms

    def collect(
        self, now_ms: int, most: int, held: Iterable[str] | None = None
    ) -> tuple[list[Report], int | None]:
        """Claim reports for this worker; also returns when the next delayed one is due.

        ``held`` are the ids of those that it is still working on: their claims are extended, and
        reports that other workers abandoned are claimed too.
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
        reports = [report for each in found if (report := self._read(*each))]
        return reports, None if following is None else int(float(following))

    def finish(self, report: Report, outcome: Outcome) -> None:
        """Acknowledge the report and count its outcome."""
        self._ack(report.id, outcome, b"", 0)

    def put_off(self, report: Report, until_ms: int, *, failed: bool) -> None:
        """Retry the report at ``until_ms``; ``failed`` counts as an attempt and an outcome."""
        message = report.message
        fields = {
            "game": report.game_id,
            "n": str(report.n),
            "at": str(report.noted_ms),
            "tries": str(report.tries + failed),
            "nonce": message.nonce.hex(),
            "host": message.host,
            "url": message.url,
            "body": message.body.decode(),
        }
        flat = orjson.dumps(list(chain.from_iterable(fields.items())))
        self._ack(report.id, "failed" if failed else "", flat, until_ms)

    def outcomes(self) -> dict[str, int]:
        """How many reports had each outcome so far, and how many attempts have failed."""
        found = self._executor.call("HGETALL", keys.WEBHOOK_OUTCOMES)
        pairs = zip(found[::2], found[1::2], strict=True)
        return {name.decode(): int(count) for name, count in pairs}

    def _read(self, id_: bytes, fields: list[Any]) -> Report | None:
        """The report that was claimed; None if it is damaged, which also acknowledges it."""
        try:
            return _report(id_, fields)
        except (KeyError, ValueError):
            log.warning("a report in the store is damaged and was dropped")
            self._ack(id_, "dropped", b"", 0)
            return None

    def _ack(self, id_: bytes | str, outcome: str, fields: bytes, until_ms: int) -> None:
        self._executor.run(
            ACK_WEBHOOK,
            3,
            keys.WEBHOOKS,
            keys.DELAYED_WEBHOOKS,
            keys.WEBHOOK_OUTCOMES,
            id_,
            outcome,
            fields,
            until_ms,
        )
        if outcome:
            metrics.WEBHOOK_REPORTS.labels(outcome).inc()


def _report(id_: bytes, fields: list[Any]) -> Report:
    read = {name.decode(): value.decode() for name, value in zip(*[iter(fields)] * 2, strict=True)}
    nonce, body = bytes.fromhex(read["nonce"]), read["body"].encode()
    return Report(
        id_.decode(),
        read["game"],
        int(read["n"]),
        int(read["at"]),
        int(read["tries"]),
        WebhookMessage(read["host"], read["url"], nonce, body),
    )
