"""Real stores of many servers on this machine: a Cluster of six, and a primary under Sentinels.

Every server keeps an append-only file, so that one that was killed comes back with what it had.
Every wait ends: what does not happen within a minute fails the test that waits for it.
"""

import os
import random
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.child_process import ChildProcess
from service.store.embedded import EmbeddedStore, valkey_binary
from tests.cluster.access import QUOTED, USER, rights

PATIENCE = 60.0
SLOTS = 16384
SERVICE = "qwirkle"
SENTINELS_OWN = "only-for-sentinels"


def until(condition: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
    """Return as soon as the condition holds; a server that does not answer yet is no failure."""
    deadline = monotonic() + patience
    while True:
        try:
            if condition():
                return
        except (redis.RedisError, OSError, LookupError):
            pass
        if monotonic() > deadline:
            raise AssertionError(f"it did not happen in {patience} seconds that {what}")
        Event().wait(0.05)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, or will while these tests run.

    The kernel gives none of them to a connection, tests that run beside these take theirs from
    another range, and none is given twice: a killed server finds its own free.
    """
    first = 10_000 + 4_000 * (int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 5)
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(first, first + 4_000)
        with suppress(OSError):
            if port not in _given:
                socket.create_server(("127.0.0.1", port)).close()
                _given.add(port)
                found.append(port)
    return found


_given: set[int] = set()


def on_port(port: int) -> tuple[str, ...]:
    """Options of a server that also listens on this port."""
    return ("--port", str(port), "--bind", "127.0.0.1")


class Node:
    """One server of a store; what `ask` sends is sent to it alone."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        self.port = port
        self.store = EmbeddedStore(folder / str(port), extra=(*on_port(port), *options))
        once = Retry(NoBackoff(), 0)
        self.client = redis.Redis(port=port, socket_timeout=10, retry=once, protocol=2)

    def ask(self, *command: Any) -> Any:
        return self.client.execute_command(*command)

    def start(self) -> None:
        """Start it, with a user who may do no more than the manual says."""
        self.store.start()
        self.ask("ACL", "SETUSER", *rights())

    def kill(self) -> None:
        """End it as a power cut would end the machine, and wait until it is gone."""
        os.kill(self.store.child.pid, signal.SIGKILL)
        self.store.child.wait(PATIENCE)

    def freeze(self) -> None:
        os.kill(self.store.child.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.store.child.pid, signal.SIGCONT)

    def close(self) -> None:
        self.client.close()
        if self.store._child is not None:
            self.store.child.kill()
            self.store.child.wait(PATIENCE)
        self.store.release()

    @property
    def info(self) -> dict[str, Any]:
        return self.client.info("replication")

    @property
    def id(self) -> str:
        return self.ask("CLUSTER", "MYID").decode()

    def is_primary(self) -> bool:
        return self.ask("ROLE")[0] == b"master"

    def has_replicas(self, count: int) -> bool:
        """Whether so many replicas have everything and are told of every write."""
        info = self.info
        states = [info[f"slave{n}"]["state"] for n in range(info["connected_slaves"])]
        return self.is_primary() and states.count("online") >= count


class Deployment:
    """Servers in a folder of their own, all ended with it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="qw-"))
        self.nodes: list[Node] = []

    def __enter__(self) -> Self:
        try:
            self.build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def build(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        for node in self.nodes:
            node.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, *options: str) -> Node:
        node = Node(self.folder, free_ports(1)[0], "--repl-diskless-sync-delay", "0", *options)
        self.nodes.append(node)
        node.start()
        return node


class Cluster(Deployment):
    """Three primaries with a replica each."""

    @property
    def url(self) -> str:
        listed = ",".join(f"127.0.0.1:{node.port}" for node in self.nodes[:3])
        return f"redis+cluster://{USER}:{QUOTED}@{listed}"

    def build(self) -> None:
        for _ in range(6):
            # Long enough that a busy machine is not taken for a dead one.
            timeout = ("--cluster-node-timeout", "4000")
            bus = ("--cluster-port", str(free_ports(1)[0]))
            self.add("--cluster-enabled", "yes", *timeout, *bus)
        first, *others = self.nodes
        primaries, replicas = self.nodes[:3], self.nodes[3:]
        for number, node in enumerate(primaries):
            node.ask("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            bounds = (SLOTS * number // 3, SLOTS * (number + 1) // 3 - 1)
            node.ask("CLUSTER", "ADDSLOTSRANGE", *bounds)
        bus_of = {node: node.client.config_get("cluster-port")["cluster-port"] for node in others}
        for node in others:
            first.ask("CLUSTER", "MEET", "127.0.0.1", node.port, bus_of[node])
        for node in self.nodes:
            until(lambda node=node: node_knows(node, len(self.nodes)), "all servers have met")
        for replica, primary in zip(replicas, primaries, strict=True):
            replica.ask("CLUSTER", "REPLICATE", primary.id)
        self.await_health()

    def await_health(self) -> None:
        """Return once every slot has a primary with a replica, and everybody knows."""
        until(lambda: all(map(is_well, self.nodes)), "the Cluster is well")
        until(lambda: len(self.primaries()) == 3, "three servers are primaries")
        for node in self.primaries():
            until(lambda node=node: node.has_replicas(1), "each primary has its replica")

    def primaries(self) -> list[Node]:
        return [node for node in self.nodes if node.is_primary()]

    def is_replaced(self, lost: Node) -> bool:
        """Whether the others have given its slots to another server."""
        other = next(node for node in self.nodes if node is not lost)
        return all(who[1] != lost.port for _, _, who, *_ in other.ask("CLUSTER", "SLOTS"))

    def owner(self, slot: int) -> Node:
        """Who has the slot, in the eyes of a server that is there."""
        for node in self.nodes:
            try:
                ranges = node.ask("CLUSTER", "SLOTS")
            except redis.RedisError:
                continue
            for first, last, primary, *_ in ranges:
                if first <= slot <= last:
                    return next(each for each in self.nodes if each.port == primary[1])
        raise AssertionError("nobody has the slot")


def node_knows(node: Node, count: int) -> bool:
    lines = node.ask("CLUSTER", "NODES").splitlines()
    return len(lines) == count and not any(b"handshake" in line for line in lines)


def is_well(node: Node) -> bool:
    told = node.ask("CLUSTER", "INFO")
    linked = node.is_primary() or node.info["master_link_status"] == "up"
    return b"cluster_state:ok" in told and b"cluster_slots_fail:0" in told and linked


class Guarded(Deployment):
    """A primary, two replicas and three Sentinels that watch them."""

    def __init__(self) -> None:
        super().__init__()
        self.sentinels: list[ChildProcess] = []
        self.sentinel_ports: list[int] = []

    @property
    def url(self) -> str:
        listed = ",".join(f"127.0.0.1:{port}" for port in self.sentinel_ports)
        secret = f"sentinel_password={SENTINELS_OWN}"
        return f"redis+sentinel://{USER}:{QUOTED}@{listed}/{SERVICE}?{secret}"

    def build(self) -> None:
        primary = self.add()
        for _ in range(2):
            self.add("--replicaof", f"127.0.0.1 {primary.port}")
        until(lambda: primary.has_replicas(2), "the replicas are filled")
        for _ in range(3):
            self._add_sentinel(primary)
        self.await_health()

    def _add_sentinel(self, primary: Node) -> None:
        (port,) = free_ports(1)
        folder = self.folder / f"sentinel-{port}"
        folder.mkdir()
        settings = folder / "sentinel.conf"
        settings.write_text(
            f"port {port}\nbind 127.0.0.1\nrequirepass {SENTINELS_OWN}\n"
            f"sentinel sentinel-pass {SENTINELS_OWN}\n"
            f"dir {folder}\nlogfile {folder}/log\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {primary.port} 2\n"
            # Long enough that a busy machine is not taken for a dead one.
            f"sentinel down-after-milliseconds {SERVICE} 3000\n"
            f"sentinel failover-timeout {SERVICE} 20000\n"
            f"sentinel parallel-syncs {SERVICE} 2\n"
        )
        self.sentinel_ports.append(port)
        self.sentinels.append(ChildProcess([str(valkey_binary()), str(settings), "--sentinel"]))

    def told(self, port: int) -> dict[bytes, bytes]:
        once = Retry(NoBackoff(), 0)
        with redis.Redis(
            port=port, password=SENTINELS_OWN, socket_timeout=10, retry=once
        ) as sentinel:
            fields = sentinel.execute_command("SENTINEL", "MASTER", SERVICE)
        return {_bytes(name): _bytes(value) for name, value in dict(fields).items()}

    def primaries(self) -> list[Node]:
        return [self.primary()]

    def is_replaced(self, lost: Node) -> bool:
        """Whether the Sentinels have agreed on another primary."""
        return self.primary() is not lost

    def await_health(self) -> None:
        """Return once all Sentinels know each other, the primary and both its replicas."""

        def complete(port: int) -> bool:
            told = self.told(port)
            known = (told[b"num-other-sentinels"], told[b"num-slaves"], told[b"flags"])
            return known == (b"2", b"2", b"master")

        for port in self.sentinel_ports:
            until(lambda port=port: complete(port), "the Sentinels know everybody")
        until(lambda: self.primary().has_replicas(2), "the primary has both replicas")

    def primary(self) -> Node:
        """The server that the Sentinels agree on; LookupError while they do not."""
        ports = {int(self.told(port)[b"port"]) for port in self.sentinel_ports}
        if len(ports) != 1:
            raise LookupError("the Sentinels do not agree yet")
        return next(node for node in self.nodes if node.port in ports)

    def close(self) -> None:
        for sentinel in self.sentinels:
            sentinel.kill()
            sentinel.wait(PATIENCE)
        super().close()


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
