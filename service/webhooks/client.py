"""Signs and sends webhook messages.

Messages follow the Standard Webhooks specification. Clients choose the URL that this machine
connects to, so it connects only to hosts that the operator has allowed, at the address that was
checked, without redirects and without proxies.
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

TIMEOUT_SECONDS = 10.0
MAX_RESPONSE_BYTES = 16_384

_STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])[ \r\n]")

_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""The only IPv6 addresses of the public internet; all others have special purposes."""

# IANA's special-purpose registries (RFC 6890). They are listed here because those of the module
# ipaddress differ between versions of Python. Globally reachable blocks are refused too: no webhook
# receiver has a protocol's anycast address, and 6to4 and Teredo lead to an unchecked IPv4 address.
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
    """A message was not delivered; the text says why without naming an address."""


def signed_headers(
    message_id: str, unix_seconds: int, body: bytes, keys: Sequence[bytes]
) -> dict[str, str]:
    """The headers of a message, signed with each of the keys."""
    signed = f"{message_id}.{unix_seconds}.".encode() + body
    signatures = (b64encode(hmac.digest(key, signed, sha256)).decode() for key in keys)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(unix_seconds),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def post(url: str, headers: Mapping[str, str], body: bytes, targets: Targets) -> int:
    """Send a message and return the status of the response, whose body is not read.

    Raises NotDelivered if the target is not allowed or does not respond in time.
    """
    refusal = targets.refusal(url)
    if refusal is not None:
        raise NotDelivered(f"its address {refusal}")
    parts = urlsplit(url)
    deadline = monotonic() + TIMEOUT_SECONDS
    address = _address(parts, private=targets.private)
    try:
        with socket.create_connection(address, TIMEOUT_SECONDS) as plain:
            plain.settimeout(_left(deadline))
            with _secured(plain, parts) as connection:
                connection.settimeout(_left(deadline))
                connection.sendall(_request(parts, headers, body))
                return _status(connection, deadline)
    except (OSError, ValueError) as error:
        # The error's text may contain an internal address; its type does not.
        raise NotDelivered(f"the connection failed ({type(error).__name__})") from None


def _address(parts: SplitResult, *, private: bool) -> tuple[str, int]:
    """The address of the host: looked up once, checked, and then used."""
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
    """Whether an address belongs to the public internet."""
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


def _status(connection: socket.socket, deadline: float) -> int:
    """Read the status of the final response; the deadline holds for all of it."""
    read = b""
    while len(read) < MAX_RESPONSE_BYTES:
        connection.settimeout(_left(deadline))
        more = connection.recv(4096)
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
