"""gunicorn's gevent worker, with our errors and a prompt, polite goodbye."""

import select
import socket
import time
import uuid
from collections.abc import Callable, Container, Iterator
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

from service.server.fair_socket import FairClient
from service.telemetry import metrics

_FIRST_WORDS: Final = 1.0
"""Seconds that connections without a request so far have for one when the worker leaves."""

UNREADABLE: Final = "unreadable"
"""The route of what is no HTTP request, or none that can be taken."""

_WHOLE_BODY: Final = 60.0
"""Seconds that a body may take in all, so that nobody holds a place by sending a byte a minute."""

_LARGEST_HEAD: Final = 32_768
"""Characters of all headers together; each alone may have a quarter of it."""

_AT_ONCE: Final = 8192
_MOST_UNREAD: Final = 1024 * 1024
"""Bytes of a body that nobody wanted, which are read so that the answer gets through."""

_UNACKNOWLEDGED: Final[int | None] = getattr(socket, "TCP_USER_TIMEOUT", None)

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


class WebWorker(GeventWorker):  # type: ignore[misc]  # gunicorn ships no types
    """Serves each connection in a greenlet of its own, so a waiting one costs no worker."""

    wsgi: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clients: dict[Any, Any] = {}
        self._waiting: dict[Any, gevent.Timeout] = {}
        self._fresh: set[Any] = set()
        self._leaving: gevent.event.Event | None = None

    def run(self) -> None:
        """Serves until told to leave; then finishes running requests and closes idle lines."""
        self._leaving = gevent.event.Event()
        application = self.wsgi
        self.wsgi = partial(_with_hangups, application)
        pool = gevent.pool.Pool(self.worker_connections)
        servers = [self._serve(listener, pool) for listener in self.sockets]
        while self.alive:
            self.notify()
            self._leaving.wait(1.0)
        _end_streams(application)
        # The sockets stay open: whoever was let in just now still asks for their names.
        for server in servers:
            server.stop_accepting()
        began = time.monotonic()
        deadline = began + self.cfg.graceful_timeout
        while len(pool) and time.monotonic() < deadline:
            self.notify()
            # Whoever has just connected is about to ask, and does not expect to be hung up on.
            self._dismiss_idle(self._fresh if time.monotonic() < began + _FIRST_WORDS else ())
            pool.join(timeout=0.5)
        pool.kill(timeout=1)
        for server in servers:
            server.close()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Leaves at once instead of at the next heartbeat."""
        super().handle_exit(sig, frame)
        if self._leaving is not None:
            self._leaving.set()

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serves one connection, request by request.

        No single read or write waits for the other side longer than an idle line is kept.
        """
        client.settimeout(self.cfg.keepalive)
        if client.family != socket.AF_UNIX:
            # An answer is sent as head and body; the second must not wait for the first's receipt.
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if _UNACKNOWLEDGED is not None and client.family != socket.AF_UNIX:
            # A client that vanished does not hang up; the system alone would try for 15 minutes.
            client.setsockopt(socket.IPPROTO_TCP, _UNACKNOWLEDGED, self.cfg.keepalive * 1000)
        greenlet = gevent.getcurrent()
        self._clients[greenlet] = client
        self._fresh.add(greenlet)
        try:
            # Past GeventWorker, whose only addition is to wait without limit.
            AsyncWorker.handle(self, listener, FairClient(client), addr)
        finally:
            del self._clients[greenlet]
            self._fresh.discard(greenlet)

    def handle_request(self, listener_name: Any, req: Any, sock: Any, addr: Any) -> Any:
        """Serves one request; a client that has stopped reading its answer is just left."""
        self._fresh.discard(gevent.getcurrent())
        sock.take_turn()
        if sum(len(name) + len(value) for name, value in req.headers) > _LARGEST_HEAD:
            raise errors.LimitRequestHeaders("limit request headers size")
        try:
            handled = super().handle_request(listener_name, req, sock, addr)
            self._leave_unread(req)
        except TimeoutError:
            self.log.debug("The client at %s has stopped reading, or sending.", addr)
            raise StopIteration from None
        return handled

    def _leave_unread(self, req: Any) -> None:
        """Reads what nobody wanted of a body; hangs up on whoever goes on and on.

        gunicorn would read it before the next request, however much it is.
        """
        with gevent.Timeout(self.cfg.keepalive, TimeoutError):
            for _ in range(_MOST_UNREAD // _AT_ONCE):
                if not req.body.read(_AT_ONCE):
                    return
        raise StopIteration

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Bounds the wait for the next request, and lets a goodbye end it."""
        greenlet = gevent.getcurrent()
        # False makes the timeout end the block quietly; the type stubs do not know it.
        with gevent.Timeout(self.cfg.keepalive, False) as timeout:  # type: ignore[arg-type]  # above
            self._waiting[greenlet] = timeout
            try:
                yield
            finally:
                del self._waiting[greenlet]

    def handle_error(self, _req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers what never reached the application with a problem document of ours."""
        if isinstance(exc, gevent.GreenletExit):  # out of time at the stop: the line just closes
            return
        status = next((code for kind, code in _STATUS if isinstance(exc, kind)), None)
        if status is None:
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            self.log.error("A request could not be handled.", exc_info=exc)
        else:
            # Its kind alone: the words may hold a token, in a header that was not one.
            self.log.debug("Unreadable request from %s: %s", addr, type(exc).__name__)
        metrics.REQUESTS.labels(UNREADABLE, "other", str(status.value)).inc()
        try:
            write_nonblock(client, _problem(status))
        except OSError:
            self.log.debug("The answer to an unreadable request could not be sent.")

    def _serve(self, listener: Any, pool: gevent.pool.Pool) -> gevent.server.StreamServer:
        listener.setblocking(True)
        server = gevent.server.StreamServer(
            listener, handle=partial(self.handle, listener), spawn=pool
        )
        if self.cfg.workers > 1:
            server.max_accept = 1  # leaves the next connection to a worker that is free
        server.start()
        return server

    def _dismiss_idle(self, spared: Container[Any]) -> None:
        """Closes the lines that wait for a request of which nothing has come yet."""
        for greenlet, timeout in list(self._waiting.items()):
            if greenlet not in spared and not _has_input(self._clients[greenlet]):
                greenlet.kill(timeout, block=False)


def _end_streams(application: Any) -> None:
    """Ends every stream and long poll at once; their clients go on with another worker."""
    context = getattr(application, "extensions", {}).get("qwirkle")
    if context is not None:
        context.event_cache.news.close()


def _with_hangups(application: Any, environ: dict[str, Any], start_response: Any) -> Any:
    """Calls the application, which may want to know when its client hangs up."""
    environ["wsgi.input"] = _Punctual(environ["wsgi.input"])
    environ["qwirkle.until_hung_up"] = partial(_until_hung_up, environ["gunicorn.socket"])
    return application(environ, start_response)


class _Punctual:
    """A request's body, which has so many seconds to come; a byte now and then is not enough."""

    def __init__(self, body: Any) -> None:
        self._body = body
        self._ends: float | None = None

    def read(self, size: int = -1) -> bytes:
        """Reads like the body itself; TimeoutError when it is late."""
        now = time.monotonic()
        if self._ends is None:
            self._ends = now + _WHOLE_BODY
        with gevent.Timeout(max(0.0, self._ends - now), TimeoutError):
            read: bytes = self._body.read(size)
            return read

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)


@contextmanager
def _until_hung_up(client: Any, call: Callable[[], None]) -> Iterator[None]:
    """Calls once, if the client hangs up within the context."""
    readable = gevent.get_hub().loop.io(client.fileno(), 1)

    def look() -> None:
        # What can be read may also be a request sent ahead; that it waits is all there is to know.
        readable.stop()
        if _is_gone(client):
            gevent.spawn(call)  # the loop itself must not be made to wait

    readable.start(look)
    try:
        yield
    finally:
        readable.stop()
        readable.close()


def _is_gone(client: Any) -> bool:
    poll = gevent.monkey.get_original("select", "poll")()
    # Without flags of its own the system still tells of a lost connection.
    poll.register(client.fileno(), getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))


def _has_input(client: Any) -> bool:
    poll = gevent.monkey.get_original("select", "poll")()
    poll.register(client.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _problem(status: HTTPStatus) -> bytes:
    """Returns a whole HTTP answer that closes the connection."""
    # Loaded late: the master, which never answers, has no need of the application.
    from service.api.json_body import FieldError  # noqa: PLC0415  # as said
    from service.api.problems import Problem, document, malformed  # noqa: PLC0415  # as said
    from service.i18n import ENGLISH, say, unsaid  # noqa: PLC0415  # as said

    reason = (status.description or "it is not readable as HTTP").rstrip(".")
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        problem = Problem("internal_error", unsaid(f"{reason}."))
    else:
        problem = malformed([FieldError("", say("field.http", reason=reason))])
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
