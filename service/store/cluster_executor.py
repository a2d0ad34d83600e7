"""Commands to a Cluster: each goes to the server that has its slot, wherever that is by now."""

from threading import Event
from time import monotonic
from typing import Any, Final

import redis
from redis.crc import key_slot
from redis.exceptions import AskError, ClusterDownError, MovedError, TryAgainError

from service.store.base import StoreUnavailable
from service.store.cluster import ClusterPool, Server
from service.store.executor import Executor, NotConfirmed, reason

PAUSES: Final = (0.0, 0.0, 0.02, 0.05, 0.1, 0.2)
"""Seconds before each try: a redirection is followed at once, a failover is waited for a little.
More would only pile up requests that their senders can repeat as well."""

WITHOUT_KEY: Final = frozenset({"PING", "INFO"})
SCRIPTS: Final = frozenset({"EVAL", "EVALSHA"})

# The server is there and will say the same again, or has no time left.
FINAL: Final = (redis.AuthenticationError, redis.MaxConnectionsError)
# Another server may have the slot by now, or this one may be ready in a moment.
PASSING: Final = (redis.ConnectionError, redis.ReadOnlyError, ClusterDownError, TryAgainError)


class ClusterExecutor(Executor):
    """A `Executor` to all servers of a Cluster."""

    def __init__(self, cluster: ClusterPool) -> None:
        super().__init__(cluster)
        self._cluster = cluster

    def ask(
        self, command: tuple[Any, ...], deadline: float, replicas: int = 0, *, asking: bool = False
    ) -> Any:
        """The answer by the deadline of whoever has the slot, or a `RedisError`."""
        if command[0] in WITHOUT_KEY:
            return self._ask_anybody(command, deadline)
        slot = key_slot(_key(command))
        redirected: Server | None = None
        failure: redis.RedisError = redis.TimeoutError()
        for pause in PAUSES:
            if monotonic() + pause >= deadline:
                break
            if pause:
                Event().wait(pause)
            server = redirected or self._cluster.server_of(slot, deadline)
            redirected = None
            try:
                return server.executor.ask(command, deadline, replicas, asking=asking)
            except AskError as error:
                failure, asking = error, not isinstance(error, MovedError)
                redirected = self._follow(error, server, deadline)
            except FINAL:
                raise
            except PASSING as error:
                failure, asking = error, False
                self._cluster.learn(deadline)
            except (redis.TimeoutError, NotConfirmed):
                # It may be cut off from the others, who have chosen another one.
                self._cluster.doubt(server)
                raise
        raise failure

    def _follow(self, error: AskError, by: Server, deadline: float) -> Server:
        """The server that has the slot (MOVED), or will have it (ASK: for this command only)."""
        host = (error.host or by.host, error.port)
        if isinstance(error, MovedError):
            # Many slots may have moved; one question tells of all of them.
            self._cluster.learn(deadline)
            return self._cluster.moved(error.slot_id, host)
        return self._cluster.server_at(host)

    def everywhere(self, *command: Any) -> list[Any]:
        """The answers of all servers that have slots and answer; `StoreUnavailable` if none do."""
        deadline = monotonic() + self._cluster.patience
        answers, failure = [], redis.RedisError()
        try:
            for server in self._cluster.primaries(deadline):
                try:
                    answers.append(server.executor.ask(command, self._share(deadline)))
                except redis.RedisError as error:
                    failure = error
            if not answers:
                raise failure
        except redis.RedisError as error:
            raise StoreUnavailable(reason(error)) from None
        return answers

    def _ask_anybody(self, command: tuple[Any, ...], deadline: float) -> Any:
        failure: redis.RedisError = ClusterDownError("nobody has any slots")
        for server in self._cluster.primaries(deadline):
            try:
                return server.executor.ask(command, self._share(deadline))
            except redis.RedisError as error:
                failure = error
        self._cluster.learn(deadline)
        raise failure

    def _share(self, deadline: float) -> float:
        """Until when one of several servers may take, so that time is left for the others."""
        return min(deadline, monotonic() + self._cluster.patience / 4)


def _key(command: tuple[Any, ...]) -> bytes:
    """The command's first key."""
    key = command[3] if command[0] in SCRIPTS else command[1]
    return key if isinstance(key, bytes) else str(key).encode()
