"""What a dying primary takes with it, and what it costs that it takes nothing.

A primary and a replica of it, real servers on this machine. Some threads commit events of games
through the service's own store. Then the primary is killed together with all that is on its way
to the replica, as a power cut would do, the replica is made the primary, and every commit that
was acknowledged is looked for in it. The replica is beside the primary, or some milliseconds
away, as in another zone. Latencies are of whole commits, confirmed where they wait for it.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import socket
import statistics
import tempfile
import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from time import monotonic

import redis

from bench._lag import SlowLink
from service.games.keyring import game_id
from service.store.base import NEVER_UPDATED, Commit, LoggedEvent, StoreUnavailable
from service.store.client import connect
from service.store.embedded import EmbeddedStore
from service.store.redis_store import RedisGameStore

STATE, EVENT = b"s" * 450, b"e" * 60
EVENTS_A_GAME = 45
DAY_MS = 86_400_000
PATIENCE = 30.0


@dataclass
class Tally:
    """What one thread was promised, and how long each promise took."""

    promised: list[tuple[str, int, bytes]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def on_port(port: int) -> tuple[str, ...]:
    """Options of a server that also listens on this port."""
    return ("--port", str(port), "--bind", "127.0.0.1")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def commit_on(store: RedisGameStore, count_event: Tally, stop: threading.Event) -> None:
    """One game after the other, event by event, until told to stop or the store is gone."""
    try:
        while not stop.is_set():
            id_, stamp = game_id(token_bytes(16)), b""
            for version in range(EVENTS_A_GAME):
                nonce = token_bytes(8)
                began = monotonic()
                event = LoggedEvent(version + 1, nonce, EVENT)
                store.commit(Commit(id_, stamp, STATE, (event,), DAY_MS))
                stamp = nonce + NEVER_UPDATED
                count_event.seconds.append(monotonic() - began)
                count_event.promised.append((id_, version + 1, nonce))
                if stop.is_set():
                    return
    except StoreUnavailable:
        return


def await_replica(admin: redis.Redis) -> None:
    """Return once the replica confirms what is written."""
    deadline = monotonic() + PATIENCE
    admin.set("ready", "?")
    while not admin.execute_command("WAIT", 1, 100):
        if monotonic() > deadline:
            raise TimeoutError("the replica does not come")
        admin.set("ready", "?")


def lost_of(tallies: list[Tally], port: int) -> int:
    """How many promised events the server does not have."""
    client = connect(f"redis://127.0.0.1:{port}", timeout=PATIENCE, connections=1)
    store = RedisGameStore(client)
    logs: dict[str, list[bytes]] = {}
    lost = 0
    for count_event in tallies:
        for id_, n, nonce in count_event.promised:
            if id_ not in logs:
                logs[id_] = [logged.nonce for logged in store.load_log(id_)]
            lost += logs[id_][n - 1 : n] != [nonce]
    client.close()
    return lost


def one_round(replicas: int, away: float, seconds: float, threads: int) -> tuple[list[Tally], int]:
    """Commits for a while, a kill, and what was lost."""
    with ExitStack() as end:
        folder = Path(end.enter_context(tempfile.TemporaryDirectory()))
        extra = ("--repl-diskless-sync-delay", "0")
        port, replica_port = free_port(), free_port()
        primary = EmbeddedStore(folder / "a", extra=(*on_port(port), *extra))
        end.callback(primary.release)
        primary.start()
        link = end.enter_context(SlowLink(port, away)) if away else None
        following = ("--replicaof", f"127.0.0.1 {link.port if link else port}", *extra)
        end.enter_context(EmbeddedStore(folder / "b", extra=(*on_port(replica_port), *following)))
        with redis.Redis(port=port) as admin:
            await_replica(admin)
        client = connect(
            f"redis://127.0.0.1:{port}", timeout=5, connections=threads, replicas=replicas
        )
        store, stop = RedisGameStore(client), threading.Event()
        tallies = [Tally() for _ in range(threads)]
        jobs = [
            threading.Thread(target=commit_on, args=(store, each, stop), daemon=True)
            for each in tallies
        ]
        for job in jobs:
            job.start()
        threading.Event().wait(seconds)
        if link:
            link.cut()
        primary.child.kill()
        primary.child.wait(PATIENCE)
        stop.set()
        for job in jobs:
            job.join(PATIENCE)
        client.close()
        with redis.Redis(port=replica_port) as admin:
            admin.execute_command("REPLICAOF", "NO", "ONE")
        return tallies, lost_of(tallies, replica_port)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of commits before each kill")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"{given.threads} threads, {given.rounds} kills a row, {given.seconds:g} s each\n")
    print("| replica | waits for | commits/s | median ms | 99th ms | acknowledged | lost |")
    print("|---|---|---|---|---|---|---|")
    for away in (0.0, 0.001, 0.01):
        for replicas in (0, 1):
            rounds = [
                one_round(replicas, away, given.seconds, given.threads) for _ in range(given.rounds)
            ]
            tallies = [count_event for each, _ in rounds for count_event in each]
            took = [second * 1000 for count_event in tallies for second in count_event.seconds]
            where = "beside it" if not away else f"{away * 1000:g} ms away"
            rate = len(took) / given.seconds / given.rounds
            percentile = statistics.quantiles(took, n=100)[98]
            lost = sum(count for _, count in rounds)
            print(
                f"| {where} | {replicas} | {rate:,.0f} | {statistics.median(took):.2f} "
                f"| {percentile:.2f} | {len(took):,} | {lost:,} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
