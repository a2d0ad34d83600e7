"""The socket that the service listens on."""

import socket
from typing import Final

BACKLOG: Final = 2048

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # looked up, not bound


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
    """Returns the base URL of the socket for clients on this machine."""
    host, port = listener.getsockname()[:2]
    host = _LOOPBACK.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
