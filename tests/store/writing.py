"""Commits as the store's tests write them."""

import base64
import os
import time
from dataclasses import replace
from hashlib import sha256

from service.store.base import NEVER_ROTATED, NONCE_BYTES, Commit
from service.store.redis_store import RedisGameStore

HOUR_MS = 3_600_000


def fresh_id() -> str:
    return base64.b32encode(os.urandom(16)).decode().rstrip("=").lower()


def now() -> int:
    return time.time_ns() // 1_000_000


def nonce_of(game_id: str, n: int) -> bytes:
    """The nonce of event n, unless the test gives it one of its own."""
    return sha256(f"{game_id} {n}".encode()).digest()[:NONCE_BYTES]


def stamp_of(game_id: str, n: int) -> bytes:
    """The stamp of a game after event n, if no token was renewed."""
    return nonce_of(game_id, n) + NEVER_ROTATED


def event(
    game_id: str,
    expected: int,
    *,
    state: bytes | None = None,
    body: bytes | None = None,
    ttl_ms: int = HOUR_MS,
    at_ms: int | None = None,
    idempotency_key: bytes | None = None,
    fingerprint: bytes | None = None,
    nonce: bytes | None = None,
    stamp: bytes | None = None,
) -> Commit:
    """Event number `expected` + 1 of a game, after those of the same making."""
    seen = stamp_of(game_id, expected) if expected > 0 else b""
    return Commit(
        game_id=game_id,
        expected_version=expected,
        expected_stamp=seen if stamp is None else stamp,
        state=b"state %d" % (expected + 1) if state is None else state,
        event=b"event %d" % (expected + 1) if body is None else body,
        ttl_ms=ttl_ms,
        nonce=nonce_of(game_id, expected + 1) if nonce is None else nonce,
        now_ms=now() if at_ms is None else at_ms,
        idempotency_key=idempotency_key,
        fingerprint=fingerprint,
    )


def rival(commit: Commit) -> Commit:
    """Another commit to the same version of a game."""
    return replace(commit, nonce=os.urandom(NONCE_BYTES))


def delete(store: RedisGameStore, game_id: str) -> bool:
    """Delete a game as it is."""
    found = store.load(game_id)
    return store.delete(game_id, found.stamp if found else b"")


def warm(store: RedisGameStore) -> str:
    """A game at version 1; the server knows the scripts now."""
    game = fresh_id()
    store.commit(event(game, 0))
    store.load(game, b"k" * 16)
    return game
