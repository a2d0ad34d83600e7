"""What a play, a read and a 304 cost, beside a floor measured in the same run.

CPU time is the worker process's own, user and system, as the kernel counts it in nanoseconds.
The service and the floor alternate in short blocks, so that a noisy machine treats both alike;
each block of ours is set beside the floor's next to it, and the median of these ratios counts.
Throughput is what eight keep-alive connections get out of one worker.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit

import psutil

from bench._tables import SECRET, Turn, begin, copies, games_in, play_on, turn_of
from service.games.codec import pack_session
from service.games.service import Games
from service.server.sockets import listen, url_of
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer

ROOT = Path(__file__).parents[1]

T = TypeVar("T")

TARGETS = {"play": 1.6, "read": 1.4}
CONNECTIONS = 8
BLOCK = 25
GAMES = 40
WARM_UP = 4


class Line:
    """One keep-alive connection."""

    def __init__(self, base_url: str) -> None:
        at = urlsplit(base_url)
        self._connection = http.client.HTTPConnection(at.hostname or "", at.port)
        self._connection.connect()
        self.address = self._connection.sock.getsockname()

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[int, bytes, str]:
        self._connection.request(method, path, body, headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read(), answer.headers.get("ETag", "")


class Server:
    """A server, its one worker process, and a line to it."""

    def __init__(self, base_url: str, pid: int) -> None:
        self.base_url = base_url
        self.line = Line(base_url)
        self.line.send("GET", "/livez", {})
        self.worker = self._other_end(pid)

    def _other_end(self, pid: int) -> int:
        """The worker is whoever holds the other end of the line."""
        return next(
            one.pid
            for one in psutil.Process(pid).children(recursive=True)
            if any(held.raddr == self.line.address for held in one.net_connections("tcp"))
        )

    def cpu_of(self, send: Callable[[T], object], turns: Sequence[T]) -> float:
        """Microseconds of CPU that the worker takes for each of these requests."""
        before = cpu_ns(self.worker)
        for turn in turns:
            send(turn)
        return (cpu_ns(self.worker) - before) / 1000 / len(turns)


def cpu_ns(pid: int) -> int:
    """Nanoseconds that a process has had a processor, with all of its threads."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks)


@contextmanager
def floor_server(redis_url: str, sizes: dict[str, int]) -> Iterator[Server]:
    """The bare application in a process of its own."""
    listener = listen("127.0.0.1", 0)
    listener.set_inheritable(True)
    given = {
        "redis_url": redis_url,
        "workers": 1,
        "listener": listener.fileno(),
        "sizes": sizes,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "bench._floor", json.dumps(given)],
        pass_fds=[listener.fileno()],
        cwd=ROOT,
        # As the service's own: Linux gives each session the same share of a busy machine.
        start_new_session=True,
    )
    try:
        yield Server(url_of(listener), process.pid)
    finally:
        process.terminate()
        process.wait()
        listener.close()


def as_play(turn: Turn) -> tuple[str, dict[str, str], bytes]:
    headers = {
        "Authorization": f"Bearer {turn.token}",
        "Content-Type": "application/json",
        "Idempotency-Key": os.urandom(16).hex(),
    }
    return f"/v1/games/{turn.table.id}/plays", headers, json.dumps(turn.body).encode()


def as_read(turn: Turn) -> tuple[str, dict[str, str]]:
    return f"/v1/games/{turn.table.id}", {"Authorization": f"Bearer {turn.token}"}


def throughput(ours: str, floor: str, kind: str, turns: Sequence[Turn]) -> float:
    """Requests of a kind per second over several connections, each with turns of its own."""

    def run(number: int) -> None:
        requests = Requests(Line(ours), Line(floor))
        for turn in turns[number::CONNECTIONS]:
            getattr(requests, kind)(turn)

    threads = [Thread(target=run, args=(number,)) for number in range(CONNECTIONS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(turns) / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=120, help=f"of {BLOCK} requests each")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        measure(store.url, options.blocks)


def measure(redis_url: str, blocks: int) -> None:
    games = games_in(redis_url)
    turns = many_turns(games, BLOCK * (blocks + WARM_UP) + CONNECTIONS * BLOCK)
    environment = {"QWIRKLE_SECRET": SECRET}
    with QwirkleServer(redis_url=redis_url, workers=1, environment=environment) as started:
        ours = Server(started.base_url, started.pid)
        sizes = sizes_of(ours, turns.pop())
        with floor_server(redis_url, sizes) as floor:
            print(f"sizes in bytes: {sizes}; {blocks} blocks of {BLOCK} requests, one worker")
            left = compare(ours, floor, turns, blocks)
            race(ours, floor, left)


def many_turns(games: Games, wanted: int) -> list[Turn]:
    """So many games of forty tiles or more in somebody's turn: copies of a few, all apart."""
    found: list[list[Turn]] = []
    for number in count():
        if len(found) == GAMES:
            break
        turn = turn_of(games, play_on(games, begin(games, f"http {number}"), 40))
        if turn:
            found.append(copies(games, turn, wanted // GAMES + 1))
    return [turn for alike in zip(*found, strict=True) for turn in alike]


def sizes_of(ours: Server, turn: Turn) -> dict[str, int]:
    path, headers, body = as_play(turn)
    seen = ours.line.send("GET", path.removesuffix("/plays"), headers)[1]
    played = ours.line.send("POST", path, headers, body)[1]
    return {
        "state": len(pack_session(turn.table)),
        "event": 90,
        "play": len(played),
        "read": len(seen),
    }


class Requests:
    """What is sent to the two servers; each checks that it got the answer it is for."""

    def __init__(self, ours: Line, floor: Line) -> None:
        self._ours = ours
        self._floor = floor
        self._etags: dict[str, str] = {}
        self._name = os.urandom(4).hex()
        self._numbers = count()

    def read(self, turn: Turn) -> None:
        path, headers = as_read(turn)
        status, _, self._etags[path] = self._ours.send("GET", path, headers)
        assert status == 200, status

    def read_again(self, turn: Turn) -> None:
        path, headers = as_read(turn)
        status, _, _ = self._ours.send("GET", path, headers | {"If-None-Match": self._etags[path]})
        assert status == 304, status

    def play(self, turn: Turn) -> None:
        status, _, _ = self._ours.send("POST", *as_play(turn))
        assert status == 201, status

    def floor_read(self, turn: Turn) -> None:
        path, headers = as_read(turn)
        status, _, _ = self._floor.send("GET", path.removeprefix("/v1"), headers)
        assert status == 200, status

    def floor_play(self, turn: Turn) -> None:
        path, headers, body = as_play(turn)
        own = f"/{self._name}-{next(self._numbers):08}"
        status, _, _ = self._floor.send("POST", path.removeprefix("/v1") + own, headers, body)
        assert status == 201, status


def compare(ours: Server, floor: Server, turns: list[Turn], blocks: int) -> list[Turn]:
    """Measure CPU time block by block and print it; returns the turns that are left."""
    requests = Requests(ours.line, floor.line)
    kinds = {
        "floor's read": (floor, requests.floor_read),
        "read": (ours, requests.read),
        "304": (ours, requests.read_again),
        "floor's play": (floor, requests.floor_play),
        "play": (ours, requests.play),
    }
    costs: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(WARM_UP + blocks):
        block = turns[BLOCK * number : BLOCK * (number + 1)]
        for name, (server, send) in kinds.items():
            cost = server.cpu_of(send, block)
            if number >= WARM_UP:
                costs[name].append(cost)
    print("CPU a request     service      floor   ratio (quartiles)    at most")
    for name, base in (("play", "floor's play"), ("read", "floor's read"), ("304", "read")):
        ratios = [mine / least for mine, least in zip(costs[name], costs[base], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        beside = "of a read's" if base == "read" else f"{TARGETS[name]:.2f}"
        print(
            f"{name:>8} {statistics.median(costs[name]):13.0f} µs"
            f" {statistics.median(costs[base]):7.0f} µs"
            f" {middle:7.2f} ({low:.2f}-{high:.2f}) {beside:>12}"
        )
    return turns[BLOCK * (WARM_UP + blocks) :]


def race(ours: Server, floor: Server, turns: list[Turn]) -> None:
    """Print how many requests a second several connections get out of either server."""
    print("requests a second   service     floor     share of the floor's")
    for name in ("play", "read"):
        got = throughput(ours.base_url, floor.base_url, name, turns)
        possible = throughput(ours.base_url, floor.base_url, f"floor_{name}", turns)
        print(f"{name:>8} {got:18.0f} {possible:9.0f} {got / possible:16.0%}")


if __name__ == "__main__":
    main()
