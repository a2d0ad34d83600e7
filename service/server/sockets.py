"""The socket that the service listens on, and a first visitor to tell that it answers."""

import selectors
import socket
from typing import Final

BACKLOG: Final = 2048

_ANY: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # recognised here, not bound


class CannotListen(RuntimeError):
    """The address cannot be listened on; the text says why in one sentence."""


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket; port 0 takes a free one.

    It belongs to the supervisor, so connections queue up while the web server restarts.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(BACKLOG)
        except BaseException:
            listener.close()
            raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CannotListen(f"Cannot listen on {host} port {port}: {reason}.") from error
    return listener


def url_of(listener: socket.socket) -> str:
    """Returns the base address under which the socket is reached from this machine."""
    host, port = listener.getsockname()[:2]
    host = _ANY.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class FirstVisitor:
    """Asks `/livez` over a real connection and knows when the answer has come.

    The question waits in the listening socket's queue until a worker takes it, so the answer
    is an event to wait for, not a thing to ask for again and again.
    """

    QUESTION = b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    def __init__(self, listener: socket.socket, selector: selectors.BaseSelector) -> None:
        host, port = listener.getsockname()[:2]
        self._address = (_ANY.get(host, host), port)
        self._family = listener.family
        self._selector = selector
        self._connection: socket.socket | None = None

    def ask(self) -> None:
        """Opens a connection and sends the question."""
        self.leave()
        self._connection = socket.socket(self._family, socket.SOCK_STREAM)
        self._connection.settimeout(5.0)
        self._connection.connect(self._address)
        self._connection.sendall(self.QUESTION)
        self._connection.setblocking(False)
        self._selector.register(self._connection, selectors.EVENT_READ, self)

    def answered(self) -> bool:
        """Reads what has come; asks again if the connection was lost."""
        if self._connection is None:
            return False
        try:
            status_line = self._connection.recv(65_536).partition(b"\r\n")[0]
        except BlockingIOError:
            return False
        except OSError:
            status_line = b""
        self.leave()
        if status_line.startswith(b"HTTP/1.1 "):
            return True
        self.ask()
        return False

    def leave(self) -> None:
        """Closes the connection, if there is one."""
        if self._connection is not None:
            self._selector.unregister(self._connection)
            self._connection.close()
            self._connection = None
