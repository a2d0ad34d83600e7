"""One command, one answer, within a fixed time.

The time a call may take in all counts from its start: waiting for a free connection, connecting,
and a repetition after a drop share it.
"""

from time import monotonic
from typing import Any

import redis
from redis.exceptions import ClusterDownError, NoPermissionError, NoScriptError

from service.store.base import StoreUnavailable
from service.store.pool import StorePool
from service.store.scripts import Script, operation_of
from service.telemetry import metrics
from service.telemetry.redis_timing import note_trip


class NotConfirmed(redis.RedisError):
    """What was written is there, and too few replicas have said that they have it too."""


NOT_PERMITTED = "the store does not permit us this command"
REASONS: dict[type[redis.RedisError], str] = {
    redis.TimeoutError: "the store did not answer in time",
    redis.MaxConnectionsError: "all connections to the store are busy",
    redis.AuthenticationError: "the store does not accept our name and password",
    redis.BusyLoadingError: "the store is still loading its data",
    redis.ReadOnlyError: "the store is read-only",
    NoPermissionError: NOT_PERMITTED,
    redis.OutOfMemoryError: "the store is out of memory",
    NotConfirmed: "too few replicas of the store have confirmed it",
    ClusterDownError: "the store's Cluster is down in part",
}
CODES = {
    "MISCONF": "the store cannot write to its disk",
    "NOREPLICAS": "the store misses its replicas",
}
# Answers of a server that is there, though the library counts them as lost connections.
NOT_DROPPED = (redis.AuthenticationError, redis.BusyLoadingError, redis.MaxConnectionsError)

USE_SOCKET_TIMEOUT_ABOVE = 0.95
WAITED_OF_THE_REST = 0.8


class Executor:
    """Sends commands through a pool, each of them repeated once if its connection drops.

    So every command given to it must be harmless when it happens twice.
    """

    def __init__(self, pool: StorePool) -> None:
        self._pool = pool

    def call(self, *command: Any) -> Any:
        """The server's answer; `StoreUnavailable` for every failure.

        `NoScriptError` alone passes through: the server is well, it only lost its scripts.
        """
        return self._call(command, 0)

    def run(self, script: Script, *arguments: Any) -> Any:
        """What `script` answers to `arguments` (number of keys, keys, others).

        A server that does not know the script (it was restarted, or this is the first time) is
        given its text, which has the same effect and makes it known.
        """
        return self._run(script, arguments, 0)

    def run_confirmed(self, script: Script, *arguments: Any) -> Any:
        """Like `run`, returning once as many replicas as are wanted have what it wrote.

        `StoreUnavailable` if they do not say so in time: then it is there, and may be lost if
        the primary is. The script has to write something even where there is nothing to do any
        more, since a server waits only for what its connection has written.
        """
        return self._run(script, arguments, self._pool.replicas)

    def call_all_nodes(self, *command: Any) -> list[Any]:
        """The answers of all servers that have something of the store."""
        return [self.call(*command)]

    def _run(self, script: Script, arguments: tuple[Any, ...], replicas: int) -> Any:
        try:
            return self._call(("EVALSHA", script.digest, *arguments), replicas)
        except NoScriptError:
            return self._call(("EVAL", script.source, *arguments), replicas)

    def _call(self, command: tuple[Any, ...], replicas: int) -> Any:
        try:
            return self.execute(command, monotonic() + self._pool.call_timeout, replicas)
        except NoScriptError:
            raise
        except redis.RedisError as error:
            metrics.STORE_FAILURES.labels(type(error).__name__).inc()
            raise StoreUnavailable(reason(error)) from None

    def execute(
        self, command: tuple[Any, ...], deadline: float, replicas: int = 0, *, asking: bool = False
    ) -> Any:
        """The answer by the deadline, or a `RedisError`.

        ``asking`` is for a server of a Cluster that is about to take over the slot.
        """
        connection = self._pool.acquire()
        try:
            try:
                return self._exchange(connection, command, deadline, replicas, asking=asking)
            except NOT_DROPPED:
                raise
            except redis.ConnectionError:
                # The server may or may not have acted; the command is harmless twice.
                connection.disconnect()
                return self._exchange(connection, command, deadline, replicas, asking=asking)
        except redis.ReadOnlyError:
            # A name may lead to another server by now, but only where it is looked up again.
            connection.disconnect()
            raise
        except redis.ResponseError:
            raise
        except BaseException:
            # An answer still under way must never be taken for the next command's.
            connection.disconnect()
            raise
        finally:
            self._pool.release(connection)  # type: ignore[no-untyped-call]  # redis-py leaves it so

    def _exchange(
        self,
        connection: Any,
        command: tuple[Any, ...],
        deadline: float,
        replicas: int,
        *,
        asking: bool,
    ) -> Any:
        if asking:
            self._send(connection, ("ASKING",), deadline)
        answer = self._send(connection, command, deadline)
        if replicas:
            self._await_replicas(connection, replicas, deadline)
        return answer

    def _await_replicas(self, connection: Any, replicas: int, deadline: float) -> None:
        """Hear on the connection that wrote, and so of the server that was written to."""
        if not connection.is_connected:
            raise redis.ConnectionError("another connection would have nothing to wait for")
        # The server's answer has to come before we stop listening.
        patience = max(1, int(_left(deadline) * WAITED_OF_THE_REST * 1000))
        if self._send(connection, ("WAIT", replicas, patience), deadline) < replicas:
            raise NotConfirmed

    def _send(self, connection: Any, command: tuple[Any, ...], deadline: float) -> Any:
        if not connection.is_connected:
            self._connect(connection, _left(deadline))
        began = monotonic()
        connection.send_packed_command(connection.pack_command(*command), check_health=False)
        left = _left(deadline)
        if left > USE_SOCKET_TIMEOUT_ABOVE * self._pool.call_timeout:
            # The socket's own limit is near enough, and setting another costs system calls.
            answer = connection.read_response()
        else:
            answer = connection.read_response(timeout=left)
        note_trip(operation_of(command), monotonic() - began)
        return answer

    def _connect(self, connection: Any, left: float) -> None:
        patience = self._pool.call_timeout
        connection.socket_connect_timeout = connection.socket_timeout = left
        try:
            connection.connect()
        finally:
            connection.socket_connect_timeout = connection.socket_timeout = patience
        connection.update_current_socket_timeout(patience)


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise redis.TimeoutError
    return left


def reason(error: redis.RedisError) -> str:
    """Why the store failed, in words of our own: an error's text may hold an address or a name."""
    for kind, words in REASONS.items():
        if isinstance(error, kind):
            return words
    if isinstance(error, redis.ConnectionError):
        return "the store cannot be reached"
    code = str(error).partition(" ")[0]
    if code in CODES:
        return CODES[code]
    return f"the store refused a command ({code if code.isupper() else type(error).__name__})"
