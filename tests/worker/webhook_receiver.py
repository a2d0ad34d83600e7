"""A real web server that takes webhooks, and judges them by a reading of the scheme of its own."""

import base64
import hashlib
import hmac
import json
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Came:
    """One message as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        return self.json["data"]

    def signed_with(self, secret: str) -> bool:
        assert secret.startswith("whsec_")
        key = base64.b64decode(secret[6:], validate=True)
        content = b".".join(
            [self.id.encode(), self.headers["webhook-timestamp"].encode(), self.body]
        )
        mine = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        given = self.headers["webhook-signature"].split(" ")
        assert all(each.startswith("v1,") for each in given)
        return f"v1,{mine}" in given


Answering = Callable[[BaseHTTPRequestHandler], None]


def status(code: int, **headers: str) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


class Receiver:
    """Answers with what `answers` holds, in turn, then with 204."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.messages: queue.Queue[Came] = queue.Queue()
        self.answers: list[Answering] = []
        self.released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.messages.put(Came(self.path, headers, body))
                answer = receiver.answers.pop(0) if receiver.answers else status(204)
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?of=qwirkle"

    def hang(self, _handler: BaseHTTPRequestHandler) -> None:
        """An answer that does not come before the end of the test."""
        self.released.wait(60)

    def next(self, patience: float = 60) -> Came:
        return self.messages.get(timeout=patience)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
