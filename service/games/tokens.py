"""Everything that is derived from the service's secret rather than stored.

Tokens, join codes, the ids of games made under an idempotency key, and ETags are all
HMAC-SHA-256 under the secret, each with a label of its own so that none can stand in for
another. Of several secrets the first signs and all verify.
"""

import hmac
import re
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

PLAYER_PREFIX = "qwp_"
HOST_PREFIX = "qwh_"
WEBHOOK_PREFIX = "whsec_"
GAME_ID_BYTES = 16
JOIN_CODE_LENGTH = 8
_ETAG_BYTES = 16
_TAG_BYTES = 6
_KEPT_SIGNATURES = 4096
_ETAG = re.compile(r'"(?P<state>[A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{8}"')


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who is looking at a game: a seat's player, its host, or anybody."""

    seat: int | None = None
    host: bool = False

    @property
    def place(self) -> int:
        """Where generations of tokens have a holder's: the host's first, then one a seat."""
        return 0 if self.seat is None else self.seat + 1


ANYBODY = Viewer()
HOST = Viewer(host=True)
_SEATED = tuple(Viewer(seat) for seat in range(4))
_SEATS = frozenset(str(viewer.seat) for viewer in _SEATED)


class Keyring:
    """Signs with the first secret, verifies with all of them."""

    def __init__(self, secrets: Sequence[str]) -> None:
        if not secrets:
            raise ValueError("a keyring needs a secret")
        self._keys = tuple(_Signature(secret.encode()) for secret in secrets)

    def token(self, game_id: str, viewer: Viewer, generation: int | str, *, key: int = 0) -> str:
        """The token of a host or a player; ``key`` is which of the secrets signs it."""
        if viewer.host:
            return HOST_PREFIX + _text(self._sign(key, "host", game_id, generation))
        digest = self._sign(key, "player", game_id, viewer.seat, generation)
        return f"{PLAYER_PREFIX}{viewer.seat}_{_text(digest)}"

    def verify(self, token: str, game_id: str, generations: Sequence[int | str]) -> Viewer | None:
        """Whose token of this game it is, or None. ``generations``: the host's, then the seats'.

        How long it takes tells nothing about how nearly a wrong token is right.
        """
        viewer = viewer_named(token)
        if viewer is None or viewer.place >= len(generations):
            return None
        given = token.encode()
        for key in range(len(self._keys)):
            true = self.token(game_id, viewer, generations[viewer.place], key=key)
            if hmac.compare_digest(given, true.encode()):
                return viewer
        return None

    def join_code(self, game_id: str, *, key: int = 0) -> str:
        """The code with which a seat of a private game can be taken."""
        return _lower32(self._sign(key, "join", game_id))[:JOIN_CODE_LENGTH]

    def is_join_code(self, code: str, game_id: str) -> bool:
        """Whether the code is the game's."""
        given = code.strip().lower().encode()
        return any(
            hmac.compare_digest(given, self.join_code(game_id, key=key).encode())
            for key in range(len(self._keys))
        )

    def game_ids(self, retry_key: bytes, attempt: int) -> tuple[str, ...]:
        """The id of the game made under a retry key, by each of the secrets.

        A later ``attempt`` gives another id, for a key that is used again long after.
        """
        return tuple(
            game_id(self._sign(key, "game", retry_key.hex(), attempt))
            for key in range(len(self._keys))
        )

    def successors(self, old_id: str, generation: int) -> tuple[str, ...]:
        """The id of a game's rematch, by each of the secrets.

        ``generation``, of the game's first tokens, tells it from others that have had its id.
        """
        return tuple(
            game_id(self._sign(key, "rematch", old_id, generation))
            for key in range(len(self._keys))
        )

    def webhook_keys(self, game_id: str) -> tuple[bytes, ...]:
        """What a game's webhook messages are signed with, by each of the secrets."""
        return tuple(self._sign(key, "webhook", game_id) for key in range(len(self._keys)))

    def webhook_secret(self, game_id: str) -> str:
        """What the receiver of a game's webhook messages verifies them with."""
        return WEBHOOK_PREFIX + b64encode(self.webhook_keys(game_id)[0]).decode()

    def etag(self, release: str, *parts: object) -> str:
        """A strong ETag that tells different parts and releases apart and nothing about the parts.

        ``release`` is a ``tag``.
        """
        return f'"{self._state_tag(0, *parts)}.{release}"'

    def names(self, etag: str, *parts: object) -> bool:
        """Whether the ETag is one of these parts, as any release and any of the secrets made it."""
        form = _ETAG.fullmatch(etag)
        return form is not None and any(
            hmac.compare_digest(form["state"], self._state_tag(key, *parts))
            for key in range(len(self._keys))
        )

    def _state_tag(self, key: int, *parts: object) -> str:
        return _text(self._sign(key, "etag", *parts)[:_ETAG_BYTES])

    def tag(self, *parts: object) -> str:
        """A short tag that tells different parts apart and nothing about them."""
        return _text(self._sign(0, "tag", *parts)[:_TAG_BYTES])

    def _sign(self, key: int, *parts: object) -> bytes:
        # No part but the last can hold the separator, so no two lists of parts look alike.
        return self._keys[key].of("\n".join(map(str, parts)))


class _Signature:
    """HMAC-SHA-256 (RFC 2104) under one key.

    What depends on the key alone is worked out once: every request needs two signatures, and
    the library's own take five times as long, most of it to find the algorithm. The newest
    signatures are kept, since whoever asks once asks again.
    """

    def __init__(self, key: bytes) -> None:
        start = sha256()
        short = key if len(key) <= start.block_size else sha256(key).digest()
        padded = short.ljust(start.block_size, b"\0")
        self._inner = sha256(bytes(byte ^ 0x36 for byte in padded))
        self._outer = sha256(bytes(byte ^ 0x5C for byte in padded))
        self.of = lru_cache(maxsize=_KEPT_SIGNATURES)(self._of)

    def _of(self, message: str) -> bytes:
        """The signature of a message."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message.encode())
        outer.update(inner.digest())
        return outer.digest()


def game_id(random: bytes) -> str:
    """The id made of 16 random bytes: 26 characters a to z and 2 to 7."""
    return _lower32(random[:GAME_ID_BYTES])


def viewer_named(token: str) -> Viewer | None:
    """Whose a token claims to be."""
    if token.startswith(HOST_PREFIX):
        return HOST
    head, _, rest = token.removeprefix(PLAYER_PREFIX).partition("_")
    if not token.startswith(PLAYER_PREFIX) or not rest or head not in _SEATS:
        return None
    return _SEATED[int(head)]


def _text(digest: bytes) -> str:
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def _lower32(digest: bytes) -> str:
    return b32encode(digest).rstrip(b"=").decode().lower()
