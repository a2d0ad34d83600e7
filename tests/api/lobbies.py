"""People who look for a table, and what the lobby shows."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from secrets import randbelow, token_hex
from typing import Any
from urllib.parse import urlencode

import redis

from service.store import keys
from service.store.game_index import raw_id
from tests.api.client import Answer, Client

_KINDS = count(10 + randbelow(1_000_000))


def kind(seats: int = 2) -> dict[str, Any]:
    """A kind of table that nobody else on a shared server asks for."""
    return {"seats": seats, "turn_seconds": next(_KINDS)}


def ask(client: Client, wish: dict[str, Any], name: str = "Ada", **rest: Any) -> Answer:
    """Somebody wants to play."""
    key = rest.pop("key", None) or token_hex(16)
    more = rest.pop("body", {})
    return client.post("/v1/lobby/match", {"name": name, **wish, **more}, key=key, **rest)


def ask_at_once(client: Client, wish: dict[str, Any], people: int, **rest: Any) -> Counter[int]:
    """So many want to play at the same moment; how many tables have how many people."""
    with ThreadPoolExecutor(people) as crowd:
        names = [f"P{number}" for number in range(people)]
        answers = list(crowd.map(lambda name: ask(client, wish, name, **rest).ok(201), names))
    seats = Counter(answer.json["game"]["id"] for answer in answers)
    places = {(answer.json["game"]["id"], answer.json["seat"]) for answer in answers}
    assert len(places) == people
    return Counter(seats.values())


def lobby(client: Client, **query: Any) -> list[dict[str, Any]]:
    """All open tables, page by page."""
    rest = {"token": query.pop("token")} if "token" in query else {}
    tables, cursor = [], None
    while True:
        given = query | ({"cursor": cursor} if cursor else {})
        page = client.get(f"/v1/lobby?{urlencode({'limit': 100, **given})}", **rest).ok(200).json
        tables += page["games"]
        cursor = page["next"]
        if cursor is None:
            return tables


def shown(client: Client, game_id: str, **query: Any) -> bool:
    return game_id in [table["id"] for table in lobby(client, **query)]


def leave_alone(store_url: str, game: dict[str, Any], tenant: str | None = None) -> None:
    """Let it be three minutes since anybody at the table was seen."""
    room = keys.lobby_keys(tenant, game["seats"], game["edition"])
    with redis.Redis.from_url(store_url) as store:
        version, at, rest = store.hget(room[0], raw_id(game["id"])).split(b" ", 2)
        past = int(at) - 180_001
        store.hset(room[0], raw_id(game["id"]), b"%b %d %b" % (version, past, rest))
