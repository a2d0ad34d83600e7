"""Answers in gzip for clients that accept it; docs/decisions/compression.md has the reasons.

An answer that carries a token or another secret is not compressed. Somebody who sees the length of
the encrypted answer, and can choose a part of it such as a player's name, would learn from it how
much of a guess at the secret is right (BREACH).
"""

import zlib
from functools import lru_cache

from flask import Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from service.api.context import context
from service.games.keyring import HOST_PREFIX, PLAYER_PREFIX, WEBHOOK_PREFIX
from service.rules.yielding import Pause

MOST_UNCOMPRESSED = 1024
"""Bytes; so much fits into one packet anyway."""

_LEVEL = 4
_PIECE_BYTES = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS
_LONGEST_HEADER = 512
_MEDIA_TYPES = frozenset(
    {"application/json", "application/problem+json", "image/svg+xml", "text/html", "text/plain"}
)
_SECRETS = (
    HOST_PREFIX.encode(),
    PLAYER_PREFIX.encode(),
    WEBHOOK_PREFIX.encode(),
    b'"join_code":"',
)
_SUFFIX = '.gz"'


def accepts_gzip() -> bool:
    """Whether the client accepts gzip, and does not prefer its answers uncompressed."""
    header = request.environ.get("HTTP_ACCEPT_ENCODING")
    return header is not None and _allows_gzip(header)


@lru_cache(maxsize=64)
def _allows_gzip(header: str) -> bool:
    if len(header) > _LONGEST_HEADER:  # see QwirkleRequest
        return False
    accepted = parse_accept_header(header, Accept)
    return 0 < accepted.quality("gzip") >= accepted.quality("identity")


def compress(response: Response) -> None:
    """Compress an answer if it may be compressed and is worth it."""
    if not accepts_gzip() or not response.is_sequence or "Content-Encoding" in response.headers:
        return
    body = response.get_data()
    if len(body) <= MOST_UNCOMPRESSED or response.mimetype not in _MEDIA_TYPES:
        return
    if any(secret in body for secret in _SECRETS):
        return
    response.set_data(gzipped(body, context().games.pause))
    response.headers["Content-Encoding"] = "gzip"
    etag = response.headers.get("ETag")
    if etag is not None:
        response.headers["ETag"] = gzip_etag(etag)


def gzipped(body: bytes, pause: Pause) -> bytes:
    """The body in gzip. It is compressed piece by piece, with a pause after each."""
    stream = zlib.compressobj(_LEVEL, wbits=_GZIP)
    parts = []
    for start in range(0, len(body), _PIECE_BYTES):
        if start:
            pause()
        parts.append(stream.compress(body[start : start + _PIECE_BYTES]))
    return b"".join((*parts, stream.flush()))


# ETags


def gzip_etag(etag: str) -> str:
    """The ETag of the compressed form: a strong ETag names one sequence of bytes."""
    return etag[:-1] + _SUFFIX


def plain_etag(etag: str) -> str:
    """The ETag of the uncompressed form, whichever form this one is of."""
    return etag[: -len(_SUFFIX)] + '"' if etag.endswith(_SUFFIX) else etag


def known_etag(etag: str) -> str | None:
    """This ETag as `If-None-Match` names it, for the plain or the compressed form; else None."""
    header = request.headers.get("If-None-Match")
    if header is None:
        return None
    listed = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    if etag in listed or "*" in listed:
        return etag
    compressed = gzip_etag(etag)
    return compressed if compressed in listed else None
