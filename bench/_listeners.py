"""Many open streams in a process of their own; it tells how late each event came.

Run with {"address": [host, port], "paths": [...]}: one stream a path. Prints "ready" once all
are open; at the end of its input it prints the delays in milliseconds and how many streams
were lost.
"""

import json
import re
import selectors
import socket
import sys
import time
from datetime import datetime

A_MACHINE = 50
HAPPENED = re.compile(rb'"at":"([^"]+)"')


class Listener:
    """One stream, and what has come of its next message."""

    def __init__(self, address: tuple[str, int], path: str, number: int) -> None:
        # A client may have only so many streams: as if from many machines.
        source = (f"127.0.1.{1 + number // A_MACHINE}", 0)
        self.socket = socket.create_connection(address, timeout=60, source_address=source)
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        self.waiting = b""

    def open(self) -> None:
        """Returns when the stream has begun."""
        while b"retry:" not in self.waiting:
            came = self.socket.recv(65_536)
            self.waiting += came
            assert came, self.waiting
            assert self.waiting.startswith(b"HTTP/1.1 200"), self.waiting
        self.waiting = b""
        self.socket.setblocking(False)


def main() -> None:
    given = json.loads(sys.argv[1])
    address = (given["address"][0], given["address"][1])
    listeners = []
    for first in range(0, len(given["paths"]), A_MACHINE):
        paths = given["paths"][first : first + A_MACHINE]
        some = [Listener(address, path, first) for path in paths]
        for listener in some:
            listener.open()
        listeners += some
    selector = selectors.DefaultSelector()
    for listener in listeners:
        selector.register(listener.socket, selectors.EVENT_READ, listener)
    selector.register(sys.stdin, selectors.EVENT_READ)
    print("ready", flush=True)
    delays: list[float] = []
    lost = 0
    while True:
        for key, _ in selector.select():
            listener = key.data
            if listener is None:
                print(json.dumps({"delays": delays, "lost": lost}), flush=True)
                return
            came = listener.socket.recv(65_536)
            now = time.time()
            if not came:
                selector.unregister(listener.socket)
                lost += 1
            listener.waiting += came
            *whole, listener.waiting = listener.waiting.split(b"\n\n")
            for message in whole:
                if at := HAPPENED.search(message):
                    happened = datetime.fromisoformat(at[1].decode()).timestamp()
                    delays.append((now - happened) * 1000)


if __name__ == "__main__":
    main()
