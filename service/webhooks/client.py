"""How a webhook message is signed and sent.

Messages follow the Standard Webhooks scheme. Whoever names a target makes this machine open
connections, so nothing but what the operator named is ever contacted: no address but the one
that was checked, no redirection, no proxy.
"""

import hmac
import ipaddress
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from time import monotonic
from urllib.parse import SplitResult, urlsplit

from service.games.webhook_urls import Targets, port_of

PATIENCE_SECONDS = 10.0
MOST_ANSWER_BYTES = 16_384

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])[ \r\n]")

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""The only addresses of IPv6 that the open internet uses; all others have a special purpose."""

# The special-purpose registries of IANA, RFC 6890. They are listed here because the tables
# of the module ipaddress differ between versions of Python. Blocks that can be reached from
# everywhere are refused too: no webhook has its receiver at an anycast address of a protocol,
# and 6to4 and Teredo lead to an IPv4 address that was not checked.
_SPECIAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by the customers of a provider
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)


class NotDelivered(Exception):
    """A message did not reach its target; the text says why and holds no address."""


def signed_headers(
    message_id: str, unix_seconds: int, body: bytes, keys: Sequence[bytes]
) -> dict[str, str]:
    """The headers of a message, with a signature by each of the keys."""
    signed = f"{message_id}.{unix_seconds}.".encode() + body
    signatures = (b64encode(hmac.digest(key, signed, sha256)).decode() for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(unix_seconds),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def post(url: str, headers: Mapping[str, str], body: bytes, targets: Targets) -> int:
    """Send a message and return the status of the answer, whose body is not read.

    Raises NotDelivered if the target may not be contacted or gives no answer in time.
    """
    refusal = targets.refusal(url)
    if refusal is not None:
        raise NotDelivered(f"its address {refusal}")
    parts = urlsplit(url)
    deadline = monotonic() + PATIENCE_SECONDS
    address = _address(parts, private=targets.private)
    try:
        with socket.create_connection(address, PATIENCE_SECONDS) as plain:
            plain.settimeout(_left(deadline))
            with _secured(plain, parts) as line:
                line.settimeout(_left(deadline))
                line.sendall(_request(parts, headers, body))
                return _status(line, deadline)
    except (OSError, ValueError) as error:
        # The text of an error may hold an address of the inside; its kind does not.
        raise NotDelivered(f"the connection failed ({type(error).__name__})") from None


def _address(parts: SplitResult, *, private: bool) -> tuple[str, int]:
    """The address that the host's name stands for now: looked up once, checked, and used."""
    port = port_of(parts)
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotDelivered("its host is not known") from None
    for *_, address in found:
        host = str(address[0])
        if private or is_public(host):
            return host, port
    raise NotDelivered("its host has no public address, and QWIRKLE_WEBHOOK_PRIVATE is not set")


def is_public(address: str) -> bool:
    """Whether an address is one of the open internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if parsed.version == 6 and parsed not in _GLOBAL_UNICAST:
        return False
    return not any(parsed in network for network in _SPECIAL)


def _secured(plain: socket.socket, parts: SplitResult) -> socket.socket:
    if parts.scheme == "http":
        return plain
    context = ssl.create_default_context()
    return context.wrap_socket(plain, server_hostname=parts.hostname)


def _request(parts: SplitResult, headers: Mapping[str, str], body: bytes) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = [
        f"POST {target} HTTP/1.1",
        f"Host: {parts.netloc}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "User-Agent: qwirkle",
        "Connection: close",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _status(line: socket.socket, deadline: float) -> int:
    """The status of the final answer. However slowly it drips, the time does not get longer."""
    read = b""
    while len(read) < MOST_ANSWER_BYTES:
        line.settimeout(_left(deadline))
        more = line.recv(4096)
        read += more
        while (found := _STATUS_LINE.match(read)) and int(found[1]) < 200:
            _, ended, rest = read.partition(b"\r\n\r\n")
            if not ended:
                break
            read = rest
        if found and int(found[1]) >= 200:
            return int(found[1])
        if not more:
            break
    raise NotDelivered("it did not answer in HTTP")


def _left(deadline: float) -> float:
    left = deadline - monotonic()
    if left <= 0:
        raise TimeoutError
    return left
