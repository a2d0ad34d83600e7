"""Connections to a server, each made when first needed and lent to one call at a time."""

from queue import Empty
from typing import Any

import redis
from redis.connection import BlockingConnectionPool


def ask_once(connection: Any, seconds: float, *command: Any) -> Any:
    """What the server of a fresh connection answers within the seconds; it is closed then."""
    if seconds <= 0:
        raise redis.TimeoutError
    connection.socket_connect_timeout = connection.socket_timeout = seconds
    try:
        connection.connect()
        connection.send_command(*command, check_health=False)
        return connection.read_response()
    finally:
        connection.disconnect()


class StorePool(BlockingConnectionPool):
    """At most so many connections per process, made when first needed, also after a fork.

    Whoever finds all of them busy waits for one instead of failing, for a part of the time a
    whole call may take. ``replicas`` have to confirm what is to be safe.
    """

    def __init__(
        self, *, timeout: float, connections: int, replicas: int = 0, **options: Any
    ) -> None:
        self.patience = timeout
        self.replicas = replicas
        super().__init__(  # type: ignore[no-untyped-call]  # redis-py leaves it untyped
            max_connections=connections, timeout=timeout / 2, **options
        )

    def borrow(self) -> Any:
        """A connection, perhaps not open or no longer, to be handed to `give_back` in any case.

        Unlike `get_connection` this does not ask the kernel whether the other end hung up (under
        gevent that costs more than the command): the borrower notices and connects again.
        """
        self._checkpid()
        try:
            connection = self.pool.get(timeout=self.timeout)
        except Empty:
            raise redis.MaxConnectionsError("all connections are busy") from None
        if connection is None:
            connection = self.make_connection()  # type: ignore[no-untyped-call]  # as above
        return connection

    def give_back(self, connection: Any) -> None:
        """End of a loan. A connection whose answer is still to come must be closed before."""
        self._checkpid()
        if connection.pid == self.pid:
            self.pool.put_nowait(connection)

    # Where the store is one server there is nothing to find out; others know better.

    def place_of(self, _channel: str) -> object:
        """Whatever tells the server that this channel is heard from."""
        return None

    def listener(self, _place: object) -> Any:
        """A connection of the caller's own, to be opened, to the server of this place."""
        return self.make_connection()  # type: ignore[no-untyped-call]  # as above

    def doubt(self, connection: Any) -> None:
        """Say that the server of this connection may not be the right one any more."""

    def trusts(self, _connection: Any) -> bool:
        """Whether the server of this open connection is still the right one, as far as known."""
        return True
