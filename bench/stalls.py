"""How long one caller can keep the others of the same worker waiting, whatever it sends.

One worker serves two callers: one sends the dearest requests that the service permits, the other
asks for `/livez` again and again meanwhile. Told are the longest wait of the other, and the CPU
time that the worker took between two of its answers: medians of the longest over several rounds.
The floor is the same beside a plain read of a game. At most 50 ms of CPU may pass.

Messages of webhooks are sent by a process of their own; there the delay of another game's message
counts, beside its delay when the busy game is short.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from threading import Thread

from bench._hostile import (
    AT_THE_END,
    IN_PLAY,
    MOST_EVENTS,
    Players,
    Request,
    overdue,
    request,
)
from bench._tables import SECRET, games_in
from bench.http import Line, Server, cpu_ns
from service.bots import BOTS
from service.games.keyring import Viewer
from service.games.service import Games
from service.rules.starting_position import Setup
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer
from tests.worker.conftest import allowing
from tests.worker.webhook_receiver import Receiver

MOST_CPU_MS = 50
NEARLY = 1900
BUSY = 20
LARGE, SMALL = 1 << 20, 1 << 16


@dataclass(frozen=True)
class Case:
    """A request to try; `make` makes it for each round."""

    name: str
    make: Callable[[int], Request]


@dataclass(frozen=True)
class Stall:
    """What a request cost: all of it, the other's longest wait, the CPU between two answers."""

    whole_ms: float
    wait_ms: float
    cpu_ms: float


def stall_of(server: Server, sent: Request) -> Stall:
    """Send a request, and ask again and again for something else until it is answered."""
    took: list[float] = []
    long, other = Line(server.base_url), Line(server.base_url)

    def send() -> None:
        began = time.perf_counter()
        status, said, _ = long.send(*sent)
        took.append(time.perf_counter() - began)
        assert status < 500, (sent[1], status, said[:300])

    for line in (long, other):
        line.send("GET", "/livez", {})
    thread = Thread(target=send)
    waits, stretches = [0.0], [0.0]
    cpu = cpu_ns(server.worker)
    thread.start()
    while thread.is_alive():
        began = time.perf_counter()
        other.send("GET", "/livez", {})
        waits.append(time.perf_counter() - began)
        spent = cpu_ns(server.worker)
        stretches.append(spent - cpu)
        cpu = spent
    thread.join()
    return Stall(took[0] * 1000, max(waits) * 1000, max(stretches) / 1e6)


# Cases


def cases(games: Games, longest: Players, version: int) -> Iterator[Case]:
    """Every request that has been found to be dear; the first is the floor."""
    yield Case("a plain read", lambda _: request("GET", longest.path))
    yield from bodies()
    table = overdue(games, IN_PLAY, None)
    token = games.keyring.token(table.id, Viewer(0), table.token_generations[1])
    plays = f"/v1/games/{table.id}/legal-plays?limit=5000"
    yield Case("5,000 of 35,234 plays", lambda _: request("GET", plays, token))
    yield Case("the same, in gzip", lambda _: in_gzip(request("GET", plays, token)))
    yield Case("the same, by points", lambda _: request("GET", f"{plays}&sort=points", token))
    yield Case("a forced move there", looking_at(games, AT_THE_END))
    for bot in BOTS:
        yield Case(f"a move of {bot} there", looking_at(games, IN_PLAY, bot))
    picture = f"/v1/games/{table.id}/board.png?size="
    yield Case("its picture, 1,200 pixels", lambda n: request("GET", f"{picture}{1200 - n}"))
    yield from of_the_longest(longest, version)


def in_gzip(plain: Request) -> Request:
    """The request of a client that accepts gzip."""
    method, path, headers, body = plain
    return method, path, headers | {"Accept-Encoding": "gzip"}, body


def looking_at(games: Games, setup: Setup, bot: str | None = None) -> Callable[[int], Request]:
    """A read of a new table each time, which has to be seen to first."""
    return lambda _: request("GET", f"/v1/games/{overdue(games, setup, bot).id}")


def bodies() -> Iterator[Case]:
    """Bodies full of faults, and the largest that are read."""

    def full_of(entry: bytes, size: int) -> bytes:
        return b'{":":[' + b",".join([entry] * ((size - 8) // (len(entry) + 1))) + b"]}"

    large = {
        "1 MB of NaN": full_of(b"NaN", LARGE),
        "1 MB of lists": full_of(b"[]", LARGE),
        "9,000 objects": full_of(b'{"":":"}', 9 * 9000),
        "45,000 strings": full_of('"é"'.encode(), 5 * 45_000),
    }
    for name, body in large.items():
        yield Case(name, lambda _, body=body: request("POST", "/v1/records/verify", "", body))
    small = {
        "64 KB of NaN": full_of(b"NaN", SMALL),
        "64 KB of unknown members": {f"{number:x}": 1 for number in range(SMALL // 12)},
    }
    for name, given in small.items():
        yield Case(name, lambda _, given=given: request("POST", "/v1/games", "", given))


def of_the_longest(game: Players, version: int) -> Iterator[Case]:
    """What reads a whole log."""
    for rest in ("score", "record", "events?limit=1000"):
        path = f"{game.path}/{rest}"
        yield Case(f"its {rest}", lambda _, path=path: request("GET", path))
        yield Case("the same, in gzip", lambda _, path=path: in_gzip(request("GET", path)))
    record = game.line.send("GET", f"{game.path}/record", {})[1]
    yield Case("verifying it", lambda _: request("POST", "/v1/records/verify", "", record))
    last = {"after": version}
    yield Case("forking it", lambda _: request("POST", f"{game.path}/forks", game.host, last))


# Webhooks


def message_delay(receiver: Receiver, busy: Players, other: Players) -> float:
    """Milliseconds until another game's move is reported, once a busy game has moved a lot."""
    busy.exchange(BUSY)
    began = time.perf_counter()
    version = other.exchange(1)
    delay = None
    while True:
        try:
            came = receiver.next(1 if delay else 120).data
        except Empty:
            assert delay, "the other game's message did not come"
            return delay
        if came["game_id"] in other.path and came["version"] == version:
            delay = (time.perf_counter() - began) * 1000


def compare_messages(line: Line, games: Games, receiver: Receiver) -> None:
    """Print how late another game's message is beside a long game, and beside a short one."""
    long, short, other = (
        Players.of(line, games, receiver.url, length) for length in (NEARLY, 10, 10)
    )
    late, least = message_delay(receiver, long, other), message_delay(receiver, short, other)
    print(f"\nmessage of another game, after {BUSY} moves of a game of {NEARLY:,} events:")
    print(f"{late:9.0f} ms; of a game of 10 events {least:.0f} ms, ratio {late / least:.2f}")


# The whole


def measure(games: Games, server: Server, rounds: int) -> bool:
    """Print what each case costs; True if all keep to the bound."""
    longest = Players.of(server.line, games, None, NEARLY)
    version = longest.exchange(MOST_EVENTS - NEARLY)
    print(f"{rounds} rounds, one worker; the longest game that it permits has {version:,} events")
    print("ms                            whole     other's wait  x floor    CPU (at most 50)")
    floor, kept = 0.0, True
    for case in cases(games, longest, version):
        stalls = [stall_of(server, case.make(number)) for number in range(rounds)]
        whole = statistics.median(stall.whole_ms for stall in stalls)
        wait = statistics.median(stall.wait_ms for stall in stalls)
        cpu = statistics.median(stall.cpu_ms for stall in stalls)
        floor, kept = floor or wait, kept and cpu <= MOST_CPU_MS
        print(f"{case.name:28} {whole:6.0f} {wait:13.1f} {wait / floor:11.1f} {cpu:12.1f}")
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Receiver() as receiver,
        EmbeddedStore(Path(folder)) as store,
        QwirkleServer(
            redis_url=store.url,
            workers=1,
            environment={"QWIRKLE_SECRET": SECRET, **allowing(receiver)},
        ) as started,
    ):
        games = games_in(store.url)
        server = Server(started.base_url, started.pid)
        kept = measure(games, server, options.rounds)
        compare_messages(server.line, games, receiver)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
