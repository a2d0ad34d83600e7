"""Players who never give up: they repeat what was not answered, and write down what was.

An answer is a promise. `compare` holds every promise made against what the service shows.
"""

import http.client
import threading
from dataclasses import dataclass, field
from random import Random
from time import monotonic
from typing import Any
from uuid import uuid4

from tests.api.client import Answer, Client, Table
from tests.cluster.deployments import PATIENCE, until

AWAY = (503, "store_unavailable")


class GaveUp(AssertionError):
    """Nothing was answered for too long."""


@dataclass
class Player:
    """Plays games against itself, one after the other, until told to stop."""

    client: Client
    seed: int
    most_seconds: float = 2 * PATIENCE
    promises: list[tuple[Table, int, str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    refused: int = 0
    failure: BaseException | None = None

    def __post_init__(self) -> None:
        self._stopping = threading.Event()
        # A daemon, so that not even a hanging one keeps the tests from ending.
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Have it end; whatever went wrong on the way is raised here."""
        self._stopping.set()
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "a player hangs"
        if self.failure is not None:
            raise self.failure

    def has_promises(self, count: int) -> bool:
        if self.failure is not None:
            raise self.failure
        return len(self.promises) >= count

    def _run(self) -> None:
        rng = Random(self.seed)
        try:
            while not self._stopping.is_set():
                self._play_a_game(rng)
        except Stopped:
            pass
        except BaseException as failure:  # noqa: BLE001  # raised where the test waits for it
            self.failure = failure

    def _play_a_game(self, rng: Random) -> None:
        names = [{"name": "Ada"}, {"name": "Ben"}]
        made = self.insist("POST", "/v1/games", {"players": names, "auto_bid": True})
        table = Table.of(self.client, made)
        self.tables.append(table)
        self._note(table, made.json["game"])
        game = self.insist("POST", table.path("/deal"), token=table.host).json
        self._note(table, game)
        while game["status"] == "playing":
            seat = game["turn"]["seat"]
            game = self._take_turn(table, seat, rng)
            self._note(table, game)

    def _take_turn(self, table: Table, seat: int, rng: Random) -> dict[str, Any]:
        token = table.tokens[seat]
        legal = self.insist("GET", table.path("/legal-plays?limit=3&sort=points"), token=token).json
        if legal["plays"]:
            what, body = "plays", {"placements": rng.choice(legal["plays"])["placements"]}
        elif legal["may_exchange"]:
            hand = self.insist("GET", table.path("/hand"), token=token).json["tiles"]
            what, body = "exchanges", {"tiles": hand[:1]}
        else:
            what, body = "passes", None
        return self.insist("POST", table.path(f"/{what}"), body, token=token).json["game"]

    def insist(self, method: str, path: str, body: Any = None, token: str | None = None) -> Answer:
        """The answer, however often the same request has to be sent for it.

        Only a store that is away is a reason to repeat: anything else, such as a game that is
        not found, is a broken promise.
        """
        key = uuid4().hex if method == "POST" else None
        deadline = monotonic() + self.most_seconds
        while monotonic() < deadline:
            if self._stopping.is_set():
                raise Stopped
            try:
                answer = self.client.send(method, path, body, token=token, key=key)
            except (OSError, http.client.HTTPException):
                answer = None
            if answer is not None and (answer.status, answer.code) != AWAY:
                return answer.ok()
            self.refused += 1
            self._stopping.wait(0.1)
        raise GaveUp(f"{method} {path} was not answered in {self.most_seconds} seconds")

    def _note(self, table: Table, game: dict[str, Any]) -> None:
        event = game["last_event"]
        self.promises.append((table, event["n"], event["type"], game["updated_at"]))


class Stopped(Exception):
    """The player was told to stop, and had nothing to wait for any more."""


def compare(players: list[Player], client: Client) -> int:
    """How many promises there are; fails if one of them is not kept."""
    logs: dict[str, list[dict[str, Any]]] = {}
    broken = []
    kept = 0
    for player in players:
        for table, n, type_, at in player.promises:
            if table.id not in logs:
                logs[table.id] = _log(table, client)
            log = logs[table.id]
            event = log[n - 1] if n <= len(log) else {}
            if (event.get("type"), event.get("at")) == (type_, at):
                kept += 1
            else:
                broken.append((table.id, n, type_, event))
    assert not broken, f"{len(broken)} of {kept + len(broken)} promises were broken: {broken[:5]}"
    return kept


def _log(table: Table, client: Client) -> list[dict[str, Any]]:
    """The log that is shown, once anything is; a game that is not found has an empty one."""
    answers: list[Answer] = []

    def answered() -> bool:
        answers.append(client.get(table.path("/events?limit=1000")))
        return (answers[-1].status, answers[-1].code) != AWAY

    until(answered, "the store answers")
    return answers[-1].json["events"] if answers[-1].status == 200 else []
