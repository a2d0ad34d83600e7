"""The socket that the service listens on."""

import os
import socket
from typing import Final

from service.config import CannotRun

BACKLOG: Final = 2048

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # looked up, not bound


class CannotListen(CannotRun):
    """The address cannot be listened on; the text says why in one sentence."""


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket; port 0 takes a free one.

    It belongs to the supervisor, so connections queue up while the web server restarts.
    """
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        reason = error.strerror or str(error)
        if not isinstance(error, socket.gaierror) and error.errno is not None:
            reason = os.strerror(error.errno)  # without the address that create_server adds
        raise CannotListen(f"Cannot listen on {host} port {port}: {reason.lower()}.") from error


def url_of(listener: socket.socket) -> str:
    """Returns the base URL of the socket for clients on this machine."""
    host, port = listener.getsockname()[:2]
    host = _LOOPBACK.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
