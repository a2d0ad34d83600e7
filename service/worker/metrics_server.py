"""The worker's numbers over HTTP, where it runs by itself and no web server has them."""

import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service.telemetry.metrics import CONTENT_TYPE, exposition


class _Answers(BaseHTTPRequestHandler):
    timeout = 10
    server_version = "qwirkle"
    sys_version = ""

    def do_GET(self) -> None:
        """Tells the numbers at `/metrics`, and at `/livez` that somebody is here."""
        if self.path == "/metrics":
            self._answer(HTTPStatus.OK, CONTENT_TYPE, exposition())
        elif self.path == "/livez":
            self._answer(HTTPStatus.OK, "application/json", b'{"status":"ok"}')
        else:
            self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"")

    def _answer(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: it is asked all the time, and by machines."""


def serve_numbers(listener: socket.socket) -> None:
    """Answer on this socket from now on, in the background."""
    server = ThreadingHTTPServer(listener.getsockname()[:2], _Answers, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="numbers", daemon=True).start()
