"""Where a request comes from, as far as callers can be told apart by it."""

import re
from contextlib import suppress
from hashlib import sha256
from ipaddress import IPv6Address, IPv6Network, ip_address

from flask import request

_NETWORK_BITS = 64
"""What a household is given of the addresses of IPv6."""

_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::\d+)?|([\d.]+):\d+")


def address_digest() -> str:
    """A digest of ``client_address``: the address itself does not belong into the store."""
    return digest(client_address())


def digest(text: str) -> str:
    """Short, and the same for the same text."""
    return sha256(text.encode()).hexdigest()[:32]


def client_address() -> str:
    """The address, or of IPv6 its network: one household has more addresses than can be counted.

    Some proxies tell the port too, which is another one for each connection: it is left out.
    """
    address = request.remote_addr or ""
    if found := _WITH_PORT.fullmatch(address):
        address = found[1] or found[2]
    with suppress(ValueError):
        if isinstance(known := ip_address(address), IPv6Address):
            address = str(known.ipv4_mapped or IPv6Network((known, _NETWORK_BITS), strict=False))
    return address
