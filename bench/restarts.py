"""What clients notice of rolling restarts: answers cut off, and the longest time without one.

    python bench/restarts.py [--restarts 10] [--connections 16] [--workers 2]

Clients keep their connections open and send one request after the other, a creation and reads of
that game. Meanwhile the web workers are replaced (SIGHUP) again and again. A client that gets
`Connection: close` opens a new connection, as every HTTP client does; anything else that ends a
connection without an answer counts as cut off.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import http.client
import json
import os
import signal
import threading
import time
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import urlsplit

import psutil

from tests.servers import QwirkleServer, is_web_server

TABLE = json.dumps({"players": [{"name": "Ada"}, {"name": "Ben"}]})


@dataclass
class Load:
    """Clients that ask until they are stopped, and what became of their requests."""

    port: int
    over: threading.Event = field(default_factory=threading.Event)
    answered: list[tuple[float, float]] = field(default_factory=list)
    """When each answer came, and how long it took."""

    failures: list[str] = field(default_factory=list)
    closes: int = 0

    def run(self) -> None:
        """One client."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        path = ""
        while not self.over.is_set():
            began = time.perf_counter()
            try:
                if path:
                    line.request("GET", path)
                else:
                    headers = {"Content-Type": "application/json"}
                    line.request("POST", "/v1/games", TABLE, headers)
                answer = line.getresponse()
                body = answer.read()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                line.close()
                continue
            ended = time.perf_counter()
            if answer.status not in {200, 201}:
                self.failures.append(f"status {answer.status}")
            elif not path:
                path = f"/v1/games/{json.loads(body)['game']['id']}"
            self.closes += answer.will_close
            self.answered.append((ended, ended - began))
        line.close()


def web_workers(server: QwirkleServer) -> set[int]:
    """The processes of the web workers."""
    masters = [each for each in psutil.Process(server.pid).children() if is_web_server(each)]
    return {worker.pid for master in masters for worker in master.children()}


def restart(server: QwirkleServer, workers: int) -> float:
    """Replace all web workers; returns the seconds until the last old one is gone."""
    old, began = web_workers(server), time.perf_counter()
    os.kill(server.pid, signal.SIGHUP)
    while (now := web_workers(server)) & old or len(now) != workers:
        time.sleep(0.05)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with QwirkleServer(workers=options.workers) as server:
        load = Load(urlsplit(server.base_url).port or 0)
        clients = [
            threading.Thread(target=load.run, daemon=True) for _ in range(options.connections)
        ]
        for client in clients:
            client.start()
        time.sleep(2)
        quiet = _longest_gap(load.answered)
        took = [restart(server, options.workers) for _ in range(options.restarts)]
        time.sleep(1)
        load.over.set()
        for client in clients:
            client.join(60)
    slowest = max(seconds for _, seconds in load.answered)
    cut = f"cut off {len(load.failures)} {set(load.failures) or ''}"
    print(f"restarts {options.restarts}, workers {options.workers}, clients {options.connections}")
    print(f"answered {len(load.answered):,}, {cut}")
    print(f"longest time without any answer {_longest_gap(load.answered) * 1000:.0f} ms")
    print(f"  (in two seconds before the first restart {quiet * 1000:.0f} ms)")
    print(f"slowest answer {slowest * 1000:.0f} ms, told to reconnect {load.closes:,} times")
    print(f"a restart took {min(took):.1f} to {max(took):.1f} s")


def _longest_gap(answered: list[tuple[float, float]]) -> float:
    times = sorted(ended for ended, _ in list(answered))
    return max((after - before for before, after in pairwise(times)), default=0)


if __name__ == "__main__":
    main()
