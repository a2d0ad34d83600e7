"""Connections to one server, opened when first needed and used by one call at a time."""

import os
from queue import Empty
from typing import Any

import redis
from redis.connection import BlockingConnectionPool


class StorePool(BlockingConnectionPool):
    """A limited number of connections per process, also after a fork.

    A call that finds all of them busy waits for one for up to half of ``call_timeout``, the time
    that a whole call may take. ``replicas`` must confirm a write before it counts.
    """

    def __init__(
        self, *, call_timeout: float, connections: int, replicas: int = 0, **options: Any
    ) -> None:
        self.call_timeout = call_timeout
        self.replicas = replicas
        super().__init__(  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
            max_connections=connections, timeout=call_timeout / 2, **options
        )

    def acquire(self) -> Any:
        """A connection, open or not; hand it to `release` in any case.

        Unlike `get_connection` this does not ask the kernel whether the other end hung up (under
        gevent that costs more than the command): the caller notices and connects again.
        """
        if self.pid != os.getpid():
            # After a fork redis-py starts with an empty pool; it does so in every public method.
            self.disconnect(inuse_connections=False)
        try:
            connection = self.pool.get(timeout=self.timeout)
        except Empty:
            raise redis.MaxConnectionsError("all connections are busy") from None
        if connection is None:
            connection = self.make_connection()  # type: ignore[no-untyped-call]  # as above
        return connection

    # The rest has an answer only where the store is more than one server.

    def node_for(self, _channel: str) -> object:
        """The server that publishes this channel; None if there is only one."""
        return None

    def dedicated_connection(self, _node: object) -> Any:
        """A new connection to this server, not yet open, that never joins the pool."""
        return self.connection_class(**self.connection_kwargs)

    def suspect(self, connection: Any) -> None:
        """Report that the server of this connection may no longer be the right one."""

    def is_current(self, _connection: Any) -> bool:
        """Whether this open connection leads to the right server, as far as known."""
        return True
