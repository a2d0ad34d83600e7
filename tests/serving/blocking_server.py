"""The real web server around an application whose requests last until the test lets them go.

Run with two arguments: the listening socket's file descriptor and a Unix socket's path.
"""

import os
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any

from service.config import Settings
from service.server.gunicorn_app import WebServer


class BlockingServer(WebServer):
    """Answers `/wait` once the test has written a byte to the socket, all else at once."""

    def load(self) -> Callable[..., Any]:
        def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            if environ["PATH_INFO"] == "/broken":
                raise ZeroDivisionError
            if environ["PATH_INFO"] == "/wait":
                with socket.socket(socket.AF_UNIX) as door:
                    door.connect(sys.argv[2])
                    door.recv(1)
            answer = str(os.getpid()).encode()
            start("200 OK", [("Content-Length", str(len(answer)))])
            return [answer]

        return application


if __name__ == "__main__":
    BlockingServer(Settings.from_env(os.environ), int(sys.argv[1])).run()
