"""The fair draw recomputed from its description alone, sharing no code with the service."""

import hashlib
import hmac

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple")
SHAPES = ("circle", "square", "diamond", "star", "clover", "cross")
KINDS = [f"{colour}-{shape}" for colour in COLOURS for shape in SHAPES]


def commitment_of(secret: bytes) -> str:
    return "sha256:" + hashlib.sha256(secret).hexdigest()


def secret_of(text: str) -> bytes:
    return hmac.new(b"qwirkle seed", text.encode(), hashlib.sha256).digest()


def mixed(tiles: list[str], seed: bytes, event: int) -> list[str]:
    """Fisher-Yates from the end over a stream of HMAC blocks, unfair bytes skipped."""
    bag = sorted(tiles, key=KINDS.index)
    stream = b""
    used = 0

    def next_byte() -> int:
        nonlocal stream, used
        if used == len(stream):
            block = len(stream) // 32
            message = b"qwirkle mix" + event.to_bytes(8, "big") + block.to_bytes(8, "big")
            stream += hmac.new(seed, message, hashlib.sha256).digest()
        used += 1
        return stream[used - 1]

    for last in range(len(bag) - 1, 0, -1):
        size = last + 1
        byte = next_byte()
        while byte >= 256 // size * size:
            byte = next_byte()
        bag[last], bag[byte % size] = bag[byte % size], bag[last]
    return bag


class Bag:
    """The bag of a dealt game as anyone can follow it once the seed is known."""

    def __init__(self, seed: bytes, dealt_at: int) -> None:
        self._seed = seed
        self.tiles = mixed(KINDS * 3, seed, dealt_at)

    def draw(self, count: int) -> list[str]:
        drawn, self.tiles = self.tiles[:count], self.tiles[count:]
        return drawn

    def take_back(self, tiles: list[str], event: int) -> None:
        self.tiles = mixed(self.tiles + tiles, self._seed, event)
