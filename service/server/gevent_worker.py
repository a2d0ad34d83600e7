"""gunicorn's gevent worker, with our error documents, time limits and graceful stop."""

import select
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Final

import gevent
import gevent.event
import gevent.monkey
import gevent.pool
import gevent.server
from gunicorn.http import errors
from gunicorn.util import write_nonblock
from gunicorn.workers.base_async import AsyncWorker
from gunicorn.workers.ggevent import GeventWorker

from service.server.unread_input import close_unreadable, skip_body
from service.server.yielding_socket import YieldingSocket
from service.telemetry import metrics

_LINGER_SECONDS: Final = 1.0
"""How long a leaving worker goes on accepting, and waits for requests on open connections.

Each is answered with `Connection: close`, so a client that is busy learns in time that it needs
another connection. A client whose connection is closed while its request is on the way gets no
answer.
"""

UNREADABLE: Final = "unreadable"
"""The route, in metrics, of what cannot be read as an HTTP request."""

_BODY_SECONDS: Final = 60.0
"""How long a whole body may take, so that nobody holds a connection by sending a byte a minute."""

_MAX_HEADERS: Final = 32_768
"""Characters of all headers together; a single one may have a quarter of that."""

_TCP_USER_TIMEOUT: Final[int | None] = getattr(socket, "TCP_USER_TIMEOUT", None)

_STATUS: Final = (
    (errors.InvalidResponseHeader, HTTPStatus.INTERNAL_SERVER_ERROR),
    (errors.InvalidResponseHeaderName, HTTPStatus.INTERNAL_SERVER_ERROR),
    (errors.LimitRequestLine, HTTPStatus.REQUEST_URI_TOO_LONG),
    (errors.LimitRequestHeaders, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE),
    (errors.ExpectationFailed, HTTPStatus.EXPECTATION_FAILED),
    (errors.UnsupportedTransferCoding, HTTPStatus.NOT_IMPLEMENTED),
    (errors.ConfigurationProblem, HTTPStatus.INTERNAL_SERVER_ERROR),
    (errors.ParseException, HTTPStatus.BAD_REQUEST),
)
for _status in {status for _, status in _STATUS}:
    metrics.REQUESTS.labels(UNREADABLE, "other", str(_status.value))  # from the start, at 0


class WebWorker(GeventWorker):  # type: ignore[misc]  # gunicorn ships no types
    """Serves each connection in a greenlet of its own, so idle ones do not occupy a worker."""

    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clients: dict[Any, Any] = {}
        self._idle: dict[Any, gevent.Timeout] = {}
        self._stopping: gevent.event.Event | None = None

    def run(self) -> None:
        """Serves until it is stopped; then lets every connection end, and closes the idle ones."""
        self._stopping = gevent.event.Event()
        self.wsgi = partial(_call, self.wsgi)
        pool = gevent.pool.Pool(self.worker_connections)
        servers = [self._serve(listener, pool) for listener in self.sockets]
        while self.alive:
            self.notify()
            self._stopping.wait(1.0)
        self.app.close_streams()
        began = time.monotonic()
        while len(pool) and time.monotonic() < began + _LINGER_SECONDS:
            pool.join(timeout=0.05)
        # The sockets stay open: connections accepted just now still need their addresses.
        for server in servers:
            server.stop_accepting()
        while len(pool) and time.monotonic() < began + self.cfg.graceful_timeout:
            self.notify()
            self._close_idle()
            pool.join(timeout=0.5)
        pool.kill(timeout=1)
        for server in servers:
            server.close()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Stops at once instead of at the next heartbeat."""
        super().handle_exit(sig, frame)
        if self._stopping is not None:
            self._stopping.set()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serves one connection, request by request.

        No read or write waits longer for the client than an idle connection is kept.
        """
        client.settimeout(self.cfg.keepalive)
        # Head and body are sent separately; the second must not wait for the first's ACK.
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if _TCP_USER_TIMEOUT is not None:
            # A client that vanished never closes; the system would go on sending for 15 minutes.
            client.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, self.cfg.keepalive * 1000)
        greenlet = gevent.getcurrent()
        self._clients[greenlet] = client
        try:
            # Skips GeventWorker's method, which only removes the time limit.
            AsyncWorker.handle(self, listener, YieldingSocket(client), addr)
        finally:
            del self._clients[greenlet]

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Serves one request; closes the connection if the client stops reading or sending."""
        sock.yield_once()
        if sum(len(name) + len(value) for name, value in req.headers) > _MAX_HEADERS:
            raise errors.LimitRequestHeaders("limit request headers size")
        try:
            handled = super().handle_request(listener_name, req, sock, addr)
        except TimeoutError:
            self.log.debug("The client at %s has stopped reading, or sending.", addr)
            raise StopIteration from None
        except StopIteration:  # it was the last request on this connection
            skip_body(req, sock)
            raise
        if not skip_body(req, sock):
            raise StopIteration
        return handled

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Limits the wait for the next request, which a stop may end too."""
        greenlet = gevent.getcurrent()
        # False ends the block without an error; the type stubs do not know it.
        with gevent.Timeout(self.cfg.keepalive, False) as timeout:  # type: ignore[arg-type]  # above
            self._idle[greenlet] = timeout
            try:
                yield
            finally:
                del self._idle[greenlet]

    def handle_error(self, _req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Responds with a problem document to what never reached the application."""
        if isinstance(exc, gevent.GreenletExit):  # killed at the end of a stop
            return
        status = next((code for kind, code in _STATUS if isinstance(exc, kind)), None)
        if status is None:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            self.log.error("A request could not be handled.", exc_info=exc)
        else:
            # Only the type: the text may contain a token, from a malformed header.
            self.log.debug("Unreadable request from %s: %s", addr, type(exc).__name__)
        failed = status == HTTPStatus.INTERNAL_SERVER_ERROR
        metrics.REQUESTS.labels(UNREADABLE, "other", str(status.value)).inc()
        metrics.PROBLEMS.labels("internal_error" if failed else "malformed_request").inc()
        try:
            write_nonblock(client, _problem(status))
        except OSError:
            self.log.debug("The response to an unreadable request could not be sent.")
        close_unreadable(client)

    def _serve(self, listener: Any, pool: gevent.pool.Pool) -> gevent.server.StreamServer:
        listener.setblocking(True)
        server = gevent.server.StreamServer(
            listener, handle=partial(self.handle, listener), spawn=pool
        )
        if self.cfg.workers > 1:
            server.max_accept = 1  # the next connection may go to a worker that is free
        server.start()
        return server

    def _close_idle(self) -> None:
        """Closes the connections on which no request has begun to arrive."""
        for greenlet, timeout in list(self._idle.items()):
            if not _polled(self._clients[greenlet], select.POLLIN):
                greenlet.kill(timeout, block=False)


def _call(application: Any, environ: dict[str, Any], start_response: Any) -> Any:
    """Calls the application with a time limit on the body and a way to notice a disconnect."""
    environ["wsgi.input"] = _BodyWithDeadline(environ["wsgi.input"])
    environ["qwirkle.until_disconnect"] = partial(_until_hung_up, environ["gunicorn.socket"])
    return application(environ, start_response)


class _BodyWithDeadline:
    """A request's body, all of which must arrive within a time limit."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._deadline: float | None = None

    def read(self, size: int = -1) -> bytes:
        """Reads like the body itself; TimeoutError when the time is up."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + _BODY_SECONDS
        with gevent.Timeout(max(0.0, self._deadline - now), TimeoutError):
            try:
                read: bytes = self._body.read(size)
            except errors.ParseException as malformed:
                # The application knows nothing of gunicorn.
                raise OSError("malformed chunks") from malformed
            return read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)


@contextmanager
def _until_hung_up(client: Any, call: Callable[[], None]) -> Iterator[None]:
    """Calls once if the client disconnects within the context."""
    readable = gevent.get_hub().loop.io(client.fileno(), 1)

    def check() -> None:
        # There may also be a pipelined request to read, which is no disconnect.
        readable.stop()
        if _polled(client, getattr(select, "POLLRDHUP", 0)):
            gevent.spawn(call)  # the event loop itself must not wait

    readable.start(check)
    try:
        yield
    finally:
        readable.stop()
        readable.close()


def _polled(client: Any, events: int) -> bool:
    """Returns whether one of the events has happened, or the connection is lost."""
    poll = gevent.monkey.get_original("select", "poll")()
    poll.register(client.fileno(), events)
    return bool(poll.poll(0))


def _problem(status: HTTPStatus) -> bytes:
    """Returns a whole HTTP response that closes the connection."""
    # Imported here because the master must not load what gevent patches in the workers.
    from service.api.problems import Problem, document, malformed  # noqa: PLC0415  # see above
    from service.i18n import ENGLISH, say  # noqa: PLC0415  # see above
    from service.rules.messages import Message  # noqa: PLC0415  # see above

    reason = (status.description or "it is not readable as HTTP").rstrip(".")
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        problem = Problem("internal_error", Message(f"{reason}."))
    else:
        problem = malformed("", say("field.http", reason=reason))
    request_id = uuid.uuid4().hex
    body = document(problem, request_id, status.value)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Content-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"X-Request-ID: {request_id}\r\n"
        f"Content-Language: {ENGLISH}\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
