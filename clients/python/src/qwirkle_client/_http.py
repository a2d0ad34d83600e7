"""The blocking HTTP client that is used unless the caller brings one."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import getproxies

import httpcore
import httpx

from qwirkle_client._deadline import DeadlineBackend

_FAILURES = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.UnsupportedProtocol,
)


def blocking_client() -> httpx.Client:
    """A client that keeps to the deadlines of its threads, unless the environment has a proxy."""
    if getproxies().keys() & {"all", "http", "https"}:
        return httpx.Client()
    ssl_context = httpx.create_ssl_context()
    return httpx.Client(verify=ssl_context, transport=DeadlineTransport(ssl_context))


class DeadlineTransport(httpx.BaseTransport):
    """httpx's own transport, on connections that keep to the deadlines of their threads."""

    def __init__(self, ssl_context: ssl.SSLContext) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context,
            max_connections=100,
            max_keepalive_connections=20,
            keepalive_expiry=5.0,
            network_backend=DeadlineBackend(),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of the answer is left to be read."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = httpcore.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _as_httpx():
            answer = self._pool.handle_request(sent)
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Let failures of httpcore be httpx's, which have the same names."""
    try:
        yield
    except _FAILURES as error:
        kind: type[httpx.RequestError] = getattr(httpx, type(error).__name__)
        raise kind(str(error)) from error
