"""What the lobby, and a tenant's lists and feed, cost.

Lists are read in process, so that only their own work counts; the median of many pages is compared.
Plays are sent to a real server with one worker: blocks of plays of a tenant's games and of others
alternate, and CPU time is the worker's own. The bytes are what the store grew by, without the feed:
that one is bounded for each tenant, however many games there are.

A match is compared with what it replaces: one player creates a table, the other joins it by its
id. Matches per second are what 32 connections at once get from three workers.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from secrets import token_bytes
from typing import Any

from bench._tables import SECRET, Turn, begin, copies, games_in, play_on, turn_of
from bench.http import Line, Server, as_play
from service.games.codec import pack_session
from service.games.keyring import Viewer, game_id
from service.games.list_pages import ListQuery, read_page
from service.games.listing import lists_of
from service.games.service import Games
from service.games.session import GameSession
from service.store import keys
from service.store.base import Commit
from service.store.embedded import EmbeddedStore
from service.store.game_index import SHARDS, FeedEvent, Listing
from tests.servers import QwirkleServer

TENANT = "acme"
PAGE = 100
BLOCK = 25
CONNECTIONS = 32
WARM_UP = 4
GAMES_OF_A_PLAYER = 10
EVENT = FeedEvent("a" * 26, 1, bytes(8), b"{}")
TARGETS = {"listing": 1.2, "play": 1.15, "bytes": 400}


def tenants(session: GameSession, **changes: object) -> GameSession:
    return replace(session, options=replace(session.options, tenant=TENANT, **changes))


def fill(games: Games, turn: Turn, wanted: int) -> None:
    """So many games of the tenant, with two players each who have ten games on average."""
    rng = random.Random(1)
    log = tuple(games.store.load_log(turn.table.id))
    for number in range(wanted):
        refs = tuple(f"user-{rng.randrange(wanted * 2 // GAMES_OF_A_PLAYER)}" for _ in range(2))
        at = turn.table.updated_ms + number
        session = tenants(
            replace(turn.table, id=game_id(token_bytes(16)), updated_ms=at), refs=refs
        )
        listing = Listing(TENANT, session.id, at, lists_of(session))
        games.store.index.announce(listing, games.ttl_active_ms, EVENT)
        state = pack_session(session)
        games.store.commit(Commit(session.id, b"", state, log, games.ttl_active_ms))


def time_of_a_page(games: Games, query: ListQuery, pages: int) -> float:
    """Milliseconds of CPU for a page of a hundred games, the median; every fifth starts again."""
    times, cursor = [], None
    for number in range(pages):
        began = time.process_time()
        page = read_page(games, query, PAGE, cursor)
        times.append((time.process_time() - began) * 1000)
        assert len(page.sessions) == PAGE
        cursor = page.following if number % 5 else None
    return statistics.median(times)


def measure_lists(sizes: list[int], pages: int) -> None:
    found = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
            games = games_in(store.url)
            turn = turn_of(games, play_on(games, begin(games, "lobby"), 40))
            assert turn
            fill(games, turn, size)
            found[size] = {
                "all": time_of_a_page(games, ListQuery(TENANT), pages),
                "status": time_of_a_page(games, ListQuery(TENANT, "playing"), pages),
            }
            bytes_each = index_bytes(games) / size
        print(
            f"{size:>7} games: a page of {PAGE} costs {found[size]['all']:.1f} ms of CPU,"
            f" with a status {found[size]['status']:.1f} ms; {bytes_each:.0f} bytes a game"
            f" in the lists (target: {TARGETS['bytes']})"
        )
    few, many = found[min(sizes)], found[max(sizes)]
    ratios = ", ".join(f"{name} {many[name] / few[name]:.2f}" for name in few)
    print(f"{max(sizes)} games beside {min(sizes)}: {ratios} (target: {TARGETS['listing']})")


def index_bytes(games: Games) -> int:
    """What the store gives back when the lists are deleted."""
    client = games.store.client
    client.delete(*(keys.feed_key(TENANT, shard) for shard in range(SHARDS)))
    full = client.info("memory")["used_memory"]
    names = list(client.scan_iter(match="qw:{t:*", count=1000))
    for start in range(0, len(names), 1000):
        client.delete(*names[start : start + 1000])
    return int(full - client.info("memory")["used_memory"])


def measure_plays(blocks: int) -> None:
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        games = games_in(store.url)
        turn = turn_of(games, play_on(games, begin(games, "lobby"), 40))
        assert turn
        wanted = BLOCK * (blocks + WARM_UP)
        own = Turn(tenants(turn.table, refs=("ada", "ben")), turn.play, turn.token)
        turns = {"without": copies(games, turn, wanted), "with": copies_of(games, own, wanted)}
        settings = {"QWIRKLE_SECRET": SECRET, "QWIRKLE_API_KEYS": f"{TENANT}:{os.urandom(9).hex()}"}
        with QwirkleServer(redis_url=store.url, workers=1, environment=settings) as started:
            server = Server(started.base_url, started.pid)

            def play(turn: Turn) -> None:
                status, _, _ = server.line.send("POST", *as_play(turn))
                assert status == 201, status

            cpu: dict[str, list[float]] = {"without": [], "with": []}
            for number in range(blocks + WARM_UP):
                part = slice(BLOCK * number, BLOCK * (number + 1))
                for kind, each in turns.items():
                    cpu[kind].append(server.cpu_of(play, each[part]))
    pairs = zip(cpu["with"][WARM_UP:], cpu["without"][WARM_UP:], strict=True)
    ratio = statistics.median(mine / other for mine, other in pairs)
    medians = {kind: statistics.median(times[WARM_UP:]) for kind, times in cpu.items()}
    print(
        f"a play costs {medians['without']:.0f} µs of CPU, of a tenant's game"
        f" {medians['with']:.0f} µs: {ratio:.2f} times as much (target: {TARGETS['play']})"
    )


def copies_of(games: Games, turn: Turn, number: int) -> list[Turn]:
    """Copies of a turn whose session differs from what is stored."""
    log = tuple(games.store.load_log(turn.table.id))
    made = []
    for _ in range(number):
        table = replace(turn.table, id=game_id(token_bytes(16)))
        state = pack_session(table)
        games.store.commit(Commit(table.id, b"", state, log, games.ttl_active_ms))
        seat = turn.table.game.mover
        assert seat is not None
        made.append(Turn(table, turn.play, games.token(table, Viewer(seat))))
    return made


class Caller:
    """Somebody with a connection, who makes and joins tables for two."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def post(self, path: str, **body: object) -> dict[str, Any]:
        headers = {"Content-Type": "application/json", "Idempotency-Key": os.urandom(16).hex()}
        status, answer, _ = self._line.send("POST", path, headers, json.dumps(body).encode())
        assert status == 201, answer
        made: dict[str, Any] = json.loads(answer)
        return made

    def match(self, _: object = None) -> str:
        """Match; the id of the game."""
        return str(self.post("/v1/lobby/match", name="Ada", seats=2)["game"]["id"])

    def create_and_join(self, _: object) -> None:
        """What two who are matched do otherwise."""
        given = {"players": [{"name": "Ada"}], "seats": 2, "auto_deal": True}
        made = self.post("/v1/games", **given)
        self.post(f"/v1/games/{made['game']['id']}/players", name="Ben")


def measure_matches(blocks: int, at_once: int) -> None:
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        with QwirkleServer(redis_url=store.url, workers=1, environment={}) as started:
            server = Server(started.base_url, started.pid)
            caller = Caller(server.line)
            ratios, mine = [], []
            for number in range(blocks + WARM_UP):
                calls = [None] * BLOCK
                matched = server.cpu_of(caller.match, calls * 2)
                apart = server.cpu_of(caller.create_and_join, calls) / 2
                if number >= WARM_UP:
                    ratios.append(matched / apart)
                    mine.append(matched)
        with QwirkleServer(redis_url=store.url, workers=3, environment={}) as started:
            callers = [Caller(Line(started.base_url)) for _ in range(CONNECTIONS)]
            began = time.monotonic()
            with ThreadPoolExecutor(CONNECTIONS) as pool:
                rounds = pool.map(lambda one: [one.match() for _ in range(at_once)], callers)
                seats = Counter(id_ for one in rounds for id_ in one)
            rate = CONNECTIONS * at_once / (time.monotonic() - began)
    print(
        f"a match costs {statistics.median(mine):.0f} µs of CPU,"
        f" {statistics.median(ratios):.2f} times a creation or a join;"
        f" {rate:.0f} matches a second over {CONNECTIONS} connections and three workers"
    )
    alone = sum(1 for taken in seats.values() if taken == 1)
    print(f"of {seats.total()} who asked, {alone} wait alone")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=100, help=f"of {BLOCK} plays each")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000], help="games")
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--matches", type=int, default=40, help="of each connection")
    options = parser.parse_args()
    measure_lists(options.sizes, options.pages)
    measure_plays(options.blocks)
    measure_matches(options.blocks, options.matches)


if __name__ == "__main__":
    main()
