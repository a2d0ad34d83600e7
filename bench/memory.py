"""How many bytes of the store a game takes, in mid-game and when it is finished, log included.

Distinct games are played, every action under an idempotency key as clients do it, then
copied under fresh ids until there are enough. Beside MEMORY USAGE of the keys stands what
the whole server grew by, its tables of keys and expiries included; the floor is the
payload itself, byte for byte.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import statistics
import tempfile
from pathlib import Path
from secrets import token_bytes

import redis

from bench._tables import begin, games_in, play_on
from service.games.keyring import game_id
from service.store import keys
from service.store.client import connect
from service.store.embedded import EmbeddedStore

MIDDLE = 40
WHOLE = 108
TARGETS = {"mid-game": 4096, "finished": 12288}


def payload(client: redis.Redis, id_: str) -> int:
    """The bytes of state, events and retry entries alone."""
    state, log, retries = keys.game_keys(id_)
    events = client.lrange(log, 0, -1)
    entries = client.hgetall(retries)
    return (
        client.strlen(state)
        + sum(map(len, events))
        + sum(len(key) + len(value) for key, value in entries.items())
    )


def measure(kind: str, tiles: int, wanted: int, distinct: int) -> None:
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        games = games_in(store.url)
        client = connect(store.url, timeout=30, connections=2)
        empty = client.info("memory")["used_memory"]
        ids = []
        for number in range(distinct):
            done = play_on(games, begin(games, f"memory {number}", 2 + number % 3), tiles)
            ids.append(done.session.id)
        bytes_each = [sum(client.memory_usage(key) for key in keys.game_keys(id_)) for id_ in ids]
        floor = statistics.mean(payload(client, id_) for id_ in ids)
        for number in range(wanted - distinct):
            new = game_id(token_bytes(16))
            for key, fresh in zip(
                keys.game_keys(ids[number % distinct]), keys.game_keys(new), strict=True
            ):
                client.restore(fresh, 86_400_000, client.dump(key))
        grown = (client.info("memory")["used_memory"] - empty) / wanted
        mean = statistics.mean(bytes_each)
        print(
            f"{kind:>9} {wanted:7} {mean:8.0f} {max(bytes_each):8} {grown:8.0f} {floor:8.0f}"
            f" {mean / floor:7.2f} {TARGETS[kind]:8}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--distinct", type=int, default=200, help="games really played")
    options = parser.parse_args()
    print("bytes      games     mean     most   server    floor   ratio  at most")
    for kind, tiles in (("mid-game", MIDDLE), ("finished", WHOLE)):
        measure(kind, tiles, options.games, min(options.distinct, options.games))


if __name__ == "__main__":
    main()
