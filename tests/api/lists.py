"""A tenant's lists as they are read page by page, and as they should be by a look at all games."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import redis

from service.games.codec import unpack_session
from service.games.listing import refs_of
from service.games.session import GameSession
from service.store.client import connect
from service.store.game_index import raw_id
from service.store.redis_store import RedisGameStore
from tests.api.client import Client

Row = dict[str, Any]


def page(client: Client, key: str, **query: object) -> dict[str, Any]:
    given = {name: value for name, value in query.items() if value is not None}
    where = "/v1/games" + (f"?{urlencode(given)}" if given else "")
    return client.get(where, token=key).ok(200).json


def pages(client: Client, key: str, **query: object) -> Iterator[list[Row]]:
    """Page after page, until there are no more."""
    cursor = None
    while True:
        read = page(client, key, cursor=cursor, **query)
        yield read["games"]
        cursor = read["next"]
        if cursor is None:
            return


def listed(client: Client, key: str, **query: object) -> list[str]:
    """The ids of all games in the list, in its order."""
    return [row["id"] for rows in pages(client, key, **query) for row in rows]


def stored_sessions(url: str, servers: Sequence[redis.Redis] = ()) -> list[GameSession]:
    """Every game that the store has; `servers` are those of a store of many."""
    store = RedisGameStore(connect(url, timeout=10, connections=2))
    ids = set()
    for client in servers or [redis.Redis.from_url(url)]:
        ids |= {key.decode()[4:30] for key in client.scan_iter(match="qw:{*}:s", count=1000)}
    found = ((id_, store.load(id_)) for id_ in ids)
    return [unpack_session(id_, game.state, game.update_nonce) for id_, game in found if game]


def expected(
    sessions: list[GameSession], tenant: str, status: str | None = None, ref: str | None = None
) -> list[str]:
    """What the list must be: newest action first, the larger id first among equals."""
    chosen = [
        session
        for session in sessions
        if session.options.tenant == tenant
        and status in {None, session.game.phase}
        and (ref is None or ref in refs_of(session))
    ]
    chosen.sort(key=lambda session: (session.updated_ms, raw_id(session.id)), reverse=True)
    return [session.id for session in chosen]


def check_all_lists(
    client: Client,
    url: str,
    tenant: str,
    key: str,
    refs: list[str],
    limit: int = 100,
    servers: Sequence[redis.Redis] = (),
) -> int:
    """Compare every list of the tenant with the games in the store; how many games there are."""
    sessions = stored_sessions(url, servers)
    for status in (None, "waiting", "bidding", "playing", "finished"):
        for ref in (None, *refs):
            wanted = expected(sessions, tenant, status, ref)
            assert listed(client, key, status=status, ref=ref, limit=limit) == wanted, (status, ref)
    return len(expected(sessions, tenant))
