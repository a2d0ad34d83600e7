"""Everything that is derived from the service's secret instead of being stored.

Tokens, join codes, the ids of games created under an idempotency key, and ETags are all
HMAC-SHA-256 under the secret, each with its own label so that none can be used as another.
The first secret signs; all of them verify.
"""

import hmac
import re
from base64 import b32encode, b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

PLAYER_PREFIX = "qwp_"
HOST_PREFIX = "qwh_"
WEBHOOK_PREFIX = "whsec_"
GAME_ID_BYTES = 16
JOIN_CODE_LENGTH = 8
JOIN_CODE_LETTERS = "23456789ACDEFGHJKMNPQRTVWXY"
"""No two of them look alike: of 8 and B, 5 and S, 2 and Z, V and U it has the first, and none of
0 and O, 1, I and L."""
_READ_AS = str.maketrans("BSZU", "852V")
_CODE_DIGEST_BYTES = 16
_ETAG_BYTES = 16
_TAG_BYTES = 6
_CACHED_SIGNATURES = 4096
_ETAG = re.compile(r'"(?P<state>[A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{8}"')


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at a game: the player of a seat, the host, or anybody."""

    seat: int | None = None
    host: bool = False

    @property
    def place(self) -> int:
        """The holder's index in the token generations: the host's first, then one per seat."""
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
        self._signers = tuple(_signer(secret.encode()) for secret in secrets)

    def token(self, game_id: str, viewer: Viewer, generation: int | str) -> str:
        """The token of a host or a player."""
        return self._tokens(game_id, viewer, generation)[0]

    def verify(self, token: str, game_id: str, generations: Sequence[int | str]) -> Viewer | None:
        """Whose token of this game it is, or None. ``generations``: the host's, then the seats'.

        The time it takes does not reveal how much of a wrong token is right.
        """
        viewer = claimed_viewer(token)
        if viewer is None or viewer.place >= len(generations):
            return None
        valid = self._tokens(game_id, viewer, generations[viewer.place])
        given = token.encode()
        return viewer if any(hmac.compare_digest(given, each.encode()) for each in valid) else None

    def join_code(self, game_id: str, generation: int) -> str:
        """The code for joining a game, in two halves: ``K7QF-2M9X``.

        ``generation``, of the game's first tokens, is drawn again if another game has the code.
        """
        code = self._join_codes(game_id, generation)[0]
        return f"{code[: JOIN_CODE_LENGTH // 2]}-{code[JOIN_CODE_LENGTH // 2 :]}"

    def is_join_code(self, code: str, game_id: str, generation: int) -> bool:
        """Whether this is the game's join code; only its letters and digits count, in any case.

        A letter that looks like one of a code is read as that one.
        """
        given, valid = _bare(code).encode(), self._join_codes(game_id, generation)
        return any(hmac.compare_digest(given, each.encode()) for each in valid)

    @property
    def rotates(self) -> bool:
        """Whether what an older secret has signed is still valid."""
        return len(self._signers) > 1

    def join_code_digests(self, code: str) -> tuple[str, ...]:
        """What a join code is found by in the store, which does not hold the code itself."""
        digests = self._signatures("code", _bare(code))
        return tuple(digest[:_CODE_DIGEST_BYTES].hex() for digest in digests)

    def game_ids(self, retry_key: bytes, attempt: int) -> tuple[str, ...]:
        """The id of the game created under an idempotency key, by each of the secrets.

        Each ``attempt`` gives a different id, for keys that are used again after they expired.
        """
        return tuple(map(game_id, self._signatures("game", retry_key.hex(), attempt)))

    def rematch_ids(self, old_id: str, generation: int) -> tuple[str, ...]:
        """The id of a game's rematch, by each of the secrets.

        ``generation``, of the game's first tokens, tells it from others that have had its id.
        """
        return tuple(map(game_id, self._signatures("rematch", old_id, generation)))

    def webhook_keys(self, game_id: str) -> tuple[bytes, ...]:
        """The keys that sign a game's webhook messages, by each of the secrets."""
        return self._signatures("webhook", game_id)

    def webhook_secret(self, game_id: str) -> str:
        """The secret with which the receiver verifies a game's webhook messages."""
        return WEBHOOK_PREFIX + b64encode(self.webhook_keys(game_id)[0]).decode()

    def tenant_webhook_keys(self, tenant: str) -> tuple[bytes, ...]:
        """The keys that sign the messages to a tenant's webhook, by each of the secrets."""
        return self._signatures("tenant webhook", tenant)

    def tenant_webhook_secret(self, tenant: str) -> str:
        """The secret with which a tenant verifies the messages to its webhook."""
        return WEBHOOK_PREFIX + b64encode(self.tenant_webhook_keys(tenant)[0]).decode()

    def etag(self, release: str, *parts: object) -> str:
        """A strong ETag: it differs with parts and release, and reveals nothing about the parts.

        ``release`` is a ``tag``.
        """
        return f'"{self._state_tags(parts)[0]}.{release}"'

    def is_etag_of(self, etag: str, *parts: object) -> bool:
        """Whether the ETag is one of these parts, made by any release with any of the secrets."""
        form = _ETAG.fullmatch(etag)
        return form is not None and any(
            hmac.compare_digest(form["state"], each) for each in self._state_tags(parts)
        )

    def event_id(self, n: int, nonce: bytes) -> str:
        """The id of an event; another event with its number, before a rollback, had another id."""
        return f"{n}-{self.tag('event', n, nonce.hex())}"

    def tag(self, *parts: object) -> str:
        """A short tag that differs with the parts and reveals nothing about them."""
        return _text(self._signatures("tag", *parts)[0][:_TAG_BYTES])

    def _tokens(self, game_id: str, viewer: Viewer, generation: int | str) -> list[str]:
        if viewer.host:
            return [HOST_PREFIX + _text(d) for d in self._signatures("host", game_id, generation)]
        digests = self._signatures("player", game_id, viewer.seat, generation)
        return [f"{PLAYER_PREFIX}{viewer.seat}_{_text(digest)}" for digest in digests]

    def _join_codes(self, game_id: str, generation: int) -> list[str]:
        return [_spelled(digest) for digest in self._signatures("join", game_id, generation)]

    def _state_tags(self, parts: Iterable[object]) -> list[str]:
        return [_text(digest[:_ETAG_BYTES]) for digest in self._signatures("etag", *parts)]

    def _signatures(self, *parts: object) -> tuple[bytes, ...]:
        """The signature of the parts by each of the secrets."""
        # Only the last part can contain the separator, so different parts give different messages.
        message = "\n".join(map(str, parts))
        return tuple([sign(message) for sign in self._signers])


def _bare(code: str) -> str:
    """The letters and digits of a join code, as it was meant by who typed it."""
    return "".join(filter(str.isalnum, code)).upper().translate(_READ_AS)


def _spelled(digest: bytes) -> str:
    """A digest as a join code; it is so much longer that every code is as likely."""
    number, letters = int.from_bytes(digest, "big"), []
    for _ in range(JOIN_CODE_LENGTH):
        number, letter = divmod(number, len(JOIN_CODE_LETTERS))
        letters.append(JOIN_CODE_LETTERS[letter])
    return "".join(letters)


def _signer(key: bytes) -> Callable[[str], bytes]:
    """HMAC-SHA-256 under one key; the newest signatures are cached, as clients repeat requests."""
    start = hmac.new(key, digestmod=sha256)

    @lru_cache(maxsize=_CACHED_SIGNATURES)
    def sign(message: str) -> bytes:
        mac = start.copy()
        mac.update(message.encode())
        return mac.digest()

    return sign


def game_id(random: bytes) -> str:
    """The id made of 16 random bytes: 26 characters from a to z and 2 to 7."""
    return _lower32(random[:GAME_ID_BYTES])


def claimed_viewer(token: str) -> Viewer | None:
    """Whose token it claims to be."""
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
