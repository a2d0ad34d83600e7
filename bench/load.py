"""How long requests take as more of them come: three reads for every play, on one worker.

Requests are due at a steady rate, whether or not earlier ones are answered, and each one's
latency counts from the moment it was due. The floor is the bare application under the same load.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Lock, Thread

from bench._plots import draw
from bench._tables import SECRET, Turn, games_in
from bench.http import Line, Requests, Server, floor_server, many_turns, sizes_of
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer

RATES = (25, 50, 100, 200, 300, 400)
CONNECTIONS = 12


def latencies(
    rate: float, seconds: float, turns: list[Turn], senders: list[Callable[[int, Turn], None]]
) -> list[float]:
    """Milliseconds from when each request was due until it was answered."""
    total = int(rate * seconds)
    numbers, lock = count(), Lock()
    took: list[float] = []
    began = time.perf_counter() + 0.1

    def work(send: Callable[[int, Turn], None]) -> None:
        while True:
            with lock:
                number = next(numbers)
            if number >= total:
                return
            due = began + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            send(number, turns[number])
            took.append((time.perf_counter() - due) * 1000)

    threads = [Thread(target=work, args=(send,)) for send in senders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def senders_to(ours: str, floor: str, prefix: str) -> list[Callable[[int, Turn], None]]:
    def sender() -> Callable[[int, Turn], None]:
        requests = Requests(Line(ours), Line(floor))
        read, play = getattr(requests, f"{prefix}read"), getattr(requests, f"{prefix}play")
        return lambda number, turn: (read if number % 4 else play)(turn)

    return [sender() for _ in range(CONNECTIONS)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    told: dict[str, list[tuple[float, float, float]]] = {"service": [], "floor": []}
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        wanted = int(sum(RATES) * options.seconds) + len(RATES)
        turns = many_turns(games_in(store.url), wanted + 1)
        settings = {"QWIRKLE_SECRET": SECRET}
        with QwirkleServer(redis_url=store.url, workers=1, environment=settings) as started:
            ours = Server(started.base_url, started.pid)
            sizes = sizes_of(ours, turns.pop())
            with floor_server(store.url, sizes) as floor:
                for rate in RATES:
                    mine = [turns.pop() for _ in range(int(rate * options.seconds))]
                    for name, prefix in (("service", ""), ("floor", "floor_")):
                        senders = senders_to(ours.base_url, floor.base_url, prefix)
                        took = latencies(rate, options.seconds, mine, senders)
                        cuts = statistics.quantiles(took, n=100)
                        told[name].append((cuts[49], cuts[94], cuts[98]))
    tell(told, options.plot)


def tell(told: dict[str, list[tuple[float, float, float]]], plot: Path | None) -> None:
    print("ms until the answer, by requests a second: half, 95% and 99% of them took at most")
    print(f"{'a second':>9}{'service':>24}{'floor':>24}{'ratio at half':>15}")
    rows = zip(RATES, told["service"], told["floor"], strict=True)
    for rate, mine, least in rows:
        cells = ["".join(f"{each:8.1f}" for each in some) for some in (mine, least)]
        print(f"{rate:>9}{cells[0]}{cells[1]}{mine[0] / least[0]:>15.2f}")
    if plot:
        curves = [
            (f"{name}, {part}", RATES, [each[at] for each in values])
            for name, values in told.items()
            for at, part in ((0, "half"), (2, "99%"))
        ]
        draw(
            plot,
            curves,
            across="requests a second, one worker",
            up="milliseconds",
            title="Latency against load",
            log=(False, True),
        )


if __name__ == "__main__":
    main()
