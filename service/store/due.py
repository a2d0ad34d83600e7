"""What is left to workers: games to look at when their time comes, and reports to send.

A game's own keys share its hash slot; what workers look through lies in one of its own. So a
duty cannot be part of the commit that causes it. It is noted before, as an intention: if the
commit then fails, somebody looks once in vain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import redis

from service.store import keys
from service.store.connect import line_to
from service.store.scripts import script

NOTE = script("note_duty")
TAKE = script("take_due")
SETTLE = script("settle_due")

LOAN_MS = 15_000


@dataclass(frozen=True, slots=True)
class Duty:
    """What the commit of a game's event number ``n`` leaves to do.

    ``due_ms`` is when somebody should look at the game though nobody asks (None: never),
    ``host`` whose webhook wants to hear of the event (None: nobody's).
    """

    game_id: str
    n: int
    now_ms: int
    due_ms: int | None = None
    host: str | None = None


class Agenda(Protocol):
    """Where duties are noted before the commit that causes them."""

    def note(self, duty: Duty) -> None:
        """Remember the duty and wake whoever can do it; `StoreUnavailable` if that is not sure."""


class DueGames:
    """The `Agenda` of a client made by `service.store.connect.connect`, and its workers' side."""

    def __init__(self, client: redis.Redis) -> None:
        self._line = line_to(client)

    def note(self, duty: Duty) -> None:
        """Remember the duty and wake whoever can do it; `StoreUnavailable` if that is not sure."""
        self._line.confirmed(
            NOTE,
            4,
            keys.DUE,
            keys.AWAITED,
            keys.REPORTS,
            keys.report_key(duty.game_id, duty.n),
            duty.game_id,
            duty.n,
            duty.now_ms,
            "" if duty.due_ms is None else duty.due_ms,
            duty.host or "",
            keys.WAKE_CHANNEL,
        )

    def take(self, now_ms: int, most: int) -> tuple[list[str], int | None]:
        """Games that are due, lent to the caller, and when the next one will be.

        A game that is not settled within `LOAN_MS` is due again.
        """
        ids, following = self._line.run(TAKE, 1, keys.DUE, now_ms, now_ms + LOAN_MS, most)
        return _texts(ids), None if following is None else int(float(following))

    def settle(self, game_id: str, version: int, again_ms: int | None, now_ms: int) -> None:
        """Have the game looked at again then, or not any more.

        `version` is the one that was seen, 0 for none. If a commit that leads further was
        noted meanwhile, the game is looked at again soon whatever is asked for here.
        """
        again = "" if again_ms is None else again_ms
        self._line.run(SETTLE, 2, keys.DUE, keys.AWAITED, game_id, version, again, now_ms)


def _texts(found: Sequence[bytes]) -> list[str]:
    return [each.decode() for each in found]
