"""Send requests to one service, and again if that is safe and may help."""

import logging
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from qwirkle_client._answer import Answer, unpacked, whole
from qwirkle_client._problem import problem_of
from qwirkle_client._request import Request
from qwirkle_client._transport import Transport
from qwirkle_client.errors import NoAnswer, ProblemError, QwirkleError

TRANSIENT = frozenset({429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
SILENCE = 40.0
"""Seconds after which a silent stream is dead: the service sends a heartbeat every 15."""

USER_AGENT = "qwirkle-client-python"

log = logging.getLogger("qwirkle_client")


def may_pass(error: QwirkleError) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, ProblemError):
        return error.status in TRANSIENT or error.code == "request_in_flight"
    # The other two kinds of RequestError are mistakes in the request itself.
    mistakes = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)
    return isinstance(error, NoAnswer) and not isinstance(error.__cause__, mistakes)


def pause_after(error: QwirkleError, failures: int, first: float, longest: float) -> float:
    """How long to wait before the next try: at random, so that clients do not return together."""
    most = min(longest, first * 2.0 ** min(failures, 16))
    return max(random.uniform(0.0, most), error.retry_after)  # noqa: S311  # spreads load only


class OpenAnswer(NamedTuple):
    """An answer whose body comes in pieces."""

    status: int
    headers: httpx.Headers
    pieces: AsyncIterator[bytes]


class Connection:
    """Sends requests to the service at `base_url`, each for at most `patience` seconds."""

    def __init__(
        self,
        transport: Transport,
        base_url: str,
        timeout: float,
        patience: float,
        headers: Mapping[str, str] | None,
    ) -> None:
        self.transport = transport
        self.base_url = _checked(base_url).rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self.headers = {"User-Agent": USER_AGENT, **(headers or {})}

    async def send(self, request: Request[Any], patience: float | None = None) -> Answer:
        """The successful answer; raises what the last try failed with."""
        timeout = self.timeout + request.wait
        built = self._build(request, timeout)
        give_up = monotonic() + (self.patience if patience is None else patience)
        failures = 0
        while True:
            try:
                return await self._try(built, timeout, again=failures > 0)
            except QwirkleError as error:
                pause = pause_after(error, failures, FIRST_PAUSE, LONGEST_PAUSE)
                in_time = monotonic() + pause <= give_up
                if not (request.repeatable and may_pass(error) and in_time):
                    raise
                log.info("%s %s: %s; again in %.1f s", request.method, request.path, error, pause)
            failures += 1
            await self.transport.sleep(pause)

    async def _try(self, built: httpx.Request, timeout: float, *, again: bool) -> Answer:
        try:
            async with self.transport.within(timeout):
                answer = await self._whole(await self.transport.send(built))
        except httpx.RequestError as error:
            raise _no_answer(error) from error
        deleted = again and built.method == "DELETE" and answer.status == httpx.codes.NOT_FOUND
        if answer.is_success or deleted:  # it was deleted by a try whose answer was lost
            return answer
        raise problem_of(answer, built)

    async def _whole(self, response: httpx.Response) -> Answer:
        try:
            return await whole(response, self.transport.pieces(response))
        finally:
            await self.transport.close(response)

    @asynccontextmanager
    async def open(self, request: Request[Any]) -> AsyncIterator[OpenAnswer]:
        """A successful answer whose body comes bit by bit; it is not tried again."""
        built = self._build(request, SILENCE)
        try:
            async with self.transport.within(min(self.timeout, SILENCE)):
                response = await self.transport.send(built)
                if not response.is_success:
                    raise problem_of(await self._whole(response), built)
            try:
                pieces = unpacked(response, self.transport.pieces(response))
                yield OpenAnswer(response.status_code, response.headers, pieces)
            finally:
                await self.transport.close(response)
        except httpx.RequestError as error:
            raise _no_answer(error) from error

    def _build(self, request: Request[Any], timeout: float) -> httpx.Request:
        own = {name: value for name, value in request.headers.items() if value is not None}
        headers = self.headers | own | {"Accept-Encoding": "gzip"}
        if request.token:
            headers["Authorization"] = f"Bearer {request.token}"
        return self.transport.http.build_request(
            request.method,
            self.base_url + request.path,
            params={name: each for name, each in request.query.items() if each is not None},
            headers=headers,
            json=request.body,
            timeout=httpx.Timeout(timeout, connect=self.timeout),
        )


def _checked(base_url: str) -> str:
    """The URL, if requests can be sent there."""
    try:
        url = httpx.URL(base_url)
        urlsplit(base_url).port  # noqa: B018  # a ValueError if it is out of range
    except (httpx.InvalidURL, ValueError) as error:
        raise ValueError(f"the service's URL is not valid: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError("a service's URL begins with http:// or https:// and a host")
    return base_url


def _no_answer(error: httpx.RequestError) -> NoAnswer:
    return NoAnswer(f"no answer from the service: {str(error) or type(error).__name__}")
