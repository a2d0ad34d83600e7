"""Executes one command within one time limit.

The limit covers the whole call: waiting for a free connection, connecting, and repeating the
command after a lost connection.
"""

from time import monotonic
from typing import Any

import redis
from redis.exceptions import ClusterDownError, NoPermissionError, NoScriptError

from service.store.base import StoreUnavailable
from service.store.pool import StorePool
from service.store.scripts import Script, operation_of
from service.telemetry import metrics
from service.telemetry.redis_timing import record_round_trip


class NotConfirmed(redis.RedisError):
    """The write has happened, but too few replicas have confirmed it in time."""


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
PROTECTED = "the store is in protected mode and refuses other machines"
CODES = {
    "DENIED": PROTECTED,
    "MISCONF": "the store cannot write to its disk",
    "NOREPLICAS": "the store misses its replicas",
}
# The server answered, though redis-py counts these as lost connections.
NOT_DROPPED = (redis.AuthenticationError, redis.BusyLoadingError, redis.MaxConnectionsError)

KINDS = (*REASONS, redis.ConnectionError, redis.RedisError)
"""What failures are counted as: the first of these that they are."""

for _kind in KINDS:
    metrics.STORE_FAILURES.labels(_kind.__name__)  # from the start, at 0

USE_SOCKET_TIMEOUT_ABOVE = 0.95
WAIT_SHARE_OF_REST = 0.8


class Executor:
    """Executes commands over a pool, and repeats each once if its connection drops.

    So every command must be harmless when it is executed twice.
    """

    def __init__(self, pool: StorePool) -> None:
        self._pool = pool

    def call(self, *command: Any) -> Any:
        """The server's answer; `StoreUnavailable` for every failure.

        Only `NoScriptError` passes through: the server works, it just does not know the script.
        """
        return self._call(command, 0)

    def run(self, script: Script, *arguments: Any) -> Any:
        """The result of `script` for `arguments` (number of keys, keys, others).

        A server that does not know the script yet, or was restarted, is sent its source.
        """
        return self._run(script, arguments, 0)

    def run_confirmed(self, script: Script, *arguments: Any) -> Any:
        """Like `run`, but returns once the required number of replicas has the write.

        `StoreUnavailable` if they do not confirm in time: then the write has happened, and may be
        lost with the primary. The script must write something even if its work is already done,
        because WAIT covers only what was written over the same connection.
        """
        return self._run(script, arguments, self._pool.replicas)

    def nodes(self) -> "list[Executor]":
        """An executor for each of the servers that store games."""
        return [self]

    def call_all_nodes(self, *command: Any) -> dict[str, Any]:
        """The answers of all servers that store games, by their addresses."""
        return {"": self.call(*command)}

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
            kind = next(kind for kind in KINDS if isinstance(error, kind))
            metrics.STORE_FAILURES.labels(kind.__name__).inc()
            raise StoreUnavailable(reason(error)) from None

    def execute(
        self, command: tuple[Any, ...], deadline: float, replicas: int = 0, *, asking: bool = False
    ) -> Any:
        """The answer by the deadline, or a `RedisError`.

        ``asking`` is for a node of a Cluster that is importing the slot.
        """
        connection = self._pool.acquire()
        try:
            try:
                return self._exchange(connection, command, deadline, replicas, asking=asking)
            except NOT_DROPPED:
                raise
            except redis.ConnectionError:
                # The server may have executed it already; that is harmless.
                connection.disconnect()
                return self._exchange(connection, command, deadline, replicas, asking=asking)
        except redis.ReadOnlyError:
            # The host name may lead to another server by now, once it is looked up again.
            connection.disconnect()
            raise
        except redis.ResponseError:
            raise
        except BaseException:
            # An answer still to come must never be read as that of the next command.
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
        """Send WAIT over the connection that wrote, and so to the server that was written to."""
        if not connection.is_connected:
            raise redis.ConnectionError("WAIT needs the connection that wrote")
        # The answer must arrive before the deadline.
        timeout_ms = max(1, int(_left(deadline) * WAIT_SHARE_OF_REST * 1000))
        if self._send(connection, ("WAIT", replicas, timeout_ms), deadline) < replicas:
            raise NotConfirmed

    def _send(self, connection: Any, command: tuple[Any, ...], deadline: float) -> Any:
        if not connection.is_connected:
            self._connect(connection, _left(deadline))
        began = monotonic()
        connection.send_packed_command(connection.pack_command(*command), check_health=False)
        left = _left(deadline)
        if left > USE_SOCKET_TIMEOUT_ABOVE * self._pool.call_timeout:
            # The socket's own timeout is close enough, and changing it costs system calls.
            answer = connection.read_response()
        else:
            answer = connection.read_response(timeout=left)
        record_round_trip(operation_of(command), monotonic() - began)
        return answer

    def _connect(self, connection: Any, left: float) -> None:
        timeout = self._pool.call_timeout
        connection.socket_connect_timeout = connection.socket_timeout = left
        try:
            connection.connect()
        finally:
            connection.socket_connect_timeout = connection.socket_timeout = timeout
        connection.update_current_socket_timeout(timeout)


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise redis.TimeoutError
    return left


def reason(error: redis.RedisError) -> str:
    """Why the store failed; not the error's own text, which may contain an address or a name."""
    for kind, words in REASONS.items():
        if isinstance(error, kind):
            return words
    if isinstance(error, redis.ConnectionError):
        return "the store cannot be reached"
    code = str(error).partition(" ")[0]
    if code in CODES:
        return CODES[code]
    return f"the store refused a command ({code if code.isupper() else type(error).__name__})"
