"""What a client adds to the draws of a game."""

from enum import Enum, auto
from secrets import token_hex

from qwirkle_client._request import WriteOptions


class Entropy(Enum):
    """What to add, if it is not a text of the caller's."""

    RANDOM = auto()
    """16 random bytes as hexadecimal digits; nothing with an idempotency key of the caller's."""


def entropy_text(entropy: str | Entropy | None, options: WriteOptions) -> str | None:
    """The text to send."""
    if not isinstance(entropy, Entropy):
        return entropy
    # Under a key that may be used again, the same text would have to be sent again.
    return None if options.get("idempotency_key") else token_hex(16)
