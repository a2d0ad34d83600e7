"""Twin games: equal in everything that somebody may know, different in what is hidden.

They are written straight into the store, with the same id, times and marks, so that whatever
differs in an answer can only come from what is hidden.
"""

import http.client
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from urllib.parse import urlsplit

from service.games.keyring import HOST, Keyring, Viewer, game_id
from service.games.service import Games, LoadedGame
from service.games.session import GameOptions
from service.rules.actions import Step, create
from service.rules.events import Entrant
from service.rules.notation import parse_board, parse_tiles
from service.rules.shuffle import secret_from
from service.rules.starting_position import Setup
from service.rules.state import Game
from service.store.client import connect
from service.store.redis_store import RedisGameStore
from tests.api.client import Client, Table
from tests.contract.checker import body_of
from tests.formats.make import SECRET
from tests.servers import QwirkleServer

DAY_MS = 86_400_000
BEGAN_MS = 4_000_000_000_000
"""Far in the future, so that no clock of the machine tells the twins apart or ends them."""

Act = Callable[[Game], Step]
Shown = tuple[int, list[tuple[str, str]], bytes]


@dataclass(frozen=True)
class Hidden:
    """What nobody but the players themselves, or nobody at all, may know."""

    hands: tuple[str, ...]
    bag: str
    seed: str = "twins"


@contextmanager
def laid_out(
    server: QwirkleServer, board: str, hidden: Hidden, acts: Sequence[Act], *, name: str = "twin"
) -> Iterator[Table]:
    """The game after these actions, in the server's store as long as the context lasts."""
    marks = (sha256(f"mark {n}".encode()).digest() for n in count())
    clock = count(BEGAN_MS, 1000)
    client = connect(server.redis_url, timeout=20, connections=1)
    store, keyring = RedisGameStore(client), Keyring([SECRET])
    games = Games(
        store, keyring, lambda: next(clock), lambda size: next(marks)[:size], DAY_MS, DAY_MS
    )
    id_ = game_id(sha256(name.encode()).digest())
    players = [Entrant(f"P{seat}", 20 + seat) for seat in range(len(hidden.hands))]
    setup = Setup(
        board=tuple(parse_board(board).tiles.items()),
        hands=tuple(map(parse_tiles, hidden.hands)),
        bag=parse_tiles(hidden.bag),
        turn=0 if board else None,
    )
    first = create(secret_from(hidden.seed), players, setup=setup)
    done = games.create(first, GameOptions(metadata={"room": 1}), None, id_=id_)
    try:
        for act in acts:
            done = games.commit_step(LoadedGame(done.session, done.nonce), act(done.session.game))
        generations = done.session.generations
        tokens = [keyring.token(id_, Viewer(seat), generations[0]) for seat in range(len(players))]
        host = keyring.token(id_, HOST, generations[0])
        yield Table(Client(server.base_url, 30), id_, host, tokens)
    finally:
        games.delete(games.load_to_delete(id_))
        client.close()


def shown(
    base_url: str, method: str, path: str, token: str | None, body: bytes | None = None, **more: str
) -> Shown:
    """Everything that an answer shows: status, headers in their order, and every byte."""
    where = urlsplit(base_url)
    line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    headers = {"X-Request-ID": "twin"} | {name.replace("_", "-"): it for name, it in more.items()}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Content-Type": "application/json"} if body is not None else {}
    try:
        line.request(method, path, body, headers)
        came = line.getresponse()
        # What is left of a limit counts down with every request, whatever it asks.
        heads = [(name, it) for name, it in came.getheaders() if name not in {"Date", "RateLimit"}]
        return came.status, heads, body_of(came)
    finally:
        line.close()


def streamed(table: Table, token: str | None, count: int) -> bytes:
    """The first messages of a stream, byte by byte."""
    where = urlsplit(table.client.base_url)
    line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        line.request("GET", table.path("/events/stream"), headers=headers)
        came = line.getresponse()
        raw = b""
        while raw.count(b"\ndata: ") < count or not raw.endswith(b"\n\n"):
            raw += came.readline()
        return raw
    finally:
        line.close()


def masked(answer: Shown, masks: Mapping[str, str]) -> Shown:
    """The answer with texts replaced, everywhere, by others of the same length."""
    status, heads, body = answer
    for text, instead in masks.items():
        assert len(text) == len(instead)
        body = body.replace(text.encode(), instead.encode())
        heads = [(name, value.replace(text, instead)) for name, value in heads]
    return status, heads, body
