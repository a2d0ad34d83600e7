"""One command, one answer, within a fixed time.

The time a call may take in all counts from its start: waiting for a free connection, connecting,
and a repetition after a drop share it.
"""

from time import monotonic
from typing import Any

import redis
from redis.exceptions import NoPermissionError, NoScriptError

from service.store.connect import StorePool
from service.store.games import StoreUnavailable
from service.store.scripts import Script

NOT_PERMITTED = "the store does not permit us this command"
REASONS: dict[type[redis.RedisError], str] = {
    redis.TimeoutError: "the store did not answer in time",
    redis.MaxConnectionsError: "all connections to the store are busy",
    redis.AuthenticationError: "the store does not accept our name and password",
    redis.BusyLoadingError: "the store is still loading its data",
    redis.ReadOnlyError: "the store is read-only",
    NoPermissionError: NOT_PERMITTED,
    redis.OutOfMemoryError: "the store is out of memory",
}
CODES = {
    "MISCONF": "the store cannot write to its disk",
    "NOREPLICAS": "the store misses its replicas",
}
# Answers of a server that is there, though the library counts them as lost connections.
NOT_DROPPED = (redis.AuthenticationError, redis.BusyLoadingError, redis.MaxConnectionsError)

HARDLY_BEGUN = 0.95


class Line:
    """Sends commands through a pool, each of them repeated once if its connection drops.

    So every command given to it must be harmless when it happens twice.
    """

    def __init__(self, pool: StorePool) -> None:
        self._pool = pool

    def call(self, *command: Any) -> Any:
        """The server's answer; `StoreUnavailable` for every failure.

        `NoScriptError` alone passes through: the server is well, it only lost its scripts.
        """
        try:
            return self._call(command)
        except NoScriptError:
            raise
        except redis.RedisError as error:
            raise StoreUnavailable(reason(error)) from None

    def run(self, script: Script, *arguments: Any) -> Any:
        """What `script` answers to `arguments` (number of keys, keys, others).

        A server that does not know the script (it was restarted, or this is the first time) is
        given its text, which has the same effect and makes it known.
        """
        try:
            return self.call("EVALSHA", script.digest, *arguments)
        except NoScriptError:
            return self.call("EVAL", script.source, *arguments)

    def _call(self, command: tuple[Any, ...]) -> Any:
        deadline = monotonic() + self._pool.patience
        connection = self._pool.borrow()
        try:
            try:
                return self._send(connection, command, deadline)
            except NOT_DROPPED:
                raise
            except redis.ConnectionError:
                # The server may or may not have acted; the command is harmless twice.
                connection.disconnect()
                return self._send(connection, command, deadline)
        except redis.ResponseError:
            raise
        except BaseException:
            # An answer still under way must never be taken for the next command's.
            connection.disconnect()
            raise
        finally:
            self._pool.give_back(connection)

    def _send(self, connection: Any, command: tuple[Any, ...], deadline: float) -> Any:
        if not connection.is_connected:
            self._connect(connection, _left(deadline))
        connection.send_packed_command(connection.pack_command(*command), check_health=False)
        left = _left(deadline)
        if left > HARDLY_BEGUN * self._pool.patience:
            # The socket's own limit is near enough, and setting another costs system calls.
            return connection.read_response()
        return connection.read_response(timeout=left)

    def _connect(self, connection: Any, left: float) -> None:
        patience = self._pool.patience
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
