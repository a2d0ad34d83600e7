"""The fair draw as docs/fairness.md states it, sharing no code with the service."""

import hashlib
import hmac


def stated_seed(secret: bytes, entropy: list[tuple[int, str]]) -> bytes:
    """The seed of the draws, as the page says."""
    if not entropy:
        return secret
    message = b"qwirkle entropy"
    for event, text in entropy:
        data = text.encode()
        message += event.to_bytes(8, "big") + len(data).to_bytes(8, "big") + data
    return hmac.new(secret, message, hashlib.sha256).digest()


def stated_lot(seats: list[int], seed: bytes, event: int) -> int:
    """A lot, as the page says."""
    fair = 256 // len(seats) * len(seats)
    stream = stated_stream(seed, event, 1000, b"qwirkle lot")
    return seats[next(byte for byte in stream if byte < fair) % len(seats)]


def stated_stream(seed: bytes, event: int, count: int, label: bytes = b"qwirkle mix") -> bytes:
    """The first bytes of the stream, as the page says."""
    stream = b""
    block = 0
    while len(stream) < count:
        message = label + event.to_bytes(8, "big") + block.to_bytes(8, "big")
        stream += hmac.new(seed, message, hashlib.sha256).digest()
        block += 1
    return stream[:count]


def stated_mixing(tiles: list[int], seed: bytes, event: int) -> list[int]:
    """A mixing, as the page says; a thousand bytes are far more than a bag needs."""
    bag = sorted(tiles)
    stream = iter(stated_stream(seed, event, 1000))
    for last in reversed(range(1, len(bag))):
        bound = last + 1
        byte = next(stream)
        while byte >= 256 // bound * bound:
            byte = next(stream)
        bag[byte % bound], bag[last] = bag[last], bag[byte % bound]
    return bag
