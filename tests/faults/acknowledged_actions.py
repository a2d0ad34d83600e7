"""What clients were promised: every action that the service has acknowledged."""

import threading
from dataclasses import dataclass, field
from typing import Any

from tests.api.client import Answer


@dataclass(frozen=True)
class Acknowledged:
    """One action, the number of its event, and the answer that its caller got."""

    game_id: str
    n: int
    seat: int | None
    kind: str
    body: Any
    answer: Answer


@dataclass
class Ledger:
    """Every action acknowledged to anybody; safe to be written by many at once."""

    entries: list[Acknowledged] = field(default_factory=list)
    unanswered: list[tuple[str, str]] = field(default_factory=list)
    replays: int = 0
    retries: int = 0
    _change: threading.Condition = field(default_factory=threading.Condition)

    def acknowledge(self, entry: Acknowledged) -> None:
        with self._change:
            self.entries.append(entry)
            self._change.notify_all()

    def give_up(self, game_id: str, kind: str) -> None:
        """An action of which its caller never heard: it may have happened or not."""
        with self._change:
            self.unanswered.append((game_id, kind))

    def count(self, *, replays: int = 0, retries: int = 0) -> None:
        with self._change:
            self.replays += replays
            self.retries += retries

    def reaches(self, goal: int, patience: float) -> bool:
        """Wait until so many actions are acknowledged; False if they are not in time."""
        with self._change:
            return self._change.wait_for(lambda: len(self.entries) >= goal, patience)

    def games(self) -> dict[str, list[Acknowledged]]:
        """The actions of each game, in the order of their events."""
        found: dict[str, list[Acknowledged]] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.n):
            found.setdefault(entry.game_id, []).append(entry)
        return found
