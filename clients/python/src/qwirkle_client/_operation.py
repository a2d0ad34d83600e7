"""Methods that are written once, and block or are awaited depending on their class."""

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from qwirkle_client._answer import Answer
from qwirkle_client._connection import Connection
from qwirkle_client._request import Request
from qwirkle_client._transport import run

P = ParamSpec("P")
T = TypeVar("T")


class Client:
    """Sends requests over a connection."""

    _connection: Connection

    async def _send(self, request: Request[T]) -> T:
        answer = await self._connection.send(request)
        read = request.read(answer)
        self._note(answer)
        return read

    def _note(self, answer: Answer) -> None:
        """Called with each successful answer."""


class Blocking(Client):
    """Its operations return when the answer is there."""

    def _perform(self, request: Request[T]) -> T:
        return run(self._send(request))


class Asynchronous(Client):
    """Its operations are coroutines."""

    def _perform(self, request: Request[T]) -> Coroutine[Any, Any, T]:
        return self._send(request)


class Operation(Generic[P, T]):
    """A method that returns what its request is answered with.

    `operation_id` is its name in the contract.
    """

    def __init__(
        self, operation_id: str, method: Callable[Concatenate[Any, P], Request[T]]
    ) -> None:
        self.operation_id = operation_id
        self.method = method

    @overload
    def __get__(self, client: None, kind: type) -> Callable[Concatenate[Any, P], Request[T]]: ...
    @overload
    def __get__(self, client: Blocking, kind: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: Asynchronous, kind: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Any, kind: type) -> Any:
        if client is None:
            return self.method

        def performed(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client._perform(self.method(client, *args, **kwargs))  # noqa: SLF001  # its own

        return update_wrapper(performed, self.method)


def operation(
    operation_id: str,
) -> Callable[[Callable[Concatenate[Any, P], Request[T]]], Operation[P, T]]:
    """Make a method that builds a request into one that sends it."""
    return lambda method: Operation(operation_id, method)
