"""What streams cost with the settings that `qwirkle serve` has by itself.

Delivery: from the time that an event carries to its arrival at a stream, over all streams of
its game, beside a bare server that only repeats the bytes. Throughput: plays in other games
with and without 2,000 idle streams, in alternating rounds. Memory: what the workers grow by.
Listeners have a process of their own.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import json
import os
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import psutil

from bench._tables import SECRET, begin, games_in, greedy_step
from bench.http import Line
from service.config import default_workers
from service.games.keyring import Viewer
from service.games.service import Games
from service.rules.events import Played
from service.rules.record.write import placement_document
from tests.servers import QwirkleServer

ROOT = Path(__file__).parents[1]
MOST_DELAY = 250
MOST_WAIT = 200
LEAST_SHARE = 0.8
CONNECTIONS = 8

Request = tuple[str, dict[str, str], bytes]


class Script:
    """A game, and every play that its players are going to make."""

    def __init__(self, games: Games, seed: str) -> None:
        done = begin(games, seed)
        self.id = done.session.id
        self.version = game_version = done.session.game.version
        self.requests: list[Request] = []
        game = done.session.game
        while game.phase == "playing" and len(game.bag) > 12:
            seat = game.mover
            assert seat is not None
            event, game = greedy_step(game)
            assert isinstance(event, Played), game_version
            token = games.keyring.token(self.id, Viewer(seat), done.session.generations[seat + 1])
            headers = {
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
                "Idempotency-Key": os.urandom(16).hex(),
            }
            body = {"placements": [placement_document(placed) for placed in event.placements]}
            path = f"/v1/games/{self.id}/plays"
            self.requests.append((path, headers, json.dumps(body).encode()))

    @property
    def stream(self) -> str:
        return f"/v1/games/{self.id}/events/stream?after={self.version}"


def scripts(games: Games) -> Iterator[Script]:
    """Games in which nobody has to exchange before their bags are nearly empty."""
    for number in count():
        try:
            yield Script(games, f"streams {number}")
        except AssertionError:
            continue


class Listeners:
    """Streams in a process of their own."""

    def __init__(self, address: tuple[str, int], paths: list[str]) -> None:
        given = json.dumps({"address": address, "paths": paths})
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench._listeners", given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    def delays(self) -> list[float]:
        """How late events came, in milliseconds; ends the streams."""
        told = json.loads(self._process.communicate("\n")[0])
        assert not told["lost"], f"{told['lost']} streams were lost"
        delays: list[float] = told["delays"]
        return delays


def share(delays: list[float], of: float) -> float:
    return sorted(delays)[min(len(delays) - 1, int(len(delays) * of))]


def print_delivery(what: str, delivered: tuple[list[float], float], expected: int) -> None:
    delays, cpu = delivered
    assert len(delays) == expected, (len(delays), expected)
    p50, p99 = share(delays, 0.5), share(delays, 0.99)
    each = cpu / len(delays) * 1e6
    print(
        f"{what:28} {len(delays):8} {p50:8.0f} ms {p99:8.0f} ms {max(delays):8.0f} ms"
        f" {each:8.0f} µs"
    )


def play(line: Line, request: Request) -> None:
    status, body, _ = line.send("POST", *request)
    assert status == 201, body


def delivery(
    server: QwirkleServer, found: Iterator[Script], games: int, each: int
) -> tuple[list[float], float]:
    """Delays with so many games watched by so many streams each, 20 plays a second in all.

    With them the seconds of CPU that the server used for plays and deliveries.
    """
    watched = [next(found) for _ in range(games)]
    plays = max(1, 30 // games)
    listeners = Listeners(address_of(server.base_url), [s.stream for s in watched] * each)
    line = Line(server.base_url)
    before = cpu_of(server.pid)
    due = time.monotonic()
    for number in range(plays):
        for script in watched:
            play(line, script.requests[number])
            due += 0.05
            time.sleep(max(0.0, due - time.monotonic()))
    time.sleep(1)
    used = cpu_of(server.pid) - before
    return listeners.delays(), used


def floor_delivery(streams: int, plays: int) -> tuple[list[float], float]:
    """The same bytes from a server that does nothing else."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench._fanout"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert process.stdout
        address = ("127.0.0.1", int(process.stdout.readline()))
        listeners = Listeners(address, ["/"] * streams)
        with socket.create_connection(address) as line:
            line.sendall(b"POST\n")
            before = cpu_of(process.pid)
            for _ in range(plays):
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                message = {"at": now, "filler": "x" * 500}
                line.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")
                time.sleep(0.05)
            time.sleep(0.5)
            used = cpu_of(process.pid) - before
            return listeners.delays(), used
    finally:
        process.terminate()
        process.wait()


def waits(server: QwirkleServer, script: Script, plays: int) -> list[float]:
    """How long after an event the request that waited for it was answered, in milliseconds."""
    waiting, playing = Line(server.base_url), Line(server.base_url)
    delays: list[float] = []

    def wait(after: int) -> None:
        path = f"/v1/games/{script.id}/events?after={after}&wait=30"
        answer = json.loads(waiting.send("GET", path, {})[1])
        happened = datetime.fromisoformat(answer["events"][0]["at"]).timestamp()
        delays.append((time.time() - happened) * 1000)

    for number, request in enumerate(script.requests[:plays]):
        thread = Thread(target=wait, args=(script.version + number,))
        thread.start()
        time.sleep(0.1)
        play(playing, request)
        thread.join()
    return delays


def throughput(server: QwirkleServer, found: Iterator[Script], plays: int) -> tuple[float, float]:
    """Plays a second over eight connections, each on games of its own, and CPU µs a play."""
    work: list[list[Request]] = [[] for _ in range(CONNECTIONS)]
    while len(work[-1]) < plays // CONNECTIONS:
        for requests in work:
            requests.extend(next(found).requests)
    lines = [Line(server.base_url) for _ in work]

    def run(line: Line, requests: list[Request]) -> None:
        for request in requests[: plays // CONNECTIONS]:
            play(line, request)

    threads = [Thread(target=run, args=pair) for pair in zip(lines, work, strict=True)]
    before, began = cpu_of(server.pid), time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = plays // CONNECTIONS * CONNECTIONS
    took, used = time.perf_counter() - began, cpu_of(server.pid) - before
    return made / took, used / made * 1e6


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process and its children have used, but for the store."""
    leader = psutil.Process(pid)
    family = [leader, *leader.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in family if "valkey" not in one.name())


def memory(server: QwirkleServer) -> int:
    """Bytes that belong to the server's processes alone."""
    family = psutil.Process(server.pid).children(recursive=True)
    return sum(one.memory_full_info().uss for one in family if "valkey" not in one.name())


def address_of(base_url: str) -> tuple[str, int]:
    where = urlsplit(base_url)
    return where.hostname or "", where.port or 0


@contextmanager
def idle(server: QwirkleServer, found: Iterator[Script], streams: int) -> Iterator[None]:
    """So many streams on which nothing happens, four a game."""
    paths = [next(found).stream for _ in range(streams // 4)] * 4
    listeners = Listeners(address_of(server.base_url), paths)
    yield
    assert listeners.delays() == []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=2000)
    parser.add_argument("--plays", type=int, default=1600, help="plays a round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    workers = default_workers()
    environment = {"QWIRKLE_SECRET": SECRET}
    with QwirkleServer(workers=workers, environment=environment) as server:
        found = scripts(games_in(server.redis_url))
        print(f"{workers} workers on {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        report_memory(server, found, options.streams)
        print(
            f"delivery {'':19} {'events':>8} {'p50':>11} {'p99':>11} {'most':>11} {'CPU each':>11}"
        )
        print_delivery("1 game, 200 streams", delivery(server, found, 1, 200), 30 * 200)
        print_delivery("  floor: 200 streams", floor_delivery(200, 30), 30 * 200)
        print_delivery("20 games, 100 streams each", delivery(server, found, 20, 100), 20 * 100)
        print_delivery("  floor: 100 streams", floor_delivery(100, 30), 30 * 100)
        print(f"the target is {MOST_DELAY} ms at p99")
        waited = waits(server, next(found), 20)
        print(
            f"a waiting request is answered {statistics.median(waited):.0f} ms after the event,"
            f" at most {max(waited):.0f} ms (at most {MOST_WAIT} ms)"
        )
        report_throughput(server, found, options.streams, options.plays, options.rounds)


def report_memory(server: QwirkleServer, found: Iterator[Script], streams: int) -> None:
    throughput(server, found, 400)
    with idle(server, found, 40):
        before = memory(server)
    with idle(server, found, streams):
        grown = memory(server) - before
    print(f"memory of a stream: {grown / streams / 1024:.1f} KiB, over {streams} idle ones")


def report_throughput(
    server: QwirkleServer, found: Iterator[Script], streams: int, plays: int, rounds: int
) -> None:
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(throughput(server, found, plays))
        with idle(server, found, streams):
            beside.append(throughput(server, found, plays))
    for what, rounds_of in (("without streams", alone), (f"with {streams} streams", beside)):
        rates = ", ".join(f"{rate:.0f}" for rate, _ in rounds_of)
        costs = ", ".join(f"{cost:.0f}" for _, cost in rounds_of)
        print(f"{what:>20}: {rates} plays a second, {costs} µs of CPU each")
    # Other work on the machine slows a round down, but adds no CPU to what a play needs.
    kept = statistics.median(rate for rate, _ in beside) / statistics.median(r for r, _ in alone)
    dearer = statistics.median(cost for _, cost in alone) / statistics.median(c for _, c in beside)
    print(f"kept: {kept:.0%} of the rate, {dearer:.0%} by CPU (at least {LEAST_SHARE:.0%})")


if __name__ == "__main__":
    main()
