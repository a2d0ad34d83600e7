"""Work for the workers: games that are due at a certain time, and webhook messages to send.

A game's keys share its hash slot; the workers' queue has another one. So scheduling cannot be part
of the commit that causes the work. It comes before the commit: if the commit fails, a worker checks
the game once for nothing.
"""

from dataclasses import dataclass
from secrets import token_hex
from typing import Final

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import script

SCHEDULE = script("schedule")
CLAIM_DUE = script("claim_due")
EXTEND_CLAIM = script("extend_claim")
CLAIM_WITHOUT_WORKER = script("claim_without_worker")
RESCHEDULE = script("reschedule")

AT_ONCE: Final = 0
"""A due time that has passed on every clock. Such games take turns."""

DELETED: Final = "deleted"
"""The news that a game was deleted."""

CLAIM_MS: Final = 15_000
"""How long a game stays claimed by a process that has died."""


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """The message to the webhook at ``url`` about the event with this nonce.

    ``tenant`` is whose webhook it is, None if it is the game's own. ``news`` is what the message is
    about if not about that event: `DELETED`, or something that happened after it.
    """

    url: str
    nonce: bytes
    body: bytes
    tenant: str | None = None
    news: str = ""

    @property
    def name(self) -> str:
        """Distinguishes the messages of a game."""
        mine = "" if self.tenant is None else f":{self.tenant}"
        return f"{self.nonce.hex()}{mine}:{self.news}"


@dataclass(frozen=True, slots=True)
class ScheduledWork:
    """What is to be done after the commit of a game's event number ``n``.

    ``due_ms`` is when a worker should check the game (`AT_ONCE` if immediately, None if never),
    ``messages`` what to send to webhooks.
    """

    game_id: str
    n: int
    now_ms: int
    due_ms: int | None = None
    messages: tuple[WebhookMessage, ...] = ()


class DueQueue:
    """The queue of a store, as seen by one process: a worker, or one that schedules work."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)
        self._name = token_hex(8)

    def schedule(self, work: ScheduledWork) -> None:
        """Queue the work and wake a worker; `StoreUnavailable` if that may not have happened."""
        self._executor.run_confirmed(
            SCHEDULE,
            4 + len(work.messages),
            keys.DUE,
            keys.EXPECTED_VERSIONS,
            keys.WEBHOOKS,
            keys.CLAIMS,
            *(keys.webhook_seen_key(work.game_id, each.name) for each in work.messages),
            work.game_id,
            work.n,
            work.now_ms,
            "" if work.due_ms is None else work.due_ms,
            keys.WAKE_CHANNEL,
            *(value for each in work.messages for value in _arguments(each)),
        )

    def claim_next(self, now_ms: int) -> tuple[str | None, int | None]:
        """Claim a game that is due, if there is one; also returns when the next one will be.

        The claim must be extended if the work takes long, and ended by `reschedule`: after
        `CLAIM_MS` somebody else may claim the game.
        """
        found, following = self._executor.run(
            CLAIM_DUE, 3, keys.DUE, keys.CLAIMS, keys.WORKER_ALIVE, now_ms, self._name, CLAIM_MS
        )
        id_ = None if found is None else found.decode()
        return id_, None if following is None else int(float(following))

    def extend_claim(self, game_id: str) -> None:
        """Extend the claim of a game to `CLAIM_MS` from now."""
        self._executor.run(
            EXTEND_CLAIM, 2, keys.CLAIMS, keys.WORKER_ALIVE, game_id, self._name, CLAIM_MS
        )

    def claim(self, game_id: str) -> bool:
        """Claim the game until it is rescheduled; False if somebody else takes care of it.

        That is so while any worker runs, or if the game is claimed already.
        """
        claimed = self._executor.run(
            CLAIM_WITHOUT_WORKER,
            3,
            keys.DUE,
            keys.CLAIMS,
            keys.WORKER_ALIVE,
            game_id,
            self._name,
            CLAIM_MS,
        )
        return bool(claimed)

    def reschedule(self, game_id: str, version: int, again_ms: int | None, now_ms: int) -> None:
        """Release the game, and have it checked again at `again_ms`, or never if None.

        `version` is the one that was loaded, 0 if there is no game. If a later commit was
        scheduled meanwhile, the game is checked again soon in any case.
        """
        again = "" if again_ms is None else again_ms
        queue = (keys.DUE, keys.EXPECTED_VERSIONS, keys.CLAIMS)
        self._executor.run(RESCHEDULE, 3, *queue, game_id, version, again, now_ms, self._name)


def _arguments(message: WebhookMessage) -> tuple[str | bytes | int, ...]:
    return message.nonce.hex(), message.url, message.body, message.tenant or "", message.news
