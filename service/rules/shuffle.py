"""The fair draw: every shuffle of the bag and every lot is derived from the game's seed alone.

The service fixes a secret at the creation and publishes its commitment. The seed is that secret
or, once others have added entropy, a hash of both. docs/fairness.md specifies the method for
other languages, with test vectors.
"""

import hmac
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from service.rules.errors import Malformed
from service.rules.tiles import Tile, as_tiles

SECRET_BYTES = 32
LONGEST_ENTROPY = 64
_SECRET_LABEL = b"qwirkle seed"
_ENTROPY_LABEL = b"qwirkle entropy"
_MIX_LABEL = b"qwirkle mix"
_LOT_LABEL = b"qwirkle lot"


def secret_from(text: str) -> bytes:
    """The 256-bit secret derived from a seed text."""
    try:
        return hmac.digest(_SECRET_LABEL, text.encode(), sha256)
    except (AttributeError, UnicodeEncodeError) as error:
        raise Malformed("a seed text must be a string that UTF-8 can encode") from error


def commitment(secret: bytes) -> str:
    """What is published at the creation: it fixes the secret without revealing it."""
    return "sha256:" + sha256(as_secret(secret)).hexdigest()


def as_secret(secret: object) -> bytes:
    """The value itself if it has 256 bits, like every secret and seed; else Malformed."""
    if not isinstance(secret, bytes) or len(secret) != SECRET_BYTES:
        raise Malformed(f"a secret has {SECRET_BYTES} bytes")
    return secret


def entropy_bytes(text: object, event_number: int) -> bytes:
    """An entropy text, with the number of its event and its own length, as the seed takes it in."""
    if not isinstance(text, str) or len(text) > LONGEST_ENTROPY:
        raise Malformed(f"entropy must be a string of at most {LONGEST_ENTROPY} characters")
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise Malformed("entropy must be a string that UTF-8 can encode") from error
    return event_number.to_bytes(8, "big") + len(data).to_bytes(8, "big") + data


def seed_of(secret: bytes, entropy: bytes) -> bytes:
    """The seed of every draw; ``entropy`` is what ``entropy_bytes`` gave, in order of events."""
    if not entropy:
        return as_secret(secret)
    return hmac.digest(as_secret(secret), _ENTROPY_LABEL + entropy, sha256)


def mix(tiles: Iterable[Tile], seed: bytes, event_number: int) -> tuple[Tile, ...]:
    """The tiles in the order in which they will be drawn, after the shuffle at this event.

    The tiles are first sorted by kind, so that the result depends only on which tiles are
    shuffled, and not on the order in which they went into the bag.
    """
    bag = sorted(as_tiles(tiles))
    numbers = _bytes_of(seed, _MIX_LABEL, event_number)
    for last in range(len(bag) - 1, 0, -1):
        chosen = _below(last + 1, numbers)
        bag[last], bag[chosen] = bag[chosen], bag[last]
    return tuple(bag)


def draw_lot(seats: Sequence[int], seed: bytes, event_number: int) -> int:
    """One of these seats, in ascending order, by lot at this event."""
    return seats[_below(len(seats), _bytes_of(seed, _LOT_LABEL, event_number))]


def _bytes_of(seed: bytes, label: bytes, event_number: int) -> Iterator[int]:
    if type(event_number) is not int or event_number < 1:
        raise Malformed(f"{event_number!r:.20} is not the number of an event")
    return _stream(as_secret(seed), label + event_number.to_bytes(8, "big"))


def _stream(seed: bytes, prefix: bytes) -> Iterator[int]:
    block = 0
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
