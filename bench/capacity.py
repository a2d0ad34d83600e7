"""The highest rate of mixed traffic that this machine holds, and what breaks first.

    python bench/capacity.py [--seconds 4] [--streams 200] [--workers 2]

Three reads for every play, each on a game of its own, while streams are open. The rate grows by a
fifth until one request in a hundred takes longer than 100 ms, counted from the moment it was due,
three times in a row.
For each rate it says how busy the web workers, the store and the senders were: the senders run on
the same machine, so it is a lower bound.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from bench._tables import SECRET, Turn, games_in
from bench.http import Line, Requests, many_turns
from bench.load import latencies
from bench.streams import Listeners
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer

LIMIT_MS = 100.0
START = 100.0
GROWTH = 1.2
CONNECTIONS = 24
ATTEMPTS = 3
"""A rate is given up after this many tries: other work on the machine may spoil one."""


def busy_seconds(processes: list[psutil.Process]) -> float:
    """The CPU time of these processes so far."""
    times = [each.cpu_times() for each in processes]
    return sum(each.user + each.system for each in times)


def sender(base_url: str) -> Callable[[int, Turn], None]:
    """Sends a play or a read, by the number of the request, over a connection of its own."""
    line = Line(base_url)
    requests = Requests(line, line)
    return lambda number, turn: (requests.read if number % 4 else requests.play)(turn)


def main() -> None:
    """Raise the rate until the limit is broken, and print what was measured."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    settings = {"QWIRKLE_SECRET": SECRET, "QWIRKLE_SERVE_WORKER": "no"}
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedStore(Path(folder)) as store,
        QwirkleServer(redis_url=store.url, workers=options.workers, environment=settings) as server,
    ):
        games = games_in(store.url)
        at = urlsplit(server.base_url)
        path = f"/v1/games/{many_turns(games, 1)[0].table.id}/events/stream"
        listeners = Listeners((at.hostname or "", at.port or 0), [path] * options.streams)
        groups = {
            "web": psutil.Process(server.pid).children(recursive=True),
            "store": [psutil.Process(store.child.pid)],
            "senders": [psutil.Process()],
        }
        senders = [sender(server.base_url) for _ in range(CONNECTIONS)]
        rate, held, failures = START, 0.0, 0
        print(f"{options.workers} workers, {options.streams} streams, {os.cpu_count()} cores")
        print(f"{'a second':>9}{'half ms':>9}{'99% ms':>9}   cores busy")
        while failures < ATTEMPTS:
            turns = many_turns(games, int(rate * options.seconds) + 1)
            before = {name: busy_seconds(some) for name, some in groups.items()}
            began = time.perf_counter()
            took = latencies(rate, options.seconds, turns, senders)
            lasted = time.perf_counter() - began
            cuts = statistics.quantiles(took, n=100)
            busy = ", ".join(
                f"{name} {(busy_seconds(some) - before[name]) / lasted:.2f}"
                for name, some in groups.items()
            )
            print(f"{rate:>9.0f}{cuts[49]:>9.1f}{cuts[98]:>9.1f}   {busy}", flush=True)
            if cuts[98] > LIMIT_MS:
                failures += 1
            else:
                rate, held, failures = rate * GROWTH, rate, 0
        listeners.delays()
    print(f"held: {held:.0f} requests a second with 99% within {LIMIT_MS:.0f} ms")


if __name__ == "__main__":
    main()
