"""Clients that play whole games over HTTP, whatever happens to the service meanwhile.

Each of them sits at all seats of a table of its own, sends every POST with a key, and sends it
again under the same key until it is answered. What was answered goes into the ledger. Now and
then an answered request is sent once more: the same answer must come, marked as a repetition.
"""

import http.client
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic, sleep
from typing import Any, Self
from uuid import uuid4

from tests.api.client import Answer, Client, Table
from tests.faults.acknowledged_actions import Acknowledged, Ledger

PAUSE = 0.05
AGAIN = {503}
"""What a client may be told instead of an answer while something is broken."""

IN_FLIGHT = "request_in_flight"


class GaveUp(Exception):
    """The load is over and the request was never answered."""


@dataclass
class Load:
    """So many clients at once, from `start` or the beginning of a context to its end.

    Between two turns of a game are `pace` seconds, so that there is time for others too. With
    `bots` the last seat of every table is a bot's.
    """

    address: Callable[[], str]
    clients: int = 3
    seed: int = 0
    seats: int = 2
    bots: bool = False
    pace: float = 0.03
    patience: float = 60.0
    timeout: float = 10.0
    ledger: Ledger = field(default_factory=Ledger)
    stopping: threading.Event = field(default_factory=threading.Event)
    errors: list[BaseException] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> Self:
        for number in range(self.clients):
            client = LoadClient(self, Random(self.seed * 1000 + number))
            thread = threading.Thread(target=client.run, daemon=True)
            self.threads.append(thread)
            thread.start()
        return self

    def stop(self) -> Ledger:
        """Let every client finish what it has begun; what they found wrong is raised here."""
        self.stopping.set()
        deadline = monotonic() + self.patience
        for thread in self.threads:
            thread.join(max(0.0, deadline - monotonic()))
        if self.errors:
            raise self.errors[0]
        assert not any(thread.is_alive() for thread in self.threads), "a client hangs"
        return self.ledger

    def carry_on(self, more: int) -> None:
        """Wait until so many more actions are acknowledged."""
        deadline = monotonic() + self.patience
        goal = len(self.ledger.entries) + more
        while not self.ledger.reaches(goal, 0.5):
            if self.errors:
                raise self.errors[0]
            assert monotonic() < deadline, "nothing more was acknowledged in time"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.stop()
        else:
            self.stopping.set()


@dataclass
class LoadClient:
    """One client: plays one game after the other until the load is over."""

    load: Load
    chance: Random

    def run(self) -> None:
        try:
            while not self.load.stopping.is_set():
                self.play()
        except GaveUp:
            return
        except BaseException as error:  # noqa: BLE001  # raised again where the load is stopped
            self.load.errors.append(error)

    def play(self) -> None:
        """A game to its end, or to the load's."""
        table = self.create()
        seats = [seat for seat, token in enumerate(table.tokens) if token]
        self.act(table, None, "dealt", "/deal", token=table.host)
        for seat in seats:
            longest = longest_of(self.read(table, seat, "/hand")["tiles"])
            self.act(table, seat, "bid", "/bids", {"length": longest})
        view = self.read(table, None)
        while view["status"] == "playing" and not self.load.stopping.is_set():
            seat = view["turn"]["seat"]
            # A bot's move follows by itself: whoever looks next may see it.
            view = self.turn(table, seat) if seat in seats else self.read(table, None)
            self.load.stopping.wait(self.load.pace)

    def create(self) -> Table:
        players = [{"name": f"P{seat}"} for seat in range(self.load.seats)]
        if self.load.bots:
            players[-1]["bot"] = "greedy"
        answer = self.post("/v1/games", {"players": players}, token=None)
        table = Table.of(self.client, answer)
        self.acknowledged(table, 1, None, "created", None, answer)
        return table

    def turn(self, table: Table, seat: int) -> dict[str, Any]:
        legal = self.read(table, seat, "/legal-plays?limit=6&sort=points")
        if legal["plays"] and not (legal["may_exchange"] and self.chance.random() < 0.2):
            body = {"placements": self.chance.choice(legal["plays"])["placements"]}
            return self.act(table, seat, "played", "/plays", body)
        if legal["may_exchange"]:
            hand = self.read(table, seat, "/hand")["tiles"]
            count = self.chance.randint(1, legal["may_exchange"])
            body = {"tiles": self.chance.sample(hand, count)}
            return self.act(table, seat, "exchanged", "/exchanges", body)
        return self.act(table, seat, "passed", "/passes")

    @property
    def client(self) -> Client:
        return Client(self.load.address(), self.load.timeout)

    def act(
        self,
        table: Table,
        seat: int | None,
        kind: str,
        where: str,
        body: Any = None,
        token: str | None = None,
    ) -> dict[str, Any]:
        """An action until it is acknowledged; the game view that came with it."""
        token = token if seat is None else table.tokens[seat]
        try:
            answer = self.post(table.path(where), body, token=token)
        except GaveUp:
            self.load.ledger.give_up(table.id, kind)
            raise
        view: dict[str, Any] = answer.json if kind == "dealt" else answer.json["game"]
        self.acknowledged(table, view["version"], seat, kind, body, answer)
        return view

    def acknowledged(
        self, table: Table, n: int, seat: int | None, kind: str, body: Any, answer: Answer
    ) -> None:
        self.load.ledger.acknowledge(Acknowledged(table.id, n, seat, kind, body, answer))

    def post(self, path: str, body: Any, *, token: str | None) -> Answer:
        """The first answer to a request; half the time it is asked for again and compared."""
        key = str(uuid4())
        first = self.until_answered("POST", path, body, token, key).ok()
        if self.chance.random() < 0.5:
            again = self.until_answered("POST", path, body, token, key)
            assert again.replayed, "a repeated request was carried out anew"
            assert (again.status, again.body) == (first.status, first.body), "another answer"
            self.load.ledger.count(replays=1)
        return first

    def read(self, table: Table, seat: int | None, rest: str = "") -> dict[str, Any]:
        token = None if seat is None else table.tokens[seat]
        found: dict[str, Any] = self.until_answered("GET", table.path(rest), None, token).ok().json
        return found

    def until_answered(
        self, method: str, path: str, body: Any, token: str | None, key: str | None = None
    ) -> Answer:
        """Sends the same request until it is answered, or until long after the load's end."""
        deadline = monotonic() + self.load.patience
        while True:
            try:
                answer = self.client.send(method, path, body, token=token, key=key)
                if answer.status not in AGAIN and answer.code != IN_FLIGHT:
                    return answer
            except (OSError, http.client.HTTPException):
                pass  # cut off, refused or not answered in time: nobody knows what happened
            self.load.ledger.count(retries=1)
            if monotonic() > deadline:
                raise GaveUp
            sleep(PAUSE)


def longest_of(tiles: list[str]) -> int:
    """The longest line in a hand, counted as a player would."""
    kinds = {tuple(tile.split("-")) for tile in tiles}
    return max(
        sum(kind[feature] == value for kind in kinds)
        for feature in (0, 1)
        for value in {kind[feature] for kind in kinds}
    )
