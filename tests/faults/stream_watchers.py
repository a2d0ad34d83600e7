"""Watchers that follow games live through every fault, and miss and repeat nothing."""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any, Self

from tests.api.client import Client, Table
from tests.faults.acknowledged_actions import Ledger
from tests.live.streams import Stream, log_of

PAUSE = 0.3


@dataclass
class Watcher:
    """Follows one game of a ledger after the other, resuming its stream wherever it breaks off."""

    address: Callable[[], str]
    ledger: Ledger
    heard: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    breaks: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    errors: list[BaseException] = field(default_factory=list)

    def start(self) -> Self:
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        return self

    def stop(self, patience: float = 60.0) -> None:
        """End, and raise what was found wrong."""
        self.stopping.set()
        self.thread.join(patience)
        if self.errors:
            raise self.errors[0]
        assert not self.thread.is_alive(), "a watcher hangs"

    def check(self) -> int:
        """What was heard of each game is the beginning of its log; how many events those were."""
        for game_id, events in self.heard.items():
            table = Table(Client(self.address(), 30), game_id, "", [])
            assert events == log_of(table)[: len(events)], "a watcher was told another log"
        return sum(map(len, self.heard.values()))

    def _run(self) -> None:
        try:
            while not self.stopping.is_set():
                if self.ledger.entries:
                    self._follow(self.ledger.entries[-1].game_id)
                sleep(PAUSE)
        except BaseException as error:  # noqa: BLE001  # raised again where the watcher is stopped
            self.errors.append(error)

    def _follow(self, game_id: str) -> None:
        """The game to its end, or for half a minute, whatever happens meanwhile."""
        if game_id in self.heard:
            return
        events = self.heard.setdefault(game_id, [])
        last_id = None
        deadline = monotonic() + 30
        while not self.stopping.is_set() and monotonic() < deadline:
            table = Table(Client(self.address(), 10), game_id, "", [])
            try:
                with Stream(table, None, last_id, timeout=5) as stream:
                    while not self.stopping.is_set() and (message := stream.next()):
                        assert message.event != "resync", "the log was rolled back"
                        events.append(message.data)
                        last_id = message.id
                if stream.status == 204 or (events and events[-1]["end"]):
                    return
            except (OSError, http.client.HTTPException):
                pass
            self.breaks += 1
            sleep(PAUSE)
