"""Chance for a bot: numbers that follow from the luck it is handed, and from nothing else."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

_T = TypeVar("_T")
_MASK = (1 << 64) - 1


class Rng:
    """A stream of numbers, the same for the same luck on every machine.

    The 64-bit generator is xorshift*; its start is a hash, so that neighbouring lucks
    have nothing in common.
    """

    __slots__ = ("_state",)

    def __init__(self, luck: int | bytes) -> None:
        text = luck if isinstance(luck, bytes) else str(luck).encode()
        self._state = int.from_bytes(sha256(b"qwirkle luck" + text).digest()[:8], "big") | 1

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``."""
        state = self._state
        state ^= state >> 12
        state = (state ^ state << 25) & _MASK
        state ^= state >> 27
        self._state = state
        return ((state * 2685821657736338717 & _MASK) >> 32) * bound >> 32

    def one_of(self, things: Sequence[_T]) -> _T:
        """One of the things, each as likely as any other."""
        return things[self.below(len(things))]

    def drawn(self, things: Sequence[_T], count: int) -> list[_T]:
        """So many of the things, in the order in which they are drawn."""
        rest = list(things)
        below = self.below
        for at in range(count):
            chosen = at + below(len(rest) - at)
            rest[at], rest[chosen] = rest[chosen], rest[at]
        return rest[:count]
