"""People who do with a tenant's games whatever comes to their minds, over all breakdowns."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from random import Random
from secrets import token_hex
from time import sleep
from typing import Any

from tests.api.client import Answer, Client, Table
from tests.proxy import until

KEY = "a-key-of-acme"
REFS = ("ada", "ben", "cleo", "dan", "eve")
MOST_TABLES = 12


def insist(act: Callable[[], Answer]) -> Answer:
    """Send it again, under the same key, until it is answered."""
    while True:
        try:
            answer = act()
        except (OSError, HTTPException):
            sleep(0.05)
            continue
        if answer.status != 503:
            return answer


class Traffic:
    """Some people, each with tables of their own, until they are told to stop."""

    def __init__(self, address: Callable[[], str], people: int, seed: int) -> None:
        self._address = address
        self._stop = threading.Event()
        self.done: Counter[str] = Counter()
        self._pool = ThreadPoolExecutor(people)
        chances = [Random(seed + number) for number in range(people)]
        self._work = [self._pool.submit(self._act, chance) for chance in chances]

    def stop(self) -> None:
        self._stop.set()
        for each in self._work:
            each.result(120)
        self._pool.shutdown()

    def carry_on(self, actions: int) -> None:
        """Return once so many more actions have succeeded."""
        wanted = self.done.total() + actions
        until(lambda: self.done.total() >= wanted or any(each.done() for each in self._work), 120)

    def _act(self, chance: Random) -> None:
        tables: list[Table] = []
        while not self._stop.is_set():
            if not tables or (len(tables) < MOST_TABLES and chance.random() < 0.15):
                tables.append(self._create(chance))
                continue
            table = chance.choice(tables)
            name, key = chance.choices(list(ACTIONS), WEIGHTS)[0], token_hex(16)
            answer = insist(lambda: ACTIONS[name](self._at(table), key))  # noqa: B023
            assert answer.status < 500, answer
            self.done[name] += answer.status < 400
            if answer.status == 404 or name == "delete":
                tables.remove(table)

    def _create(self, chance: Random) -> Table:
        players = [_player(chance) for _ in range(chance.randint(0, 3))]
        body = {
            "players": players,
            "seats": max(2, len(players) + chance.randint(0, 1)),
            "auto_bid": chance.random() < 0.8,
            "auto_deal": chance.random() < 0.5,
        }
        key = token_hex(16)
        made = insist(lambda: self._client.post("/v1/games", body, token=KEY, key=key)).ok(201)
        self.done["create"] += 1
        return Table.of(self._client, made)

    def _at(self, table: Table) -> Table:
        """The table, wherever the service is by now."""
        table.client = self._client
        return table

    @property
    def _client(self) -> Client:
        return Client(self._address(), 10)


def _player(chance: Random) -> dict[str, Any]:
    return {"name": "Ada", "ref": chance.choice((*REFS, None))}


def _join(table: Table, key: str) -> Answer:
    return table.join(body=_player(Random(key)), key=key)


def _add_bot(table: Table, key: str) -> Answer:
    return table.add_bot(key=key)


def _remove(table: Table, key: str) -> Answer:
    return table.remove(Random(key).randrange(4))


def _update(table: Table, key: str) -> Answer:
    return table.update(seats=Random(key).randint(2, 4), metadata={"room": key}, key=key)


def _deal(table: Table, key: str) -> Answer:
    return table.deal(key=key)


def _take_turn(table: Table, key: str) -> Answer:
    """The player in turn lays the first play there is, or exchanges a tile, or passes."""
    looked = table.look()
    turn = looked.json.get("turn") if looked.status == 200 else None
    if not turn or turn["seat"] is None or turn["seat"] not in _people(table, looked):
        return looked
    seat = turn["seat"]
    plays = table.look(seat, "/legal-plays?limit=1")
    if plays.status != 200 or not plays.json["plays"]:
        return table.pass_turn(seat, key=key)
    return table.act(seat, "plays", {"placements": plays.json["plays"][0]["placements"]}, key=key)


def _resign(table: Table, key: str) -> Answer:
    people = _people(table, table.look())
    return table.resign(Random(key).choice(people), key=key) if people else table.look()


def _rematch(table: Table, key: str) -> Answer:
    return table.act(None, "rematch", token=table.host, key=key)


def _delete(table: Table, _key: str) -> Answer:
    return table.delete()


def _people(table: Table, looked: Answer) -> list[int]:
    """The seats of those whose tokens we have."""
    players = looked.json["players"] if looked.status == 200 else []
    return [each["seat"] for each in players if not each["bot"] and table.tokens[each["seat"] :]]


ACTIONS: dict[str, Callable[[Table, str], Answer]] = {
    "join": _join,
    "add a bot": _add_bot,
    "remove": _remove,
    "update": _update,
    "deal": _deal,
    "take a turn": _take_turn,
    "resign": _resign,
    "rematch": _rematch,
    "delete": _delete,
}
WEIGHTS = (4, 1, 1, 1, 3, 6, 2, 1, 1)
