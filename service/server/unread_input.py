"""Reads what a client goes on sending after it was answered.

The system resets a connection that is closed with unread input, and the client may then lose an
answer that it has not read yet (RFC 9112, section 9.6).
"""

from typing import Any, Final

import gevent
from gunicorn.http import errors
from gunicorn.util import close_graceful

_SECONDS: Final = 30.0
"""How long a client may go on sending a body that nobody wants."""

_UNREADABLE_SECONDS: Final = 2.0
"""How long it may go on sending what is no HTTP request, and has no known end."""

_CHUNK: Final = 8192
_MAX_SKIPPED: Final = 1024 * 1024
"""Bytes of an unused body that are read to keep the connection for the next request."""

_MAX_DISCARDED: Final = 16 * 1024 * 1024
"""Bytes that are discarded before the connection is closed all the same."""


def skip_body(req: Any, sock: Any) -> bool:
    """Reads the rest of a request's body; closes the connection if that is too much.

    Returns whether the next request can be read. gunicorn would read all of the body before.
    """
    try:
        with gevent.Timeout(_SECONDS, TimeoutError):
            if _skipped(req.body):
                return True
            # Much cheaper than to take endless tiny chunks apart.
            close_graceful(sock, _SECONDS, _MAX_DISCARDED)
    except TimeoutError:
        pass
    return False


def close_unreadable(sock: Any) -> None:
    """Closes a connection on which the next request cannot be found."""
    close_graceful(sock, _UNREADABLE_SECONDS, _MAX_DISCARDED)


def _skipped(body: Any) -> bool:
    try:
        for _ in range(_MAX_SKIPPED // _CHUNK):
            if not body.read(_CHUNK):
                return not body.failed
    except errors.ParseException:
        pass  # malformed chunks: the next request cannot be found
    return False
