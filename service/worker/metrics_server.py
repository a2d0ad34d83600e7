"""Serves the metrics of a worker that runs without a web server."""

import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service.telemetry.metrics import CONTENT_TYPE, exposition


class _Handler(BaseHTTPRequestHandler):
    timeout = 10
    server_version = "qwirkle"
    sys_version = ""

    def do_GET(self) -> None:
        """Respond to `/metrics` and `/livez`."""
        if self.path == "/metrics":
            self._respond(HTTPStatus.OK, CONTENT_TYPE, exposition())
        elif self.path == "/livez":
            self._respond(HTTPStatus.OK, "application/json", b'{"status":"ok"}')
        else:
            self._respond(HTTPStatus.NOT_FOUND, "text/plain", b"")

    def _respond(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Do not log: machines send these requests every few seconds."""


def serve_metrics(listener: socket.socket) -> None:
    """Serve on this socket in the background."""
    server = ThreadingHTTPServer(listener.getsockname()[:2], _Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
