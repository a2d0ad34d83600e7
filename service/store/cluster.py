"""A Cluster: each command goes to the node that serves its slot, wherever that is by now.

redis-py's `NodesManager` knows the nodes and who serves which slot. `RedisCluster`'s own way of
executing a command is not used: it cannot keep one deadline for a whole call, nor send `WAIT` over
the connection that wrote. docs/decisions/replication.md has the details.
"""

import random
import threading
from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any, Final

import redis
from redis.cluster import ClusterNode, NodesManager
from redis.crc import key_slot
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    RedisClusterException,
    SlotNotCoveredError,
    TryAgainError,
)

from service.store.base import StoreUnavailable
from service.store.executor import Executor, NotConfirmed, reason
from service.store.pool import StorePool
from service.store.redis_url import Host

SHARED_SECONDS: Final = 0.1
"""A topology this recent is not asked for again, however many callers find it wrong."""

PAUSES: Final = (0.0, 0.0, 0.02, 0.05, 0.1, 0.2)
"""Seconds before each attempt: a redirection is followed at once, a failover is waited for a
little. Waiting longer would only pile up requests that their senders can repeat as well."""

WITHOUT_KEY: Final = frozenset({"PING", "INFO"})
SCRIPTS: Final = frozenset({"EVAL", "EVALSHA"})

# The server is there and will say the same again, or has no time left.
FINAL: Final = (redis.AuthenticationError, redis.MaxConnectionsError)
# Another node may serve the slot by now, or this one may be ready in a moment.
TRANSIENT: Final = (redis.ConnectionError, redis.ReadOnlyError, ClusterDownError, TryAgainError)


class NodeClient(redis.Redis):
    """The client of one node. What `NodesManager` asks it ends by the deadline of a refresh."""

    def __init__(self, cluster: "ClusterPool", host: str, port: int, **options: Any) -> None:
        self.host, self.port = host, port
        pool = StorePool(host=host, port=port, **options)
        super().__init__(connection_pool=pool)
        self.executor = Executor(pool)
        self._cluster = cluster

    def execute_command(self, *args: Any, **_options: Any) -> Any:
        """The topology as this node sees it; a RedisError if it sees none."""
        try:
            slots = self.executor.execute(args, self._cluster.share_of(self._cluster.deadline))
            if not slots:
                raise ClusterDownError("the node knows of no slots")
        except redis.RedisError as error:
            self._cluster.failure = error
            raise
        for _, _, *nodes in slots:
            for node in nodes:
                # A node that does not know its own address leaves it empty.
                node[0] = node[0] or self.host.encode()
        return slots


class Topology(NodesManager):
    """redis-py's topology, with clients that keep deadlines."""

    def __init__(self, cluster: "ClusterPool", seeds: tuple[Host, ...]) -> None:
        self._cluster = cluster
        nodes = [ClusterNode(*seed) for seed in seeds]  # type: ignore[no-untyped-call]  # untyped
        super().__init__(nodes)

    def create_redis_node(self, host: str, port: int, **_options: Any) -> NodeClient:
        """The node's client; always the same one, so that its connections are kept."""
        return self._cluster.client_at((host, port))


class ClusterPool(StorePool):
    """The nodes of a Cluster. As a pool of its own it connects to the first seed."""

    def __init__(self, seeds: tuple[Host, ...], **options: Any) -> None:
        super().__init__(host=seeds[0][0], port=seeds[0][1], **options)
        self._options = options
        self._seeds = seeds
        self._clients: dict[Host, NodeClient] = {}
        self._topology: Topology | None = None
        self._refreshing = threading.Lock()
        self._refreshed_at = float("-inf")
        self._suspected: Host | None = None
        # Of the refresh that is under way:
        self.deadline = 0.0
        self.failure: redis.RedisError = redis.ConnectionError("no node of the Cluster answers")

    def client_at(self, host: Host) -> NodeClient:
        """The client of the node at this address, known or not."""
        found = self._clients.get(host)
        if found is None:
            found = self._clients.setdefault(host, NodeClient(self, *host, **self._options))
        return found

    def client_for(self, slot: int, deadline: float) -> NodeClient:
        """The client of the node that serves the slot; a RedisError if none does."""
        suspected, self._suspected = self._suspected, None
        if suspected or self._topology is None or slot not in self._topology.slots_cache:
            self.refresh(deadline, suspected)
        try:
            node = self.topology.get_node_from_slot(slot)
        except SlotNotCoveredError:
            raise ClusterDownError("the slot is not served") from None
        return self.client_at((node.host, node.port))

    def primaries(self, deadline: float) -> list[NodeClient]:
        """The clients of all nodes that serve slots, in random order."""
        if self._topology is None:
            self.refresh(deadline)
        nodes = self.topology.get_nodes_by_server_type("primary")
        found = [self.client_at((node.host, node.port)) for node in nodes]
        random.shuffle(found)
        return found

    @property
    def topology(self) -> Topology:
        """What is known of the Cluster; a RedisError if that is nothing."""
        if self._topology is None:
            raise self.failure
        return self._topology

    def refresh(self, deadline: float, suspected: Host | None = None) -> None:
        """Ask for the topology, the suspected node last, unless somebody just did.

        One caller asks for all. If nobody answers, what was known before still counts.
        """
        if not self._refreshing.acquire(timeout=max(0.0, deadline - monotonic())):
            raise redis.TimeoutError
        try:
            if monotonic() - self._refreshed_at > SHARED_SECONDS:
                self.deadline = deadline
                try:
                    self._ask_nodes(suspected)
                finally:
                    self._refreshed_at = monotonic()
        finally:
            self._refreshing.release()

    def _ask_nodes(self, suspected: Host | None) -> None:
        try:
            if self._topology is None:
                self._topology = Topology(self, self._seeds)
                return
            self._topology.initialize(
                # Seeds are names that may lead to new nodes when all known ones are gone.
                additional_startup_nodes_info=list(self._seeds),
                disconnect_startup_nodes_pools=False,
                last_failed_node_name="{}:{}".format(*suspected) if suspected else None,
            )
        except RedisClusterException:
            return
        known = {(node.host, node.port) for node in self._topology.nodes_cache.values()}
        for host in self._clients.keys() - known - {*self._seeds}:
            # Calls under way may finish; their connections are closed with the last reference.
            self._clients.pop(host).connection_pool.disconnect(inuse_connections=False)

    def share_of(self, deadline: float) -> float:
        """The deadline for one of several nodes, so that time is left for the others."""
        return min(deadline, monotonic() + self.call_timeout / 4)

    def node_for(self, channel: str) -> object:
        """The client of the node that serves the channel's slot."""
        return self.client_for(key_slot(channel.encode()), monotonic() + self.call_timeout)

    def dedicated_connection(self, node: object) -> Any:
        """A new connection to this node, not yet open, that never joins a pool."""
        if not isinstance(node, NodeClient):
            raise TypeError("a node comes from node_for")
        pool = node.connection_pool
        return pool.connection_class(**pool.connection_kwargs)

    def suspect(self, connection: Any) -> None:
        """Have the next call refresh the topology, and ask the node of this connection last."""
        self._suspected = (connection.host, connection.port)

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Close the connections to all nodes."""
        super().disconnect(inuse_connections)
        for client in list(self._clients.values()):
            client.connection_pool.disconnect(inuse_connections)


class ClusterExecutor(Executor):
    """An `Executor` for all nodes of a Cluster."""

    def __init__(self, cluster: ClusterPool) -> None:
        super().__init__(cluster)
        self._cluster = cluster

    def execute(
        self, command: tuple[Any, ...], deadline: float, replicas: int = 0, *, asking: bool = False
    ) -> Any:
        """The answer of the node that serves the slot by the deadline, or a `RedisError`."""
        if command[0] in WITHOUT_KEY:
            _, answer = next(self._answers(command, deadline))
            return answer
        slot = key_slot(_key(command))
        redirected: NodeClient | None = None
        failure: redis.RedisError = redis.TimeoutError()
        for pause in PAUSES:
            if monotonic() + pause >= deadline:
                break
            if pause:
                sleep(pause)
            node = redirected or self._cluster.client_for(slot, deadline)
            redirected = None
            try:
                return node.executor.execute(command, deadline, replicas, asking=asking)
            except AskError as error:
                failure, asking = error, not isinstance(error, MovedError)
                redirected = self._follow(error, node, deadline)
            except FINAL:
                raise
            except TRANSIENT as error:
                failure, asking = error, False
                self._cluster.refresh(deadline)
            except (redis.TimeoutError, NotConfirmed):
                # It may be cut off from the others, who have elected another primary.
                self._cluster.suspect(node)
                raise
        raise failure

    def _follow(self, error: AskError, by: NodeClient, deadline: float) -> NodeClient:
        """The node that serves the slot (MOVED), or will serve it (ASK: for this command only)."""
        error.host = error.host or by.host
        if isinstance(error, MovedError):
            # Many slots may have moved; one refresh finds all of them.
            self._cluster.refresh(deadline)
            if error.slot_id in self._cluster.topology.slots_cache:
                self._cluster.topology.move_slot(error)
        return self._cluster.client_at((error.host, error.port))

    def nodes(self) -> list[Executor]:
        """An executor for each primary; `StoreUnavailable` if none is known."""
        try:
            found = self._cluster.primaries(monotonic() + self._cluster.call_timeout)
        except redis.RedisError as error:
            raise StoreUnavailable(reason(error)) from None
        return [node.executor for node in found]

    def call_all_nodes(self, *command: Any) -> dict[str, Any]:
        """The answers of all primaries that answer; `StoreUnavailable` if none does."""
        try:
            return dict(self._answers(command, monotonic() + self._cluster.call_timeout))
        except redis.RedisError as error:
            raise StoreUnavailable(reason(error)) from None

    def _answers(self, command: tuple[Any, ...], deadline: float) -> Iterator[tuple[str, Any]]:
        """Address and answer of each primary, in random order; a `RedisError` if none answers."""
        answered = False
        failure: redis.RedisError = ClusterDownError("no node serves any slots")
        for node in self._cluster.primaries(deadline):
            try:
                answer = node.executor.execute(command, self._cluster.share_of(deadline))
            except redis.RedisError as error:
                failure = error
            else:
                answered = True
                yield f"{node.host}:{node.port}", answer
        if not answered:
            self._cluster.refresh(deadline)
            raise failure


def _key(command: tuple[Any, ...]) -> bytes:
    """The command's first key."""
    key = command[3] if command[0] in SCRIPTS else command[1]
    return key if isinstance(key, bytes) else str(key).encode()
