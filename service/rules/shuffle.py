"""The fair shuffle: every shuffle of the bag is derived from the game's seed alone.

docs/fairness.md specifies the method for other languages, with test vectors.
"""

import hmac
from collections.abc import Iterable, Iterator
from hashlib import sha256

from service.rules.errors import Malformed
from service.rules.tiles import Tile, as_tiles

SEED_BYTES = 32
_SEED_LABEL = b"qwirkle seed"
_MIX_LABEL = b"qwirkle mix"


def seed_from(text: str) -> bytes:
    """The 256-bit seed derived from a seed text."""
    try:
        return hmac.digest(_SEED_LABEL, text.encode(), sha256)
    except (AttributeError, UnicodeEncodeError) as error:
        raise Malformed("a seed text must be a string that UTF-8 can encode") from error


def commitment(seed: bytes) -> str:
    """What is published at the deal: it fixes the seed without revealing it."""
    return "sha256:" + sha256(as_seed(seed)).hexdigest()


def as_seed(seed: object) -> bytes:
    """The value itself if it is a seed of 256 bits; anything else is Malformed."""
    if not isinstance(seed, bytes) or len(seed) != SEED_BYTES:
        raise Malformed(f"a seed has {SEED_BYTES} bytes")
    return seed


def mix(tiles: Iterable[Tile], seed: bytes, event_number: int) -> tuple[Tile, ...]:
    """The tiles in the order in which they will be drawn, after the shuffle at this event.

    The tiles are first sorted by kind, so that the result depends only on which tiles are
    shuffled, and not on the order in which they went into the bag.
    """
    if type(event_number) is not int or event_number < 1:
        raise Malformed(f"{event_number!r:.20} is not the number of an event")
    bag = sorted(as_tiles(tiles))
    numbers = _bytes_of(as_seed(seed), event_number)
    for last in range(len(bag) - 1, 0, -1):
        chosen = _below(last + 1, numbers)
        bag[last], bag[chosen] = bag[chosen], bag[last]
    return tuple(bag)


def _bytes_of(seed: bytes, event_number: int) -> Iterator[int]:
    block = 0
    prefix = _MIX_LABEL + event_number.to_bytes(8, "big")
    while True:
        yield from hmac.digest(seed, prefix + block.to_bytes(8, "big"), sha256)
        block += 1


def _below(bound: int, numbers: Iterator[int]) -> int:
    """A number below the bound, all equally likely: bytes that would favour some are skipped."""
    fair = 256 - 256 % bound
    number = next(numbers)
    while number >= fair:
        number = next(numbers)
    return number % bound
