"""An HTTP proxy in front of a real server that breaks the network where a test wants it."""

import http.client
import re
import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit


class Fault(Enum):
    """What happens to a chosen request."""

    CUT = "the connection is cut, and the server never sees the request"
    LOSE = "the server carries it out, and the connection is cut instead of the answer"
    TRUNCATE = "the server carries it out, and the connection is cut in the middle of the answer"
    HOLD = "the server carries it out, and nothing of its answer comes through"


@dataclass(frozen=True)
class Answer:
    """An answer that the proxy gives by itself; the server never sees the request."""

    status: int
    body: bytes = b"<html>a proxy speaks</html>"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Trouble:
    """A fault for the next `times` requests whose method and path match."""

    requests: re.Pattern[str]
    fault: Fault | Answer
    times: float

    @property
    def over(self) -> bool:
        return self.times <= 0


@dataclass(frozen=True)
class Seen:
    """A request that came by."""

    line: str
    headers: dict[str, str]

    @property
    def key(self) -> str | None:
        return self.headers.get("idempotency-key")


class HttpProxy:
    """Listens on 127.0.0.1 and speaks for the server at `upstream`, which may change.

    `seen` lists what clients have asked for so far, faults or not.
    """

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.seen: list[Seen] = []
        self._troubles: list[Trouble] = []
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._closed = threading.Event()
        self._server = _Server(self)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def trouble(self, requests: str, fault: Fault | Answer, times: float = 1) -> Trouble:
        """Let the fault strike the next requests like `POST /v1/games/.*/plays`, query aside."""
        trouble = Trouble(re.compile(requests), fault, times)
        with self._lock:
            self._troubles.append(trouble)
        return trouble

    def met(self, line: str) -> Fault | Answer | None:
        """The fault that strikes this request."""
        with self._lock:
            for trouble in self._troubles:
                if not trouble.over and trouble.requests.fullmatch(line.partition("?")[0]):
                    trouble.times -= 1
                    return trouble.fault
        return None

    def asked(self, requests: str) -> list[Seen]:
        """The requests so far that match."""
        return [each for each in self.seen if re.fullmatch(requests, each.line.partition("?")[0])]

    def cut_all(self) -> None:
        """Drop every connection there is; new ones are welcome."""
        with self._lock:
            doomed, self._open = self._open, set()
        for connection in doomed:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def opened(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.add(connection)

    def hold(self) -> None:
        """Return when the proxy is closed."""
        self._closed.wait()

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()
        self.cut_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, proxy: HttpProxy) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.proxy = proxy

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has hung up is nothing to write about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.proxy.opened(self.connection)

    def log_message(self, *_: object) -> None:
        """The test says what is worth saying."""

    def forward(self) -> None:
        line = f"{self.command} {self.path}"
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.proxy.seen.append(Seen(line, headers))
        match fault := self.server.proxy.met(line):
            case Fault.CUT:
                self.cut()
            case Answer():
                self.answer(fault.status, fault.headers, fault.body)
            case _:
                self.ask(body, headers, fault)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward  # noqa: N815  # http.server's names

    def ask(self, body: bytes, headers: dict[str, str], fault: Fault | None) -> None:
        server = urlsplit(self.server.proxy.upstream)
        upstream = http.client.HTTPConnection(server.hostname or "", server.port, timeout=60)
        try:
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            if fault is Fault.HOLD:
                self.server.proxy.hold()
            elif (answer.getheader("Content-Type") or "").startswith("text/event-stream"):
                self.pass_on(answer)
            else:
                self.give(answer, fault)
        except (OSError, http.client.HTTPException):
            self.cut()
        finally:
            upstream.close()

    def give(self, answer: http.client.HTTPResponse, fault: Fault | None) -> None:
        body = answer.read()
        if fault is Fault.LOSE:
            self.cut()
            return
        sent = {name: value for name, value in answer.getheaders() if name != "Connection"}
        if fault is Fault.TRUNCATE:
            self.answer(answer.status, sent, body[: len(body) // 2], length=len(body))
            self.cut()
        else:
            self.answer(answer.status, sent, body)

    def answer(
        self, status: int, headers: dict[str, str], body: bytes, length: int | None = None
    ) -> None:
        self.send_response_only(status)
        if status not in {204, 304}:
            headers |= {"Content-Length": str(len(body) if length is None else length)}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def pass_on(self, answer: http.client.HTTPResponse) -> None:
        """A stream, as it comes."""
        self.send_response_only(answer.status)
        for name in ("Content-Type", "ETag", "Cache-Control", "X-Request-ID"):
            if value := answer.getheader(name):
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        while piece := answer.read1(65_536):
            self.wfile.write(piece)
        self.cut()

    def cut(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
