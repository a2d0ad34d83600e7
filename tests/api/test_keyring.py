"""What is derived from the secret is HMAC-SHA-256, as every language has it."""

import hmac
from hashlib import sha256

import pytest

from service.games.keyring import Keyring

BLOCK = sha256().block_size


@pytest.mark.parametrize("length", [1, 32, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
def test_a_secret_of_any_length_signs_as_the_library_does(length: int) -> None:
    secret = ("kéy-" * length)[:length]
    for game in ("", "a" * 26, "ü" * 500):
        (signed,) = Keyring([secret]).webhook_keys(game)
        assert signed == hmac.digest(secret.encode(), f"webhook\n{game}".encode(), sha256)
