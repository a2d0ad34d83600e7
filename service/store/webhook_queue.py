"""Reports to webhooks that wait to be sent: a stream, read by all workers as one group.

A report stays in the stream until it is struck off, so one that a worker took and left (it
was killed) comes to another worker after a while. Reports that failed wait in a sorted set
and come back to the stream when their time has come.
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

LEFT_MS = 30_000

log = logging.getLogger("qwirkle")

Outcome = Literal["delivered", "dropped", "void"]
"""It arrived; it was given up; or the event that it was noted for never came."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is to be told of a game's event number ``n`` once it is there; ``tries`` have failed.

    ``id`` is its place in the stream, ``noted_ms`` when the event was about to be committed.
    """

    id: str
    game_id: str
    n: int
    noted_ms: int
    tries: int
    message: WebhookMessage

    @property
    def message_id(self) -> str:
        """Names the message, and none of an event that had its number before a rollback."""
        return f"msg_{self.game_id}_{self.n}_{self.message.nonce.hex()}"


class WebhookQueue:
    """All reports of a store, for one worker of that name."""

    def __init__(self, client: redis.Redis, worker: str, *, left_ms: int = LEFT_MS) -> None:
        """``left_ms``: how long nobody may be busy with a report before it counts as left."""
        self._executor = executor_for(client)
        self._worker = worker
        self._left_ms = left_ms

    def collect(
        self, now_ms: int, most: int, held: Iterable[str] | None = None
    ) -> tuple[list[Report], int | None]:
        """Reports for this worker, and when the next one that was put off will be due.

        With the ids of those it still holds, these stay its own for another while, and what
        other workers have left is taken over.
        """
        found, following = self._executor.run(
            CLAIM_WEBHOOKS,
            2,
            keys.WEBHOOKS,
            keys.DELAYED_WEBHOOKS,
            self._worker,
            now_ms,
            most,
            "" if held is None else self._left_ms,
            " ".join(held or ()),
        )
        reports = [report for each in found if (report := self._read(*each))]
        return reports, None if following is None else int(float(following))

    def finish(self, report: Report, outcome: Outcome) -> None:
        """Strike the report off and count what became of it."""
        self._strike(report.id, outcome, b"", 0)

    def put_off(self, report: Report, until_ms: int, *, failed: bool) -> None:
        """Have the report come back then; if it has failed that is counted, and held against it."""
        told = report.message
        fields = {
            "game": report.game_id,
            "n": str(report.n),
            "at": str(report.noted_ms),
            "tries": str(report.tries + failed),
            "nonce": told.nonce.hex(),
            "host": told.host,
            "url": told.url,
            "body": told.body.decode(),
        }
        flat = orjson.dumps(list(chain.from_iterable(fields.items())))
        self._strike(report.id, "failed" if failed else "", flat, until_ms)

    def outcomes(self) -> dict[str, int]:
        """How many reports had which outcome so far, and how many tries have failed."""
        found = self._executor.call("HGETALL", keys.WEBHOOK_OUTCOMES)
        pairs = zip(found[::2], found[1::2], strict=True)
        return {name.decode(): int(count) for name, count in pairs}

    def _read(self, id_: bytes, fields: list[Any]) -> Report | None:
        """What was handed out; None if it is damaged: it is struck off, and stops no other."""
        try:
            return _report(id_, fields)
        except (KeyError, ValueError):
            log.warning("a report in the store is damaged, and was dropped")
            self._strike(id_, "dropped", b"", 0)
            return None

    def _strike(self, id_: bytes | str, outcome: str, fields: bytes, until_ms: int) -> None:
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
    told = {name.decode(): value.decode() for name, value in zip(*[iter(fields)] * 2, strict=True)}
    nonce, body = bytes.fromhex(told["nonce"]), told["body"].encode()
    return Report(
        id_.decode(),
        told["game"],
        int(told["n"]),
        int(told["at"]),
        int(told["tries"]),
        WebhookMessage(told["host"], told["url"], nonce, body),
    )
