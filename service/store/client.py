"""Makes a client with hard limits from an address.

The client never repeats a command by itself, since only the caller knows whether that is safe.
Commands sent through `service.store.executor` are repeated once after a lost connection.
"""

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.store.cluster import ClusterExecutor, ClusterPool
from service.store.executor import Executor
from service.store.pool import StorePool
from service.store.redis_url import Address, read_address
from service.store.sentinel import MajoritySentinel, SentinelPool


def connect(url: str, *, timeout: float, connections: int, replicas: int = 0) -> redis.Redis:
    """A client for one server, for the primary that Sentinels name, or for a Cluster.

    Nothing is sent yet. ``timeout`` limits a whole call, ``connections`` those to one server, and
    ``replicas`` must confirm a commit before it counts. Raises ValueError, without any part of a
    password, for an invalid address.
    """
    address = read_address(url)
    limits: dict[str, Any] = {
        "call_timeout": timeout,
        "connections": connections,
        "replicas": replicas,
        "socket_timeout": timeout,
        "socket_connect_timeout": timeout,
        # redis-py must not repeat a command: it cannot tell a read from a commit.
        "retry": Retry(NoBackoff(), 0),
        # Saves two round trips whenever a connection is opened.
        "driver_info": None,
        "protocol": 2,
    }
    return redis.Redis(connection_pool=_pool(address, limits))


def pool_of(client: redis.Redis) -> StorePool:
    """The pool of a client made by `connect`; TypeError for any other."""
    pool = client.connection_pool
    if not isinstance(pool, StorePool):
        raise TypeError("the client must come from service.store.client")
    return pool


def executor_for(client: redis.Redis) -> Executor:
    """The executor for commands to the client's store."""
    pool = pool_of(client)
    return ClusterExecutor(pool) if isinstance(pool, ClusterPool) else Executor(pool)


def _pool(address: Address, limits: dict[str, Any]) -> StorePool:
    if address.kind == "cluster":
        return ClusterPool(address.hosts, **limits, **address.options)
    if address.kind == "sentinel":
        sentinel = MajoritySentinel(
            address.hosts, address.service, address.sentinel, limits["call_timeout"]
        )
        return SentinelPool(sentinel, **limits, **address.options)
    return StorePool(**limits, **address.options)
