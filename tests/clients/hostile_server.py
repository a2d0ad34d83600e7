"""A server that answers every request with whatever bytes a test wants, as slowly as it wants."""

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from time import sleep
from typing import Self

Pieces = Iterable[bytes]
"""What is sent, one piece after the other; the connection is closed after the last one."""
Script = Callable[[str], Pieces]
"""What is sent for a request with this line, such as `GET /v1/editions HTTP/1.1`."""
Serve = Callable[[Script], "HostileServer"]


def answer(body: object, status: int = 200, **headers: str) -> bytes:
    """A complete answer; what is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return head(status, {"Content-Length": str(len(content))} | _named(headers)) + content


def event_stream(text: str | bytes) -> bytes:
    """The beginning of a stream."""
    content = text if isinstance(text, bytes) else text.encode()
    return head(200, {"Content-Type": "text/event-stream"}) + content


def head(status: int, headers: dict[str, str]) -> bytes:
    """A status line and headers; without a length, the body ends with the connection."""
    lines = [f"HTTP/1.1 {status} Said", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def dripping(start: bytes, piece: bytes, end: bytes, seconds: float = 10.0) -> Iterator[bytes]:
    """A piece ten times a second, and only then the rest: a patient client gets an answer."""
    yield start
    for _ in range(int(seconds * 10)):
        yield piece
        sleep(0.1)
    yield end


class HostileServer:
    """Listens on 127.0.0.1; `lines` are the requests so far, `sent` counts bytes."""

    def __init__(self, script: Script) -> None:
        self.lines: list[str] = []
        self.sent = 0
        self._script = script
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            line = self._read_request(connection)
            self.lines.append(line)
            for piece in self._script(line):
                connection.sendall(piece)
                self.sent += len(piece)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1)  # what is on its way arrives before the connection is gone

    def _read_request(self, connection: socket.socket) -> str:
        with connection.makefile("rb") as request:
            line: str = request.readline().decode().strip()
            length = 0
            while header := request.readline().strip().lower():
                if header.startswith(b"content-length:"):
                    length = int(header.partition(b":")[2])
            request.read(length)
        return line

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
