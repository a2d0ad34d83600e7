"""What the size of the board costs: finding all plays, reading a game, making a play.

The CPU time of a read and of a play is the worker's and the store's together; sizes alternate
in short blocks, and medians count. The floor is the cost on the smallest board.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path

from bench._plots import draw
from bench._tables import SECRET, Turn, begin, copies, games_in, play_on, turn_of
from bench.http import Requests, Server, cpu_ns
from service.games.service import Games
from service.rules.board import Board
from service.rules.legal_plays import legal_plays
from service.store.embedded import EmbeddedStore
from tests.servers import QwirkleServer

SIZES = (5, 20, 40, 60, 80, 95)
BLOCK = 20
DISTINCT = 8


def turns_at(games: Games, tiles: int, wanted: int) -> list[Turn]:
    """Turns on boards of at least so many tiles: copies of a few games, each to be played once."""
    found: list[list[Turn]] = []
    for number in count():
        if len(found) == DISTINCT:
            break
        turn = turn_of(games, play_on(games, begin(games, f"boards {number}"), tiles))
        if turn:
            found.append(copies(games, turn, wanted // DISTINCT + 1))
    return [turn for alike in zip(*found, strict=True) for turn in alike]


def search_cost(turns: list[Turn]) -> float:
    """Microseconds to find all plays on a board of which nothing is worked out yet."""
    positions = []
    for turn in turns[:DISTINCT]:
        game = turn.table.game
        assert game.mover is not None
        positions.append((game.board.tiles.items(), game.player(game.mover).hand))
    best = []
    for _ in range(15):
        began = time.process_time()
        for tiles, hand in positions:
            legal_plays(Board(tiles), hand)
        best.append((time.process_time() - began) / len(positions))
    return min(best) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=30, help=f"of {BLOCK} requests each")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    environment = {"QWIRKLE_SECRET": SECRET}
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedStore(Path(folder)) as store,
        QwirkleServer(redis_url=store.url, workers=1, environment=environment) as started,
    ):
        games = games_in(store.url)
        turns = {size: turns_at(games, size, BLOCK * (options.blocks + 1)) for size in SIZES}
        ours = Server(started.base_url, started.pid)
        requests = Requests(ours.line, ours.line)
        costs: dict[tuple[str, int], list[float]] = {}
        for number in range(options.blocks + 1):
            for size in SIZES:
                block = turns[size][BLOCK * number : BLOCK * (number + 1)]
                for kind in ("read", "play"):
                    before = cpu_ns(ours.worker) + cpu_ns(store.child.pid)
                    for turn in block:
                        getattr(requests, kind)(turn)
                    spent = cpu_ns(ours.worker) + cpu_ns(store.child.pid) - before
                    if number:  # the first block warms up
                        costs.setdefault((kind, size), []).append(spent / 1000 / BLOCK)
    tell(costs, {size: search_cost(turns[size]) for size in SIZES}, options.plot)


def tell(
    costs: dict[tuple[str, int], list[float]], found: dict[int, float], plot: Path | None
) -> None:
    curves = {
        "all legal plays": [found[size] for size in SIZES],
        "read": [statistics.median(costs["read", size]) for size in SIZES],
        "play": [statistics.median(costs["play", size]) for size in SIZES],
    }
    print("µs of CPU by tiles on the table; in brackets, times the smallest board's")
    print(f"{'tiles':>16}" + "".join(f"{size:>14}" for size in SIZES))
    for name, values in curves.items():
        row = "".join(f"{value:8.0f} ({value / values[0]:.2f})" for value in values)
        print(f"{name:>16}{row}")
    if plot:
        draw(
            plot,
            [(name, SIZES, values) for name, values in curves.items()],
            across="tiles on the table",
            up="µs of CPU",
            title="Cost against the size of the board",
        )


if __name__ == "__main__":
    main()
