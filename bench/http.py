"""What a play, a read and a 304 cost, beside a floor measured in the same run.

CPU time is the worker process's own, taken over rounds in which the service and the floor
alternate, so that a noisy machine treats both alike; the least of the rounds counts.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import psutil

from bench._tables import SECRET, Turn, begin, games_in, play_on, turn_of
from service.serving.listening import listen, url_of
from service.store.embedded import EmbeddedStore
from service.table import pack_table
from tests.servers import QwirkleServer

ROOT = Path(__file__).parents[1]

TARGETS = {"play": 1.5, "read": 1.3}
CONNECTIONS = 8


class Line:
    """One keep-alive connection."""

    def __init__(self, base_url: str) -> None:
        self._at = urlsplit(base_url)
        self._open()

    def _open(self) -> None:
        self._connection = http.client.HTTPConnection(self._at.hostname or "", self._at.port)

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
        self.worker = self._busiest(pid)

    def _busiest(self, pid: int) -> psutil.Process:
        """The worker is whoever does the work."""
        family = psutil.Process(pid).children(recursive=True)
        before = {one: sum(one.cpu_times()[:2]) for one in family}
        for _ in range(300):
            self.line.send("GET", "/v1/editions", {})
        return max(
            (one for one in family if {"service.serving.web", "bench._floor"} & set(one.cmdline())),
            key=lambda one: sum(one.cpu_times()[:2]) - before[one],
        )

    def cpu_of(self, requests: Callable[[], int]) -> float:
        """CPU seconds per request of the worker."""
        before = sum(self.worker.cpu_times()[:2])
        done = requests()
        return (sum(self.worker.cpu_times()[:2]) - before) / done


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


def throughput(base_url: str, send: Callable[[Line, int], None], each: int) -> float:
    """Requests per second over several connections."""
    lines = [Line(base_url) for _ in range(CONNECTIONS)]
    numbers = count()

    def run(line: Line) -> None:
        for _ in range(each):
            send(line, next(numbers))

    threads = [Thread(target=run, args=(line,)) for line in lines]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return CONNECTIONS * each / (time.perf_counter() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plays", type=int, default=1000, help="requests a round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        measure(store.url, options.plays, options.rounds)


def measure(redis_url: str, plays: int, rounds: int) -> None:
    games = games_in(redis_url)
    wanted = plays * (rounds + 1)
    turns: list[Turn] = []
    for number in count():
        if len(turns) == wanted:
            break
        turn = turn_of(games, play_on(games, begin(games, f"http {number}"), 40))
        if turn:
            turns.append(turn)
    environment = {"QWIRKLE_SECRET": SECRET}
    with QwirkleServer(redis_url=redis_url, workers=1, environment=environment) as started:
        ours = Server(started.base_url, started.pid)
        sizes = sizes_of(ours, turns[0])
        with floor_server(redis_url, sizes) as floor:
            report(ours, floor, turns[1:], plays, rounds, sizes)


def sizes_of(ours: Server, turn: Turn) -> dict[str, int]:
    path, headers, body = as_play(turn)
    seen = ours.line.send("GET", path.removesuffix("/plays"), headers)[1]
    played = ours.line.send("POST", path, headers, body)[1]
    return {
        "state": len(pack_table(turn.table)),
        "event": 90,
        "play": len(played),
        "read": len(seen),
    }


def report(
    ours: Server, floor: Server, turns: list[Turn], plays: int, rounds: int, sizes: dict[str, int]
) -> None:
    requests = [as_play(turn) for turn in turns]
    at = iter(range(len(turns)))
    ids = count()

    def our_plays() -> int:
        for _ in range(plays - 1):
            path, headers, body = requests[next(at)]
            status = ours.line.send("POST", path, headers, body)[0]
            assert status == 201, status
        return plays - 1

    def floor_plays() -> int:
        for number in range(plays - 1):
            _, headers, body = requests[number]
            status = floor.line.send("POST", f"/plays/f{next(ids)}?version=0", headers, body)[0]
            assert status == 201, status
        return plays - 1

    def our_reads(tagged: bool) -> int:
        for turn in turns[:plays]:
            headers = {"Authorization": f"Bearer {turn.token}"}
            path = f"/v1/games/{turn.table.id}"
            if tagged:
                headers["If-None-Match"] = etags[path]
            status, _, etags[path] = ours.line.send("GET", path, headers)
            assert status == (304 if tagged else 200), status
        return plays

    def floor_reads() -> int:
        for turn in turns[:plays]:
            headers = {"Authorization": f"Bearer {turn.token}"}
            floor.line.send("GET", f"/games/{turn.table.id}", headers)
        return plays

    etags: dict[str, str] = {}
    costs: dict[str, list[float]] = {name: [] for name in ("play", "read", "304", "fp", "fr")}
    for _ in range(rounds):
        costs["play"].append(ours.cpu_of(our_plays))
        costs["fp"].append(floor.cpu_of(floor_plays))
        costs["read"].append(ours.cpu_of(lambda: our_reads(tagged=False)))
        costs["fr"].append(floor.cpu_of(floor_reads))
        costs["304"].append(ours.cpu_of(lambda: our_reads(tagged=True)))
    least = {name: min(each) * 1e6 for name, each in costs.items()}
    spread = {name: statistics.median(each) * 1e6 for name, each in costs.items()}
    print(f"sizes in bytes: {sizes}; {plays} requests a round, {rounds} rounds, one worker")
    print("CPU per request     service   median     floor     ratio    at most")
    for name, base in (("play", "fp"), ("read", "fr"), ("304", "fr")):
        target = f"{TARGETS[name]:.2f}" if name in TARGETS else "a read's"
        print(
            f"{name:>8} {least[name]:15.0f} µs {spread[name]:5.0f} µs {least[base]:6.0f} µs"
            f" {least[name] / least[base]:9.2f} {target:>10}"
        )
    read_path = [f"/v1/games/{turn.table.id}" for turn in turns[:plays]]
    tokens = [{"Authorization": f"Bearer {turn.token}"} for turn in turns[:plays]]

    def read_ours(line: Line, number: int) -> None:
        line.send("GET", read_path[number % plays], tokens[number % plays])

    def read_floor(line: Line, number: int) -> None:
        line.send("GET", f"/games/{turns[number % plays].table.id}", tokens[number % plays])

    left = list(at)[: plays // CONNECTIONS * CONNECTIONS]

    def play_ours(line: Line, number: int) -> None:
        path, headers, body = requests[left[number]]
        line.send("POST", path, headers, body)

    def play_floor(line: Line, number: int) -> None:
        _, headers, body = requests[number % plays]
        line.send("POST", f"/plays/t{next(ids)}?version=0", headers, body)

    print("requests a second   service     floor     share of the floor's")
    for name, mine, theirs, each in (
        ("play", play_ours, play_floor, len(left) // CONNECTIONS),
        ("read", read_ours, read_floor, plays),
    ):
        if each:
            got, possible = (
                throughput(ours.base_url, mine, each),
                throughput(floor.base_url, theirs, each),
            )
            print(f"{name:>8} {got:18.0f} {possible:9.0f} {got / possible:16.0%}")


if __name__ == "__main__":
    main()
