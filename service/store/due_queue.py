"""What is left to workers: games to look at when their time comes, and reports to send.

A game's own keys share its hash slot; what workers look through lies in one of its own. So a
duty cannot be part of the commit that causes it. It is noted before, as an intention: if the
commit then fails, somebody looks once in vain.
"""

from dataclasses import dataclass
from secrets import token_hex
from typing import Final, Protocol

import redis

from service.store import keys
from service.store.client import executor_for
from service.store.scripts import script

SCHEDULE = script("schedule")
CLAIM_DUE = script("claim_due")
EXTEND_CLAIM = script("extend_claim")
CLAIM_GAME = script("claim_game")
RESCHEDULE = script("reschedule")

AT_ONCE: Final = 0
"""A time to look that has come by every clock. Such games are looked at in turn."""

CLAIM_MS: Final = 15_000
"""How long a game stays with somebody who is not heard of any more."""


@dataclass(frozen=True, slots=True)
class WebhookMessage:
    """What the webhook at ``url``, which is on ``host``, is told of an event with this nonce."""

    host: str
    url: str
    nonce: bytes
    body: bytes


@dataclass(frozen=True, slots=True)
class ScheduledWork:
    """What the commit of a game's event number ``n`` leaves to do.

    ``due_ms`` is when somebody should look at the game though nobody asks (None: never, and
    perhaps `AT_ONCE`), ``message`` what its webhook is to be told (None: nothing).
    """

    game_id: str
    n: int
    now_ms: int
    due_ms: int | None = None
    message: WebhookMessage | None = None


class Scheduler(Protocol):
    """Where duties are noted before the commit that causes them, and seen to if no worker does."""

    def schedule(self, work: ScheduledWork) -> None:
        """Remember the duty and wake whoever can do it; `StoreUnavailable` if that is not sure."""

    def claim(self, game_id: str) -> bool:
        """Have the game to oneself until it is settled; False if it is left to somebody else.

        That is so while any worker is at work, or if somebody has borrowed the game before.
        """

    def reschedule(self, game_id: str, version: int, again_ms: int | None, now_ms: int) -> None:
        """Give the game back, and have it looked at again then, or not any more.

        `version` is the one that was seen, 0 for none. If a commit that leads further was
        noted meanwhile, the game is looked at again soon whatever is asked for here.
        """


class DueQueue:
    """The `Scheduler` of a client made by `service.store.client.connect`, and its workers' side."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)
        self._name = token_hex(8)

    def schedule(self, work: ScheduledWork) -> None:
        """Remember the duty and wake whoever can do it; `StoreUnavailable` if that is not sure."""
        told = work.message
        report = (told.nonce.hex(), told.host, told.url, told.body) if told else ("",)
        self._executor.run_confirmed(
            SCHEDULE,
            5,
            keys.DUE,
            keys.EXPECTED_VERSIONS,
            keys.WEBHOOKS,
            keys.webhook_seen_key(work.game_id, report[0]),
            keys.CLAIMS,
            work.game_id,
            work.n,
            work.now_ms,
            "" if work.due_ms is None else work.due_ms,
            keys.WAKE_CHANNEL,
            *report,
        )

    def claim_next(self, now_ms: int) -> tuple[str | None, int | None]:
        """A game that is due, lent to this worker, and when the next one will be.

        It has to be kept while it takes long, and settled: otherwise somebody else gets it
        after `CLAIM_MS`.
        """
        found, following = self._executor.run(
            CLAIM_DUE, 3, keys.DUE, keys.CLAIMS, keys.WORKER_ALIVE, now_ms, self._name, CLAIM_MS
        )
        id_ = None if found is None else found.decode()
        return id_, None if following is None else int(float(following))

    def extend_claim(self, game_id: str) -> None:
        """Have the loan of a game last for another `CLAIM_MS`."""
        self._executor.run(
            EXTEND_CLAIM, 2, keys.CLAIMS, keys.WORKER_ALIVE, game_id, self._name, CLAIM_MS
        )

    def claim(self, game_id: str) -> bool:
        """Have the game to oneself until it is settled; False if it is left to somebody else.

        That is so while any worker is at work, or if somebody has borrowed the game before.
        """
        lent = self._executor.run(
            CLAIM_GAME, 3, keys.DUE, keys.CLAIMS, keys.WORKER_ALIVE, game_id, self._name, CLAIM_MS
        )
        return bool(lent)

    def reschedule(self, game_id: str, version: int, again_ms: int | None, now_ms: int) -> None:
        """Give the game back, and have it looked at again then, or not any more.

        `version` is the one that was seen, 0 for none. If a commit that leads further was
        noted meanwhile, the game is looked at again soon whatever is asked for here.
        """
        again = "" if again_ms is None else again_ms
        self._executor.run(
            RESCHEDULE,
            3,
            keys.DUE,
            keys.EXPECTED_VERSIONS,
            keys.CLAIMS,
            game_id,
            version,
            again,
            now_ms,
            self._name,
        )
