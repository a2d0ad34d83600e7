"""The client as a test uses it: blocking, or asynchronous behind a blocking face."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from qwirkle_client import AsyncQwirkle, Qwirkle
from tests import secrecy
from tests.contract.checker import check_answer

Connect = Callable[..., Any]


def blocking(base_url: str, *, checked: bool = True, **options: Any) -> Qwirkle:
    """A `Qwirkle`; if `checked`, each of its answers is compared with the contract."""
    http = httpx.Client(event_hooks={"response": [_check]}) if checked else None
    return Qwirkle(base_url, http_client=http, **options)


class Awaited:
    """An `AsyncQwirkle`, or a game of it, on an event loop of its own that runs while it works."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: Any) -> None:
        self._loop = loop
        self._client = client

    def game(self, game_id: str, token: str | None = None) -> Any:
        return Awaited(self._loop, self._client.game(game_id, token))

    def follow(self, **options: Any) -> Iterator[Any]:
        events = self._client.follow(**options)
        try:
            while True:
                try:
                    event = self._loop.run_until_complete(anext(events))
                except StopAsyncIteration:
                    return
                yield event
        finally:
            # The garbage collector may end it at any time; then `close` takes care of it.
            if not self._loop.is_closed() and not self._loop.is_running():
                self._loop.run_until_complete(events.aclose())

    def close(self) -> None:
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._client.close())
        self._loop.close()

    def __repr__(self) -> str:
        return repr(self._client)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if not callable(found):
            return found
        return lambda *given, **options: self._loop.run_until_complete(found(*given, **options))


def asynchronous(base_url: str, *, checked: bool = True, **options: Any) -> Awaited:
    """An `AsyncQwirkle`; if `checked`, each of its answers is compared with the contract."""

    async def check(response: httpx.Response) -> None:
        if "text/event-stream" not in response.headers.get("Content-Type", ""):
            await response.aread()
            _check(response)

    http = httpx.AsyncClient(event_hooks={"response": [check]}) if checked else None
    return Awaited(asyncio.new_event_loop(), AsyncQwirkle(base_url, http_client=http, **options))


def _check(response: httpx.Response) -> None:
    """An answer that is not the service's, but the proxy's, has no request id."""
    if "text/event-stream" in response.headers.get("Content-Type", ""):
        return
    body = response.read()
    secrecy.note_request(response.request.headers)
    secrecy.note_answer(body)
    if "X-Request-ID" in response.headers:
        request = response.request
        path = request.url.raw_path.decode()
        check_answer(request.method, path, response.status_code, response.headers, body)
