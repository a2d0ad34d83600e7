"""The two ways to do input and output: blocking, and on an asyncio event loop.

All logic is written once, as coroutines over a `Transport`. Those over a `BlockingTransport` never
wait for an event loop, so `run` carries them out in one go.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

import httpx

from qwirkle_client._deadline import deadline, is_late

T = TypeVar("T")


class Transport(Protocol):
    """Sends requests and waits."""

    @property
    def http(self) -> httpx.Client | httpx.AsyncClient:
        """What the requests are built with."""
        ...

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer, while its body is still coming."""
        ...

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body as it comes."""
        ...

    async def close(self, response: httpx.Response) -> None:
        """Give up what is still to come of a body."""
        ...

    def within(self, seconds: float) -> AbstractAsyncContextManager[None]:
        """A context that fails with `httpx.ReadTimeout` if it takes longer."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class BlockingTransport:
    """Blocks the thread."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer, while its body is still coming."""
        return self.http.send(request, stream=True)

    async def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body as it comes."""
        for piece in response.iter_raw():
            if is_late():
                raise httpx.ReadTimeout("the time is up")
            yield piece

    async def close(self, response: httpx.Response) -> None:
        """Give up what is still to come of a body."""
        response.close()

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """A context that fails with `httpx.ReadTimeout` if it takes longer."""
        with deadline(seconds):
            yield

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class AsyncTransport:
    """Lets other tasks run meanwhile."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer, while its body is still coming."""
        return await self.http.send(request, stream=True)

    def pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The body as it comes."""
        return response.aiter_raw()

    async def close(self, response: httpx.Response) -> None:
        """Give up what is still to come of a body."""
        await response.aclose()

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """A context that fails with `httpx.ReadTimeout` if it takes longer."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except TimeoutError as error:
            raise httpx.ReadTimeout("the time is up") from error

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine over a `BlockingTransport`."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("a blocking transport has waited for an event loop")


def iterate(items: AsyncGenerator[T]) -> Generator[T, None, None]:
    """The items of an asynchronous generator over a `BlockingTransport`."""

    async def following() -> T:
        return await anext(items)

    try:
        while True:
            try:
                item = run(following())
            except StopAsyncIteration:
                return
            yield item
    finally:
        run(items.aclose())
