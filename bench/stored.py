"""Whether reads and plays get dearer when many games are stored.

Three stores of different sizes, each with a server of its own, take turns in short blocks. The
CPU time is the worker's and the store's together. Each block is set beside the one of the
smallest store next to it, and the median of these ratios counts: at most 1.10.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from secrets import token_bytes

from bench._plots import draw
from bench._tables import SECRET, Turn, begin, games_in, play_on
from bench.http import Requests, Server, cpu_ns, many_turns
from service.games.keyring import game_id
from service.store import keys
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer

BLOCK = 20
DISTINCT = 40
MOST = 1.10
DAY = 86_400_000


def fill(url: str, wanted: int) -> None:
    """Put so many games in the middle into a store: a few really played, copied as they are."""
    games = games_in(url)
    client = connect(url, timeout=60, connections=2)
    ids = [
        play_on(games, begin(games, f"stored {number}", 2 + number % 3), 40).session.id
        for number in range(DISTINCT)
    ]
    dumps = [[client.dump(key) for key in keys.game_keys(id_)] for id_ in ids]
    pipe = client.pipeline(transaction=False)
    for number in range(wanted - DISTINCT):
        new = game_id(token_bytes(16))
        for key, dump in zip(keys.game_keys(new), dumps[number % DISTINCT], strict=True):
            pipe.restore(key, DAY, dump)
        if number % 500 == 499:
            pipe.execute()
    pipe.execute()
    client.close()


class House:
    """A store with many games, its server, and turns to be taken there."""

    def __init__(self, stack: ExitStack, folder: Path, size: int, turns: int) -> None:
        self.store = stack.enter_context(EmbeddedStore(folder))
        fill(self.store.url, size)
        self.turns: list[Turn] = many_turns(games_in(self.store.url), turns)
        started = stack.enter_context(
            QwirkleServer(
                redis_url=self.store.url, workers=1, environment={"QWIRKLE_SECRET": SECRET}
            )
        )
        self.server = Server(started.base_url, started.pid)
        self.requests = Requests(self.server.line, self.server.line)

    def cost(self, kind: str, number: int) -> float:
        """Microseconds of CPU for each request of a block."""
        before = self._spent()
        for turn in self.turns[BLOCK * number : BLOCK * (number + 1)]:
            getattr(self.requests, kind)(turn)
        return (self._spent() - before) / 1000 / BLOCK

    def _spent(self) -> int:
        return cpu_ns(self.server.worker) + cpu_ns(self.store.child.pid)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--blocks", type=int, default=60, help=f"of {BLOCK} requests each")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    sizes: list[int] = options.sizes
    costs: dict[tuple[str, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        turns = BLOCK * (options.blocks + 2)
        houses = {size: House(stack, Path(folder) / str(size), size, turns) for size in sizes}
        for number in range(options.blocks + 2):
            for kind in ("read", "play"):
                for size in sizes if number % 2 else sizes[::-1]:
                    cost = houses[size].cost(kind, number)
                    if number >= 2:  # the first blocks warm up
                        costs.setdefault((kind, size), []).append(cost)
    return tell(sizes, costs, options.plot)


def tell(sizes: list[int], costs: dict[tuple[str, int], list[float]], plot: Path | None) -> int:
    worst = 0.0
    print(f"µs of CPU, worker and store; in brackets, times those of {sizes[0]:,} games")
    print(f"{'stored games':>14}" + "".join(f"{size:>16,}" for size in sizes))
    curves = []
    for kind in ("read", "play"):
        row = f"{kind:>14}"
        base = costs[kind, sizes[0]]
        for size in sizes:
            pairs = zip(costs[kind, size], base, strict=True)
            ratio = statistics.median(mine / least for mine, least in pairs)
            worst = max(worst, ratio)
            row += f"{statistics.median(costs[kind, size]):9.0f} ({ratio:.2f})"
        print(row)
        curves.append((kind, sizes, [statistics.median(costs[kind, size]) for size in sizes]))
    print(f"the dearest is {worst:.2f} times the smallest store's (at most {MOST:.2f})")
    if plot:
        draw(
            plot,
            curves,
            across="stored games",
            up="µs of CPU",
            title="Cost against the number of stored games",
            log=(True, False),
        )
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
