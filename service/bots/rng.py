"""Random numbers for bots, derived from a seed alone."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

_T = TypeVar("_T")
_MASK = (1 << 64) - 1


class Rng:
    """A stream of numbers, the same for the same seed on every machine.

    The 64-bit generator is xorshift*; its first state is a hash, so that similar seeds give
    unrelated streams.
    """

    __slots__ = ("state",)

    def __init__(self, seed: int | bytes) -> None:
        text = seed if isinstance(seed, bytes) else str(seed).encode()
        self.state = int.from_bytes(sha256(b"qwirkle luck" + text).digest()[:8], "big") | 1

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``."""
        state = self.state
        state ^= state >> 12
        state = (state ^ state << 25) & _MASK
        state ^= state >> 27
        self.state = state
        return ((state * 2685821657736338717 & _MASK) >> 32) * bound >> 32

    def choice(self, items: Sequence[_T]) -> _T:
        """One of the items, all equally likely."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[_T], count: int) -> list[_T]:
        """``count`` of the items, in the order in which they are drawn."""
        rest = list(items)
        below = self.below
        for at in range(count):
            chosen = at + below(len(rest) - at)
            rest[at], rest[chosen] = rest[chosen], rest[at]
        return rest[:count]
