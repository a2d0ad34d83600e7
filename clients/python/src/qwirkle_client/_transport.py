"""The two ways to do input and output: blocking, and on an asyncio event loop.

All logic is written once, as coroutines over a `Transport`. Those over a `BlockingTransport` never
wait for an event loop, so `run` carries them out in one go.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

import httpx

T = TypeVar("T")


class OpenResponse(NamedTuple):
    """An answer whose body comes in pieces. A refusal has its whole body already."""

    response: httpx.Response
    pieces: AsyncIterator[bytes]


class Transport(Protocol):
    """Sends requests and waits."""

    @property
    def http(self) -> httpx.Client | httpx.AsyncClient:
        """What the requests are built with."""
        ...

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer with its whole body."""
        ...

    def open(self, request: httpx.Request) -> AbstractAsyncContextManager[OpenResponse]:
        """The answer, while its body is still coming."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class BlockingTransport:
    """Blocks the thread."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer with its whole body."""
        return self.http.send(request)

    @asynccontextmanager
    async def open(self, request: httpx.Request) -> AsyncIterator[OpenResponse]:
        """The answer, while its body is still coming."""
        response = self.http.send(request, stream=True)
        try:
            if not response.is_success:
                response.read()
            yield OpenResponse(response, _iterated(response.iter_bytes()))
        finally:
            response.close()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class AsyncTransport:
    """Lets other tasks run meanwhile."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def send(self, request: httpx.Request) -> httpx.Response:
        """The answer with its whole body."""
        return await self.http.send(request)

    @asynccontextmanager
    async def open(self, request: httpx.Request) -> AsyncIterator[OpenResponse]:
        """The answer, while its body is still coming."""
        response = await self.http.send(request, stream=True)
        try:
            if not response.is_success:
                await response.aread()
            yield OpenResponse(response, response.aiter_bytes())
        finally:
            await response.aclose()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


async def _iterated(items: Iterator[bytes]) -> AsyncIterator[bytes]:
    for item in items:
        yield item


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
