"""The least that delivery to many streams can cost: a bare gevent server that repeats bytes.

Whoever sends GET listens; what comes after a POST, line by line, goes to all who listen. Prints
its port.
"""

from gevent import monkey

monkey.patch_all()

from typing import Any

from gevent.event import Event
from gevent.server import StreamServer


class Fanout:
    """All messages so far, and the event that wakes everybody for the next one."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []
        self.come = Event()

    def serve(self, line: Any, _address: object) -> None:
        file = line.makefile("rb")
        if file.readline().startswith(b"GET"):
            line.sendall(b"HTTP/1.1 200 OK\r\n\r\nretry: 2000\n\n")
            sent = len(self.messages)
            while True:
                if sent == len(self.messages):
                    self.come.wait()
                line.sendall(self.messages[sent])
                sent += 1
        while message := file.readline():
            self.messages.append(b"data: " + message + b"\n")
            come, self.come = self.come, Event()
            come.set()


if __name__ == "__main__":
    server = StreamServer(("127.0.0.1", 0), Fanout().serve)
    server.start()
    print(server.server_port, flush=True)
    server.serve_forever()
