"""The address that a request comes from, as far as it distinguishes callers."""

import re
from contextlib import suppress
from hashlib import sha256
from ipaddress import IPv6Address, IPv6Network, ip_address

from flask import request

_NETWORK_BITS = 64
"""The IPv6 network of one household."""

_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::\d+)?|([\d.]+):\d+")


def address_digest() -> str:
    """A digest of ``client_address``: the address itself is never stored."""
    return digest(client_address())


def digest(text: str) -> str:
    """A short digest of a text."""
    return sha256(text.encode()).hexdigest()[:32]


def client_address() -> str:
    """The IPv4 address or the IPv6 network: one household has countless IPv6 addresses.

    Some proxies add the port, which differs for each connection: it is left out.
    """
    address = request.remote_addr or ""
    if found := _WITH_PORT.fullmatch(address):
        address = found[1] or found[2]
    with suppress(ValueError):
        if isinstance(known := ip_address(address), IPv6Address):
            address = str(known.ipv4_mapped or IPv6Network((known, _NETWORK_BITS), strict=False))
    return address
