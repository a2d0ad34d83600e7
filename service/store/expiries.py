"""When games will be forgotten, so that it can be counted when they are.

The store forgets a game by itself and tells nobody. So the time is written down when a game is
created and when it ends, and whoever looks at that list in due time sees whether the game is
gone, or was played on and will be forgotten later. A play costs nothing more for it: notes are
taken down together, a moment after the commit. So the count is not exact in two rare cases: the
notes of a process that is killed in that moment are lost, and a game deleted in the moment of its
creation, through another process, may be taken for a forgotten one.
"""

import atexit
import logging
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import redis

from service.store import keys
from service.store.base import StoreUnavailable
from service.store.client import executor_for

log = logging.getLogger("qwirkle")

MOMENT: Final = 0.5
MOST_NOTES: Final = 50_000
AT_ONCE: Final = 200
GONE: Final = -2


class Expiries:
    """The list of a client's store."""

    def __init__(self, client: redis.Redis) -> None:
        self._executor = executor_for(client)
        self._notes: dict[str, int | None] = {}
        self._writing = False
        atexit.register(self.write)

    def note(self, game_id: str, expires_ms: int | None) -> None:
        """Have it written down when the game will be forgotten; None: it was deleted."""
        if len(self._notes) < MOST_NOTES:
            self._notes[game_id] = expires_ms
        if not self._writing:
            self._writing = True
            timer = threading.Timer(MOMENT, self.write)
            timer.daemon = True
            timer.start()

    def write(self) -> None:
        """Write down what was noted; what the store does not take now it is given later."""
        self._writing = False
        notes, self._notes = self._notes, {}
        try:
            self._write(notes)
        except StoreUnavailable as error:
            # Writing the same thing twice is harmless.
            self._notes = {**notes, **self._notes}
            log.debug("the times of %d games wait for the store: %s", len(notes), error.reason)

    def _write(self, notes: dict[str, int | None]) -> None:
        known: defaultdict[str, list[str | int]] = defaultdict(list)
        deleted: defaultdict[str, list[str]] = defaultdict(list)
        for game_id, expires_ms in notes.items():
            shelf = keys.expiries_key(game_id)
            if expires_ms is None:
                deleted[shelf].append(game_id)
            else:
                known[shelf] += [expires_ms, game_id]
        for shelf, pairs in known.items():
            # The earliest of several processes' notes counts: a look too early is harmless.
            self._executor.call("ZADD", shelf, "LT", *pairs)
        for shelf, ids in deleted.items():
            self._executor.call("ZREM", shelf, *ids)

    def forgotten(self, now_ms: int) -> Iterator[str]:
        """The games that are gone by now, each told to one caller alone."""
        for shelf in keys.EXPIRIES:
            due = self._executor.call(
                "ZRANGE", shelf, "-inf", now_ms, "BYSCORE", "LIMIT", 0, AT_ONCE
            )
            for each in due:
                # What is damaged is no game, and goes like one that was forgotten.
                game_id = each.decode(errors="replace")
                left_ms = self._executor.call("PTTL", keys.state_key(game_id))
                if left_ms >= 0:
                    self._executor.call("ZADD", shelf, "XX", now_ms + left_ms + 1, each)
                elif self._executor.call("ZREM", shelf, each) and left_ms == GONE:
                    yield game_id
